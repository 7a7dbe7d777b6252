// How popular the keys of a trace are, by their rank among the live keys in the order of inserts:
// what a profile (trace_profile.h) fits the classes of AccessKeys to.
//
// Ranks are counted in steps of half a doubling: 1, 2, 3, 4-5, 6-7, 8-11, ... The model of a step
// is that each of its keys has the same weight, and that an operation draws among the live keys in
// proportion to their weights. While keys arrive, the same weights give other probabilities. So the
// fit counts how many accesses saw how many live keys, and finds the weights for which the counts
// are the most probable.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traces/workloads/key_classes.h"

namespace lsmlab {

/// Steps of half a doubling.
class RankSteps {
 public:
  static constexpr std::size_t kSteps = 128;
  /// The step of a rank that is counted from 0.
  [[nodiscard]] static std::size_t step_of(std::uint64_t rank);
  /// The first rank of a step; step kSteps - 1 has no end. Step 1 is empty.
  [[nodiscard]] static std::uint64_t begin_of(std::size_t step);
};

/// Counts numbers in steps of a sixteenth of a doubling; numbers below 32 are exact.
class FineCounts {
 public:
  /// REQUIRES: number >= 1.
  void add(std::uint64_t number);
  void halve();
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The middle of the step that has at most `larger` numbers above it; 0 if nothing was counted.
  [[nodiscard]] std::uint64_t with_larger(double larger) const;

  struct Step {
    double number = 0;  // the middle
    double count = 0;
  };
  /// Those with counts.
  [[nodiscard]] std::vector<Step> steps() const;

 private:
  static constexpr unsigned kBits = 4;
  [[nodiscard]] static double middle_of(std::size_t step);
  std::array<std::uint64_t, std::size_t{64} << kBits> counts_{};
  std::uint64_t count_ = 0;
};

/// Weighted classes, and how much they explain: the mean logarithm of how much more probable an
/// access is than if all live keys were equally popular.
struct PopularityFit {
  std::vector<KeyClass> classes;
  double explained = 0;
};

/// Counts accesses of one kind.
class AccessCounts {
 public:
  /// An access of the live key that has `older` live keys before it, of `live` ones.
  void add(std::uint64_t older, std::uint64_t live);
  void halve();
  [[nodiscard]] std::uint64_t count() const { return by_live_.count(); }
  /// If only a sample of the keys was counted, it may lack the most popular ones or have too many
  /// of them. Then the first classes get what is missing until the sum is `accesses`, or lose the
  /// rest. REQUIRES: count() > 0; `keys` >= 1 is the number of keys that the classes hold.
  [[nodiscard]] PopularityFit from_oldest(std::uint64_t keys, double accesses) const;
  [[nodiscard]] PopularityFit from_newest(std::uint64_t keys, double accesses) const;

 private:
  using Steps = std::array<std::uint64_t, RankSteps::kSteps>;
  [[nodiscard]] PopularityFit fit(const Steps& counted, std::uint64_t keys, double accesses) const;

  Steps from_oldest_{};
  Steps from_newest_{};
  FineCounts by_live_;
};

/// Accesses of one kind over time, in at most 256 intervals of equal numbers of operations.
class AccessTimes {
 public:
  static constexpr std::size_t kIntervalsMax = 256;
  /// `operation`: its number, from 1. REQUIRES: not below that of the call before.
  void add(std::uint64_t operation);
  void halve();
  [[nodiscard]] std::size_t interval_of(std::uint64_t operation) const {
    return static_cast<std::size_t>((operation - 1) / width_);
  }
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t width_ = 64;  // operations
};

/// A key's accesses, divided at random into two halves, and when it lived, as operation numbers.
struct CountedKey {
  std::uint64_t tie = 0;  // any fixed number, to order equal keys
  std::array<std::uint32_t, 2> accesses{};
  std::uint64_t born = 0;
  std::uint64_t died = 0;  // 0: it is alive
};

/// Popularity without regard to when keys were inserted. One half of the accesses orders the keys,
/// the other one is counted, so that chance alone makes no key popular. An access chooses among the
/// keys that live at that time. The classes have the most popular keys first, of `keys_all` keys.
/// `accesses`: as AccessCounts::from_oldest().
/// REQUIRES: `times` has the accesses, at least one; there are keys; keys_all >= 1.
[[nodiscard]] PopularityFit popularity_by_key(std::vector<CountedKey> keys,
                                              const AccessTimes& times, std::uint64_t keys_all,
                                              double accesses);

}  // namespace lsmlab

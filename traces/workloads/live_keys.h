// Which inserted keys are alive, in insertion order: one bit per key and a Fenwick tree over groups
// of 512 keys. A number is appended, found by rank and removed in logarithmic time, with about 1.13
// bits per key. Only workloads with deletes need it.
#pragma once

#include <cstdint>
#include <vector>

namespace lsmlab {

class LiveKeys {
 public:
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The number of live numbers below `number`.
  [[nodiscard]] std::uint64_t rank(std::uint64_t number) const;
  /// Adds the next number, from 0, as a live one.
  void append();
  /// The live number that has `rank` smaller live ones. REQUIRES: rank < count().
  [[nodiscard]] std::uint64_t at(std::uint64_t rank) const;
  /// REQUIRES: the number is alive.
  void remove(std::uint64_t number);

 private:
  static constexpr std::uint64_t kWordsPerGroup = 8;
  static constexpr std::uint64_t kGroup = 64 * kWordsPerGroup;

  std::vector<std::uint64_t> words_;
  // from index 1: counts of live keys in the groups that a node covers
  std::vector<std::uint64_t> tree_{0};
  std::uint64_t appended_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace lsmlab

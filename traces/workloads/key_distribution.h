// Which keys operations meet. Inserted keys are numbered from 0 over the whole
// workload, and the key of a number is a function of it, so that no key is ever
// inserted twice and drawing an existing key is drawing a number; nothing needs
// to be remembered.
//
// A key id is  position (56 bits) | phase (7 bits) | absent (1 bit).  Positions
// of one phase's inserts are all different; the phase keeps keys of different
// distributions apart; keys with the last bit set are never inserted, and
// lookups of absent keys use them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/random.h"

namespace lsmlab {

inline constexpr unsigned kPositionBits = 56;
inline constexpr unsigned kPhaseBits = 7;
inline constexpr std::uint64_t kPhasesMax = std::uint64_t{1} << kPhaseBits;
/// Inserts of a workload: 16 of the 56 bits of a position are a prefix where
/// keys are skewed.
inline constexpr unsigned kInsertBits = 40;
inline constexpr std::uint64_t kInsertsMax = std::uint64_t{1} << kInsertBits;

enum class InsertKeyKind { kUniform, kNormal, kPrefixZipf, kSequential, kNearSorted };

/// The order and density of new keys.
struct InsertKeys {
  InsertKeyKind kind = InsertKeyKind::kUniform;
  std::optional<Decimal> standard_deviation;  // normal: share of the domain; absent: 0.34
  std::optional<Decimal> zipf_exponent;       // prefix-zipf: absent: 1
  std::optional<std::uint64_t> prefixes;      // prefix-zipf: how many; absent: 65,536
  std::optional<Decimal> displaced;           // near-sorted, K: share out of place; absent: 10%
  std::optional<Decimal> displacement_max;    // near-sorted, L: share of the phase's inserts that
                                              // a key is at most displaced by; absent: 5%
  void declare(OptionTable& table);
  void validate(const std::string& name, std::vector<std::string>& faults) const;
};

enum class AccessKeyKind { kUniform, kNormal, kZipfian, kLatest, kSequential };

/// Which of the existing keys, in insertion order, an operation meets. zipfian:
/// the oldest keys are the most popular, and stay so while others come, so
/// popularity is scattered over the key range where inserts are (the scrambled
/// zipfian of YCSB); latest: the newest are; normal: around the middle of the
/// insertion order; sequential: one after another, from the oldest, again and
/// again.
struct AccessKeys {
  AccessKeyKind kind = AccessKeyKind::kUniform;
  std::optional<Decimal> zipf_exponent;       // zipfian, latest: absent: 0.99
  std::optional<Decimal> standard_deviation;  // normal: share of all keys; absent: 0.34
  void declare(OptionTable& table);
  void validate(const std::string& name, std::vector<std::string>& faults) const;
};

/// A distribution over 65,536 buckets: Walker's alias table with integer
/// thresholds, so that a random 64-bit number decides the bucket by one
/// comparison.
class BucketTable {
 public:
  static constexpr std::uint64_t kBuckets = 65'536;
  /// Normal over the domain, its mean in the middle, cut at the ends.
  [[nodiscard]] static BucketTable normal(const Decimal& standard_deviation);
  /// Bucket r - 1 has a weight of r^-exponent, for r from 1 to `ranks`.
  [[nodiscard]] static BucketTable zipf(const Decimal& exponent, std::uint64_t ranks);
  [[nodiscard]] std::uint64_t bucket(std::uint64_t random) const {
    const Entry& entry = entries_[random >> 48];
    return (random & kThresholdMask) < entry.threshold ? random >> 48 : entry.alias;
  }

 private:
  static constexpr std::uint64_t kThresholdMask = (std::uint64_t{1} << 48) - 1;
  struct Entry {
    std::uint64_t threshold = 0;
    std::uint64_t alias = 0;
  };
  explicit BucketTable(const std::vector<double>& weights);
  std::vector<Entry> entries_;
};

/// Ranks from 1 to n with probabilities proportional to rank^-exponent,
/// exactly, for any n, by rejection-inversion (Hoermann and Derflinger, TOMACS
/// 1996). Its doubles are portable.
class ZipfSampler {
 public:
  explicit ZipfSampler(const Decimal& exponent);
  /// REQUIRES: n >= 1. Fastest while n stays the same.
  [[nodiscard]] std::uint64_t draw(std::uint64_t n, SplitMix64& generator);

 private:
  [[nodiscard]] double integral(double x) const;
  [[nodiscard]] double integral_inverse(double y) const;
  [[nodiscard]] double density(double x) const;

  double exponent_;
  double integral_first_;
  double acceptance_;
  double integral_last_ = 0;
  double n_ = 0;
};

/// The keys of one phase's inserts.
class KeyLayout {
 public:
  struct Place {
    std::uint64_t phase = 0;  // below kPhasesMax
    std::uint64_t first = 0;  // number of its first insert
    std::uint64_t count = 0;  // of inserts
    std::uint64_t seed = 0;   // the workload's: phases alike continue one order
  };
  KeyLayout(const InsertKeys& keys, const Place& place);

  [[nodiscard]] std::uint64_t first() const { return place_.first; }
  /// REQUIRES: first <= number < first + count.
  [[nodiscard]] std::uint64_t key(std::uint64_t number) const {
    return position(number) << (kPhaseBits + 1) | place_.phase << 1;
  }
  /// How far the keys reach once there are `inserted` of the workload, less
  /// one: the whole domain, or for orders that grow at its end what they cover.
  [[nodiscard]] std::uint64_t last_key(std::uint64_t inserted) const;

 private:
  [[nodiscard]] std::uint64_t position(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t near_sorted_position(std::uint64_t number) const;

  InsertKeyKind kind_;
  Place place_;
  BitBijection scatter_;  // of positions, or of the suffixes below a prefix
  BitBijection scatter_prefix_;
  std::uint64_t prefix_seed_;
  std::shared_ptr<const BucketTable> prefixes_;
  std::uint64_t swap_threshold_ = 0;  // near-sorted: of 2^64
  bool swaps_all_ = false;
  std::uint64_t block_ = 1;  // near-sorted: keys move inside blocks of so many
};

/// Draws existing keys as numbers below how many there are.
class KeyPicker {
 public:
  explicit KeyPicker(const AccessKeys& keys);
  /// REQUIRES: live >= 1.
  [[nodiscard]] std::uint64_t draw(std::uint64_t live, SplitMix64& generator);

 private:
  AccessKeyKind kind_;
  ZipfSampler zipf_;
  std::shared_ptr<const BucketTable> normal_;
  std::uint64_t next_ = 0;  // sequential
};

}  // namespace lsmlab

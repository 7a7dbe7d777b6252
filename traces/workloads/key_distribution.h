// Which keys operations use. Inserted keys have numbers from 0 over the whole workload, and a key
// is a function of its number. So no key is inserted twice, and drawing an existing key means
// drawing a number. Nothing needs to be remembered.
//
// A key id is  position (56 bits) | phase (7 bits) | absent (1 bit). The inserts of one phase have
// different positions. The phase separates keys of different distributions. Keys whose last bit is
// set are never inserted; lookups of absent keys use them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/random.h"
#include "traces/workloads/key_classes.h"

namespace lsmlab {

inline constexpr unsigned kPositionBits = 56;
inline constexpr unsigned kPhaseBits = 7;
inline constexpr std::uint64_t kPhasesMax = std::uint64_t{1} << kPhaseBits;
/// The largest number of inserts in a workload is 2^40: with skewed keys, 16 of the 56 bits of a
/// position are a prefix.
inline constexpr unsigned kInsertBits = 40;
inline constexpr std::uint64_t kInsertsMax = std::uint64_t{1} << kInsertBits;

enum class InsertKeyKind { kUniform, kNormal, kPrefixZipf, kSequential, kNearSorted };

/// The order and density of new keys.
struct InsertKeys {
  InsertKeyKind kind = InsertKeyKind::kUniform;
  std::optional<Decimal> standard_deviation;  // normal: share of the domain; default: 0.34
  std::optional<Decimal> zipf_exponent;       // prefix-zipf; default: 1
  std::optional<std::uint64_t> prefixes;      // prefix-zipf: number of prefixes; default: 65,536
  std::optional<Decimal> displaced;  // near-sorted, K: share of keys out of order; default: 10%
  // near-sorted, L: largest displacement, as a share of the phase's inserts; default: 5%
  std::optional<Decimal> displacement_max;
  [[nodiscard]] Decimal displaced_or_default() const;
  void declare(OptionTable& table);
  void validate(const std::string& name, std::vector<std::string>& faults) const;
};

enum class AccessKeyKind { kUniform, kNormal, kZipfian, kLatest, kSequential, kClasses };

/// Which of the existing keys, in insertion order, an operation uses.
///   - zipfian: the oldest keys are the most popular and stay so while others arrive. So popularity
///     is spread over the key range like the inserts are (YCSB's scrambled zipfian).
///   - latest: the newest keys are the most popular.
///   - normal: keys near the middle of the insertion order.
///   - sequential: one key after another from the oldest on, again and again.
///   - classes: given numbers of keys with given shares of the accesses, from the oldest live key
///     on, or from the newest one.
struct AccessKeys {
  AccessKeyKind kind = AccessKeyKind::kUniform;
  std::optional<Decimal> zipf_exponent;       // zipfian, latest; default: 0.99
  std::optional<Decimal> standard_deviation;  // normal: share of all keys; default: 0.34
  std::vector<KeyClass> classes;              // classes; declare() leaves them out
  std::optional<bool> newest_first;           // classes; default: false
  [[nodiscard]] Decimal zipf_exponent_or_default() const;
  [[nodiscard]] Decimal standard_deviation_or_default() const;
  void declare(OptionTable& table);
  void validate(const std::string& name, std::vector<std::string>& faults) const;
};

/// A distribution over 65,536 buckets: Walker's alias table with integer thresholds, so that one
/// comparison with a random 64-bit number determines the bucket.
class BucketTable {
 public:
  static constexpr std::uint64_t kBuckets = 65'536;
  /// A normal distribution over the domain, with its mean in the middle, cut at the ends.
  [[nodiscard]] static BucketTable normal(const Decimal& standard_deviation);
  /// Bucket r - 1 has the weight r^-exponent, for r from 1 to `ranks`.
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

/// Draws ranks from 1 to n with probabilities exactly proportional to rank^-exponent, for any n, by
/// rejection-inversion (Hoermann and Derflinger, TOMACS 1996). Its doubles are the same on every
/// machine.
class ZipfSampler {
 public:
  explicit ZipfSampler(const Decimal& exponent);
  /// REQUIRES: n >= 1. Fastest if n does not change.
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

/// The seed of all layouts of a workload.
[[nodiscard]] std::uint64_t layout_seed(std::uint64_t workload_seed);

/// The keys of one phase's inserts.
class KeyLayout {
 public:
  struct Place {
    std::uint64_t phase = 0;  // below kPhasesMax
    std::uint64_t first = 0;  // number of its first insert
    std::uint64_t count = 0;  // number of inserts
    std::uint64_t seed = 0;   // the workload's seed: similar phases continue one order
  };
  KeyLayout(const InsertKeys& keys, const Place& place);

  [[nodiscard]] std::uint64_t first() const { return place_.first; }
  /// REQUIRES: first <= number < first + count.
  [[nodiscard]] std::uint64_t key(std::uint64_t number) const {
    return position(number) << (kPhaseBits + 1) | place_.phase << 1;
  }
  /// The upper end of the keys' range after `inserted` inserts of the workload: the whole domain,
  /// or, for orders that grow at the end, the range that the keys cover. One less than that.
  [[nodiscard]] std::uint64_t last_key(std::uint64_t inserted) const;

  /// Near-sorted keys stay inside blocks of consecutive numbers. The key of the block's o-th number
  /// has the o-th position of the block, or is swapped with that of number (centre - o) mod count.
  struct Block {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::uint64_t centre = 0;
  };
  /// REQUIRES: keys are near-sorted; as key().
  [[nodiscard]] Block block_of(std::uint64_t number) const;

 private:
  [[nodiscard]] std::uint64_t position(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t near_sorted_position(std::uint64_t number) const;

  InsertKeyKind kind_;
  Place place_;
  BitBijection scatter_;  // permutes positions, or the suffixes below a prefix
  BitBijection scatter_prefix_;
  std::uint64_t prefix_seed_;
  std::shared_ptr<const BucketTable> prefixes_;
  std::uint64_t swap_threshold_ = 0;  // near-sorted: swap if a 64-bit number is below it
  bool swaps_all_ = false;
  std::uint64_t block_ = 1;  // near-sorted: size of the blocks inside which keys move
};

/// Draws existing keys, as numbers below the count of live keys.
class KeyPicker {
 public:
  explicit KeyPicker(const AccessKeys& keys);
  /// REQUIRES: live >= 1.
  [[nodiscard]] std::uint64_t draw(std::uint64_t live, SplitMix64& generator);

 private:
  AccessKeyKind kind_;
  ZipfSampler zipf_;
  std::shared_ptr<const BucketTable> normal_;
  std::shared_ptr<const KeyClassSums> classes_;
  bool is_newest_first_;
  std::uint64_t next_ = 0;  // sequential
};

}  // namespace lsmlab

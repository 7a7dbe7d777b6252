// Statistics of a trace that a user wants before a run: operations by kind, distinct keys, skew,
// update distances, sizes.
//
// Memory is bounded for any trace: keys are sampled by their hash (fixed-size spatial sampling as
// in SHARDS, FAST 2015). While the distinct keys fit into the sample, every figure is exact. Beyond
// that, the sampled share of the key space is halved as often as needed. Figures about keys are
// then estimates and marked as such. All accesses of a sampled key are counted. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/base/units.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

/// A summary of sizes. Counts are exact for sizes below 256; larger sizes share buckets whose width
/// is at most 1/128 of the size. Least, most and mean are exact.
class SizeSummary {
 public:
  SizeSummary();
  void add(std::uint64_t size);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Zero if no size was added.
  [[nodiscard]] std::uint64_t least() const { return count_ == 0 ? 0 : least_; }
  [[nodiscard]] std::uint64_t most() const { return most_; }
  [[nodiscard]] double mean() const;
  /// An upper bound of the smallest `percent` of the sizes, e.g. 50 or 99: the largest size of the
  /// bucket where they end. Zero if no size was added. REQUIRES: 0 < percent <= 100.
  [[nodiscard]] std::uint64_t percentile(unsigned percent) const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  Uint128 sum_ = 0;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_ = 0;
};

struct KeyFigures {
  bool estimated = false;           // true: all figures here are estimates
  std::uint64_t distinct = 0;       // keys that were put, deleted or got
  double top_1_percent_share = 0;   // of all puts, deletes and gets; 0 if there were none
  double top_10_percent_share = 0;  // same for 10 percent
  std::uint64_t rewrites = 0;       // puts and deletes of a key that was put or deleted before
  /// Rewrites by distance, the number of operations from one write of a key to its next write:
  /// entry i counts distances from 2^i to 2^(i+1) - 1.
  std::array<std::uint64_t, 64> update_distances{};
};

class TraceStatistics {
 public:
  /// Takes at most 96 bytes per sampled key, and twice that while its table grows. REQUIRES:
  /// sampled_keys_max >= 2.
  explicit TraceStatistics(std::size_t sampled_keys_max = std::size_t{1} << 20);

  void add(std::span<const Operation> operations);

  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  /// Indexed by OperationKind.
  [[nodiscard]] const std::array<std::uint64_t, 4>& by_kind() const { return by_kind_; }
  [[nodiscard]] KeyFigures keys() const;
  [[nodiscard]] const SizeSummary& key_bytes() const { return key_bytes_; }
  [[nodiscard]] const SizeSummary& value_bytes() const { return value_bytes_; }  // of puts
  /// The limits of the scans that have one.
  [[nodiscard]] const SizeSummary& scan_entries() const { return scan_entries_; }

 private:
  struct SampledKey {
    std::uint64_t hash = 0;
    std::uint64_t accesses = 0;    // 0: the slot is free
    std::uint64_t last_write = 0;  // number of the operation, from 1; 0: not written yet
  };

  void add_key(const Operation& operation);
  SampledKey& slot_of(std::uint64_t hash);
  void rebuild(std::size_t slots);
  void thin_out();

  std::size_t sampled_keys_max_;
  unsigned halvings_ = 0;  // how often the sampled share was halved
  // A hash table with linear probing, at most half full. No two keys have the same hash.
  std::vector<SampledKey> sample_;
  std::size_t sampled_ = 0;  // slots in use
  std::uint64_t operations_ = 0;
  std::array<std::uint64_t, 4> by_kind_{};
  std::array<std::uint64_t, 64> update_distances_{};
  SizeSummary key_bytes_;
  SizeSummary value_bytes_;
  SizeSummary scan_entries_;
};

}  // namespace lsmlab

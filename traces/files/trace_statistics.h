// What one wants to know of a trace before a run: operations by kind, distinct keys, skew, update
// distance, sizes.
//
// Memory is bounded whatever the trace: keys are sampled by their hash (fixed-size spatial sampling
// as in SHARDS, FAST 2015). While the distinct keys fit the sample every figure is exact; beyond
// that the sampled share of the key space is halved, as often as needed, and figures by key are
// estimates, marked as such. A sampled key's accesses are all counted. One thread.
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

/// Sizes as counts: exact below 256, above by buckets of at most 1/128 of their size; least, most
/// and mean are exact.
class SizeSummary {
 public:
  SizeSummary();
  void add(std::uint64_t size);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Zero if there were none.
  [[nodiscard]] std::uint64_t least() const { return count_ == 0 ? 0 : least_; }
  [[nodiscard]] std::uint64_t most() const { return most_; }
  [[nodiscard]] double mean() const;
  /// The largest size that the bucket of the `percent` smallest ends with, e.g. 50 or 99. Zero if
  /// there were none. REQUIRES: 0 < percent <= 100.
  [[nodiscard]] std::uint64_t percentile(unsigned percent) const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  Uint128 sum_ = 0;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_ = 0;
};

struct KeyFigures {
  bool estimated = false;           // of all figures here
  std::uint64_t distinct = 0;       // keys that were put, deleted or got
  double top_1_percent_share = 0;   // of all puts, deletes and gets; 0 if there were none
  double top_10_percent_share = 0;  // likewise
  std::uint64_t rewrites = 0;       // puts and deletes of a key that was put or deleted before
  /// Rewrites by their distance, the number of operations from one write of a key to its next:
  /// entry i counts distances from 2^i to 2^(i+1) - 1.
  std::array<std::uint64_t, 64> update_distances{};
};

class TraceStatistics {
 public:
  /// Takes at most 96 bytes a sampled key, twice that while its table grows. REQUIRES:
  /// sampled_keys_max >= 2.
  explicit TraceStatistics(std::size_t sampled_keys_max = std::size_t{1} << 20);

  void add(std::span<const Operation> operations);

  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  /// Indexed by OperationKind.
  [[nodiscard]] const std::array<std::uint64_t, 4>& by_kind() const { return by_kind_; }
  [[nodiscard]] KeyFigures keys() const;
  [[nodiscard]] const SizeSummary& key_bytes() const { return key_bytes_; }
  [[nodiscard]] const SizeSummary& value_bytes() const { return value_bytes_; }  // of puts
  /// The limits of those scans that have one.
  [[nodiscard]] const SizeSummary& scan_entries() const { return scan_entries_; }

 private:
  struct SampledKey {
    std::uint64_t hash = 0;
    std::uint64_t accesses = 0;    // 0: the slot is free
    std::uint64_t last_write = 0;  // the operation's number from 1; 0: not written yet
  };

  void add_key(const Operation& operation);
  SampledKey& slot_of(std::uint64_t hash);
  void rebuild(std::size_t slots);
  void thin_out();

  std::size_t sampled_keys_max_;
  unsigned halvings_ = 0;  // of the sampled share
  // A hash table with linear probing, at most half full. A key's hash is one to one.
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

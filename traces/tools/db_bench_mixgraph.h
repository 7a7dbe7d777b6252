// The distributions of db_bench's mixgraph: hot ranges of keys by a sum of two exponentials, keys
// by a power, sizes of values and lengths of scans by Pareto distributions. Source: RocksDB 7.8.3,
// tools/db_bench_tool.cc. Its powers and exponentials come from the C library; here they are
// portable, so a key may differ where rounding decides.
#pragma once

#include <cstdint>
#include <vector>

namespace lsmlab::tools {

/// The flags of mixgraph.
struct MixGraph {
  double key_a = 0;  // key_dist_a; 0: keys are uniform
  double key_b = 0;
  double range_a = 0;  // keyrange_dist_a; all four 0: keys have no hot ranges
  double range_b = 0;
  double range_c = 0;
  double range_d = 0;
  std::int64_t ranges = 1;  // at least 1
  double value_theta = 0;
  double value_k = 0.2615;
  double value_sigma = 25.45;
  double scan_theta = 0;
  double scan_k = 2.517;
  double scan_sigma = 14.236;
  double gets = 1;
  double puts = 0;
  double seeks = 0;
  std::int64_t scan_max = 10'000;
  std::int64_t value_max = 1024;
};

enum class MixKind { kGet, kPut, kSeek };

class MixGraphDraws {
 public:
  /// REQUIRES: can_draw(mix, numbers).
  MixGraphDraws(const MixGraph& mix, std::uint64_t numbers);
  /// Whether every range of keys has a key and some range is drawn.
  [[nodiscard]] static bool can_draw(const MixGraph& mix, std::uint64_t numbers);

  // All are functions of one uniform random number below `numbers`.
  /// The number of the key. db_bench computes with signs: it may be negative, as 64 bits.
  [[nodiscard]] std::uint64_t key(std::uint64_t drawn) const;
  [[nodiscard]] MixKind kind(std::uint64_t drawn) const;
  [[nodiscard]] std::uint32_t value_bytes(std::uint64_t drawn) const;
  /// The number of times that a scan moves on.
  [[nodiscard]] std::uint64_t scan_steps(std::uint64_t drawn) const;

 private:
  [[nodiscard]] double share_of(std::uint64_t drawn) const;
  void make_ranges();
  [[nodiscard]] std::uint64_t key_in_range(std::uint64_t drawn) const;

  MixGraph mix_;
  std::uint64_t numbers_;
  int gets_below_ = 0;
  int puts_below_ = 0;
  int kinds_ = 0;
  std::uint64_t range_keys_ = 0;
  std::uint64_t weights_ = 0;          // of all ranges
  std::vector<std::uint64_t> begins_;  // of the ranges, in weights
};

}  // namespace lsmlab::tools

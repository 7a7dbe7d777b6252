// The performance model of LDC's paper (Chai et al., "LDC: A Lower-Level Driven Compaction Method
// to Optimize SSD-Oriented Key-Value Stores", ICDE 2019): Sections II-B and II-C for upper-level
// driven compaction (UDC, LevelDB's), Section III-C for LDC.
//
// Theorems 2.1, 2.2, 3.1 and 3.2 give orders of growth; here their constant is 1. So amplifications
// and throughputs say how cost changes with fan-out, data and device, and which side is ahead; they
// are not estimates of one run. Equation 3 has its constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "models/theory/cost_figure.h"

namespace lsmlab {

/// Which SSTables start a merge.
enum class MergeDriver {
  kUpperLevel,  // UDC: an SSTable and what it overlaps one level down
  kLowerLevel,  // LDC: an SSTable and the slices linked to it, as many bytes as its own
};

/// The symbols of the paper's Table II.
struct LdcModelInput {
  // k: bytes of a level over those of the one above, 2 to 1024. More: fewer levels, larger merges.
  std::uint64_t fan_out = 10;
  // b. Less: shorter merges, smaller requests to the device, which the model does not charge.
  Bytes sstable_bytes{2'000'000};
  // n: in the whole tree, k b at least: with less than one full level the theorems say nothing.
  Bytes data_bytes;
  // u: SSTables of level 0, which overlap each other. More: a lookup visits more.
  std::uint64_t level0_sstables = 0;
  // c: SSTables that UDC takes down at once, 1 at least. Lazy policies take more.
  std::uint64_t picked_sstables = 1;
  // What the device does (th_w^ssd, th_r^ssd), and what of its bandwidth serves lookups while a
  // merge runs (th_read; less than it writes).
  double device_write_bytes_per_second = 0;
  double device_read_bytes_per_second = 0;
  double lookup_bytes_per_second = 0;
  // r_w: writes over all requests, 0 to 1.
  double write_share = 0.5;
  // Bloom filters spare a lookup all slices but those that hold the key, as the paper has it of
  // cached filters: LDC's reads then cost what UDC's do.
  bool filters_spare_slices = false;

  /// Every fault; empty where the model applies.
  [[nodiscard]] std::vector<std::string> validate() const;
};

/// What the model says of one input.
struct LdcModelCost {
  double levels = 0;                  // log_k(n/b)
  double write_amplification = 0;     // a_w, bytes written / user bytes: order of growth
  double read_amplification = 0;      // a_r, SSTables and slices a lookup visits: order of growth
  double write_bytes_per_second = 0;  // th_w, equation 1
  double read_bytes_per_second = 0;   // th_r, equation 1
  double bytes_per_second = 0;        // th, equation 2: both mixed
  double merge_bytes = 0;             // SSTables and slices that one merge takes
  double tail_latency_ns = 0;         // tl_w without p: a write that waits for one merge
};

/// REQUIRES: input.validate() is empty.
[[nodiscard]] LdcModelCost ldc_model_cost(const LdcModelInput& input, MergeDriver driver);

/// Equation 2: throughput of requests of which `write_share` write at one rate and the others read
/// at the other, all in one unit. REQUIRES: a share of 0 to 1, rates above 0.
[[nodiscard]] double mixed_throughput(double write_share, double write_rate, double read_rate);

/// Equation 3 without p, in nanoseconds: how long a merge of `merge_bytes` holds a write up. What
/// the write then takes in the memtable, p, is negligible to the paper. REQUIRES: the device writes
/// faster than lookups read.
[[nodiscard]] double tail_latency_ns(double merge_bytes, double device_write_bytes_per_second,
                                     double lookup_bytes_per_second);

/// Memory for the smallest and the largest key of every SSTable (after Theorem 2.2), a last one
/// that is not full included. REQUIRES: sstable_bytes > 0.
[[nodiscard]] Uint128 key_ranges_bytes(Bytes data_bytes, Bytes sstable_bytes, Bytes key_bytes);

/// Bytes that frozen SSTables hold in vain, over those of the store, at most on average (Section
/// III-D): up to half of the store is frozen, and half of that is merged already.
inline constexpr double kLdcSpaceOverheadMax = 0.25;

/// The cost as figures, in the order of LdcModelCost. REQUIRES: input.validate() is empty.
[[nodiscard]] std::vector<CostFigure> ldc_cost_figures(const LdcModelInput& input,
                                                       MergeDriver driver);

// The same as cost models of families (models/policies/cost_model.h): of LDC's, and of LevelDB's,
// the paper's UDC. Rates and times only where the run's device is known.
[[nodiscard]] std::vector<CostFigure> ldc_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> udc_model(const ModelledRun& run);

}  // namespace lsmlab

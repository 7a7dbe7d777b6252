// The performance model of the LDC paper (Chai et al., "LDC: A Lower-Level Driven Compaction Method
// to Optimize SSD-Oriented Key-Value Stores", ICDE 2019). Sections II-B and II-C model upper-level
// driven compaction (UDC, LevelDB's rules), Section III-C models LDC.
//
// Theorems 2.1, 2.2, 3.1 and 3.2 give orders of growth; here their constant is 1. So amplifications
// and throughputs show how costs change with fan-out, data and device, and which of the two is
// better. They do not estimate a single run. Equation 3 has its own constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "models/theory/cost_figure.h"

namespace lsmlab {

/// Which SSTables cause a merge.
enum class MergeDriver {
  kUpperLevel,  // UDC: an SSTable merges with those that it overlaps one level down
  kLowerLevel,  // LDC: an SSTable merges with its linked slices, which have as many bytes
};

/// The symbols are those of the paper's Table II.
struct LdcModelInput {
  // k: bytes of a level divided by those of the level above, 2 to 1024. More: fewer levels, larger
  // merges.
  std::uint64_t fan_out = 10;
  // b. Less: shorter merges, and smaller requests to the device, whose cost the model ignores.
  Bytes sstable_bytes{2'000'000};
  // n: bytes of the whole tree, at least k b. With less than one full level the theorems do not
  // apply.
  Bytes data_bytes;
  // u: SSTables of level 0, which overlap each other. More: a lookup visits more.
  std::uint64_t level0_sstables = 0;
  // c: SSTables that UDC takes down at once, at least 1. Lazy policies take more.
  std::uint64_t picked_sstables = 1;
  // The device's bandwidths (th_w^ssd, th_r^ssd), and the bandwidth that lookups use while a merge
  // runs (th_read; less than the write bandwidth).
  double device_write_bytes_per_second = 0;
  double device_read_bytes_per_second = 0;
  double lookup_bytes_per_second = 0;
  // r_w: writes divided by all requests, 0 to 1.
  double write_share = 0.5;
  // True: Bloom filters let a lookup skip all slices except those that hold the key, as the paper
  // assumes for cached filters. LDC's reads then cost as much as UDC's.
  bool filters_spare_slices = false;

  /// Returns every fault; empty if the model applies.
  [[nodiscard]] std::vector<std::string> validate() const;
};

/// The results of the model for one input.
struct LdcModelCost {
  double levels = 0;                  // log_k(n/b)
  double write_amplification = 0;     // a_w, bytes written / user bytes: order of growth
  double read_amplification = 0;      // a_r, SSTables and slices a lookup visits: order of growth
  double write_bytes_per_second = 0;  // th_w, equation 1
  double read_bytes_per_second = 0;   // th_r, equation 1
  double bytes_per_second = 0;        // th, equation 2: reads and writes mixed
  double merge_bytes = 0;             // SSTable and slice bytes that one merge reads
  double tail_latency_ns = 0;  // tl_w without p: the latency of a write that waits for one merge
};

/// REQUIRES: input.validate() is empty.
[[nodiscard]] LdcModelCost ldc_model_cost(const LdcModelInput& input, MergeDriver driver);

/// Equation 2: the throughput of mixed requests. The share `write_share` is served at write_rate,
/// the others at read_rate, all in one unit. REQUIRES: a share of 0 to 1, rates above 0.
[[nodiscard]] double mixed_throughput(double write_share, double write_rate, double read_rate);

/// Equation 3 without p, in nanoseconds: how long a merge of `merge_bytes` stalls a write. The
/// paper neglects p, the time of the write in the memtable. REQUIRES: the device writes faster than
/// lookups read.
[[nodiscard]] double tail_latency_ns(double merge_bytes, double device_write_bytes_per_second,
                                     double lookup_bytes_per_second);

/// Memory for the smallest and the largest key of every SSTable (after Theorem 2.2), including a
/// last one that is not full. REQUIRES: sstable_bytes > 0.
[[nodiscard]] Uint128 key_ranges_bytes(Bytes data_bytes, Bytes sstable_bytes, Bytes key_bytes);

/// Obsolete bytes in frozen SSTables divided by the bytes of the store: the largest average
/// (Section III-D). Up to half of the store is frozen, and half of that is already merged.
inline constexpr double kLdcSpaceOverheadMax = 0.25;

/// The cost as figures, in the order of LdcModelCost. REQUIRES: input.validate() is empty.
[[nodiscard]] std::vector<CostFigure> ldc_cost_figures(const LdcModelInput& input,
                                                       MergeDriver driver);

// The same figures as cost models of families (models/policies/cost_model.h): for LDC, and for
// LevelDB, which is the paper's UDC. They contain rates and times only if the run's device is
// known.
[[nodiscard]] std::vector<CostFigure> ldc_model(const ModelledRun& run);
[[nodiscard]] std::vector<CostFigure> udc_model(const ModelledRun& run);

}  // namespace lsmlab

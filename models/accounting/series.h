// When to sample a run so that its curves can be plotted on logarithmic and on linear axes, with a
// number of points that hardly depends on the run's length.
#pragma once

#include <cstdint>
#include <vector>

#include "models/accounting/run_result.h"

namespace lsmlab {

/// Flush numbers to sample, rising, the last one included: every one of the first 256, then about
/// 64 a decade, and 256 evenly spaced.
[[nodiscard]] std::vector<std::uint64_t> sample_points(std::uint64_t flushes);

/// The same for a run whose length is not known: evenly spaced points are thinned out as it goes
/// on, so that 256 to 512 of them stand.
class OpenEndedSamples {
 public:
  /// Whether to sample after this flush. REQUIRES: asked of every flush, in order, from 1.
  [[nodiscard]] bool wants(std::uint64_t flush);
  /// Takes out of `series`, which holds a point for every flush that was wanted, what is no longer.
  void thin(Series& series);

 private:
  std::uint64_t next_logarithmic_ = 256;
  std::uint64_t spacing_ = 1;
  std::uint64_t evenly_spaced_ = 0;
  std::vector<std::uint64_t> logarithmic_;
};

/// One point of the curves, from the counts as they stand.
[[nodiscard]] SeriesPoint series_point(const Totals& totals, const SortedRunCounts& runs,
                                       const TransientSpace& transient, std::uint64_t sorted_runs);

}  // namespace lsmlab

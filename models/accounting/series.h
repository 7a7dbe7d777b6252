// Chooses the flushes at which a run is sampled. Its curves can then be drawn on logarithmic and on
// linear axes, and the number of points hardly depends on the run's length.
#pragma once

#include <cstdint>
#include <vector>

#include "models/accounting/run_result.h"

namespace lsmlab {

/// The flush numbers to sample, in rising order: each of the first 256, then about 64 in each
/// decade, and 256 evenly spaced ones. The last flush is one of them.
[[nodiscard]] std::vector<std::uint64_t> sample_points(std::uint64_t flushes);

/// Chooses the same points for a run of unknown length. It thins out the evenly spaced points as
/// the run goes on and keeps 256 to 512 of them.
class OpenEndedSamples {
 public:
  /// Whether to sample after this flush. REQUIRES: called for every flush, in order, from 1.
  [[nodiscard]] bool wants(std::uint64_t flush);
  /// Removes the points that are no longer wanted. REQUIRES: `series` has a point for every flush
  /// for which wants() returned true, but for those that thin() removed.
  void thin(Series& series);

 private:
  std::uint64_t next_logarithmic_ = 256;
  std::uint64_t spacing_ = 1;
  std::uint64_t evenly_spaced_ = 0;
  std::vector<std::uint64_t> logarithmic_;
};

/// One point of the curves, computed from the present counts.
[[nodiscard]] SeriesPoint series_point(const Totals& totals, const SortedRunCounts& runs,
                                       const TransientSpace& transient, std::uint64_t sorted_runs);

}  // namespace lsmlab

// Counts and curves of a run at resolution `flush`. Both flush simulators fill them in.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/accounting/series.h"
#include "models/base/run_control.h"
#include "models/execution/plan_log.h"
#include "traces/workloads/flush_workload.h"

namespace lsmlab {

/// Runs of at most this many flushes record the stack after each of them.
inline constexpr std::uint64_t kSnapshotFlushesMax = 128;

struct FlushRun {
  Totals totals;
  SortedRunCounts runs;
  TransientSpace transient;
  DiskPeaks disk;  // all flushed bytes are live
  Series series;
  std::vector<StackSnapshot> stacks;
  std::vector<LevelSummary> final_levels;
  bool complete = true;

  /// Adds one point to the curves, computed from the counts so far.
  void sample(std::uint64_t sorted_runs) {
    if (!series.empty() && series.back().flushes == totals.flushes) return;
    series.push_back(series_point(totals, runs, transient, sorted_runs));
  }
};

/// Passes the workload's sizes to `take`, a batch at a time, until the end or until the run is
/// stopped. Returns whether it reached the end. Errors: the flushes add up to more than
/// kFlushedBytesMax bytes; `take` does not get that batch.
[[nodiscard]] Result<bool> feed_flushes(
    const FlushWorkload& workload, std::uint64_t seed, RunControl& control,
    const std::function<void(std::span<const std::uint64_t>)>& take);

}  // namespace lsmlab

// What both executors of flush-resolution runs share: the counts, the curves, and the run's outside
// control.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/plan_log.h"
#include "models/result.h"
#include "traces/flush_workload.h"

namespace lsmlab {

/// Seen by the thread that runs and the one that watches.
struct RunControl {
  std::atomic<std::uint64_t> flushes_done{0};
  const std::atomic<bool>* stop = nullptr;  // set: the run ends soon, with what it has
  [[nodiscard]] bool should_stop() const {
    return stop != nullptr && stop->load(std::memory_order_relaxed);
  }
};

/// Runs of at most this many flushes record the stack after each of them.
inline constexpr std::uint64_t kSnapshotFlushesMax = 128;

struct FlushRun {
  Totals totals;
  SortedRunCounts runs;
  TransientSpace transient;
  Series series;
  std::vector<StackSnapshot> stacks;
  std::vector<LevelSummary> final_levels;
  bool complete = true;

  /// One row of the curves, from the counts as they stand.
  void sample(std::uint64_t sorted_runs) {
    if (!series.flushes.empty() && series.flushes.back() == totals.flushes) return;
    const Amplification figures = amplification_of(totals, runs, transient, 1.0);
    series.flushes.push_back(totals.flushes);
    series.bytes_flushed.push_back(totals.bytes_flushed);
    series.write_flushed.push_back(figures.write_flushed);
    series.sorted_runs.push_back(sorted_runs);
    series.read_mean.push_back(figures.read_mean);
    series.space_transient.push_back(figures.space_transient);
    series.merges.push_back(totals.merges);
  }
};

/// Hands the workload's sizes to `take`, a batch at a time, until the end or until the run is
/// stopped; returns whether the end was reached. Errors: the flushes add up to more than
/// kFlushedBytesMax; that batch is not handed out.
[[nodiscard]] Result<bool> feed_flushes(
    const FlushWorkload& workload, std::uint64_t seed, RunControl& control,
    const std::function<void(std::span<const std::uint64_t>)>& take);

}  // namespace lsmlab

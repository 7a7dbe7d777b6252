#include "sim/flushes/simulate_flushes.h"

#include <fmt/format.h>

#include <chrono>

#include "models/policies/stack_policy.h"
#include "models/theory/floor.h"
#include "sim/flushes/stack_simulator.h"
#include "sim/flushes/tree_simulator.h"

namespace lsmlab {
namespace {

FloorResult floor_of(const Policy& policy, const FlushWorkload& workload, std::uint64_t seed,
                     const FlushRun& run, const RunControl& control) {
  FloorResult floor;
  const std::optional<std::uint64_t> bound = policy.depth_max();
  floor.is_policy_bound = bound.has_value();
  floor.k = bound.value_or(run.runs.max);
  const std::uint64_t flushes = run.totals.flushes;
  if (bound) floor.worst_case_bound = worst_case_bound(flushes, *bound);
  if (workload.is_uniform()) {
    floor.method = "closed form";
    floor.bytes_written = uniform_floor(flushes, floor.k) * (run.totals.bytes_flushed / flushes);
  } else if (flushes <= kFloorFlushesMax) {
    std::vector<std::uint64_t> sizes(flushes);
    workload.open(seed)->fill(sizes);
    floor.bytes_written =
        optimal_bytes_written(sizes, floor.k, [&] { return control.should_stop(); });
    floor.method = floor.bytes_written ? "dynamic program"
                                       : "none: too long for the dynamic program, or stopped";
  } else {
    floor.method =
        fmt::format("none: sizes vary and there are more than {} flushes", kFloorFlushesMax);
  }
  return floor;
}

}  // namespace

Result<RunResult> simulate_flushes(const RunSetup& setup, const FlushWorkload& workload,
                                   RunControl& control) {
  const ConfiguredPolicy& configured = setup.policy;
  const std::uint64_t seed = setup.options.seed;
  const Policy& policy = *configured.policy;
  if (policy.needs() == PolicyNeeds::kKeys) return needs_keys_error(configured);
  if (!configured.store_options_given.empty()) {
    return store_option_error(configured);
  }
  if (!configured.file_options_given.empty()) return file_option_error(configured);
  const auto begin = std::chrono::steady_clock::now();
  const StackPolicy* stack_policy = policy.as_stack_policy();
  auto run = stack_policy != nullptr && !setup.log
                 ? simulate_stack(*stack_policy, workload, seed, control)
                 : simulate_tree(policy, workload, seed, setup.log, control);
  if (!run) return std::move(run).error();
  RunResult result;
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.source = "simulator";
  result.policy = configured.name;
  result.policy_family = configured.family;
  result.policy_label = configured.label;
  result.policy_options = configured.options;
  result.workload = "flushes";
  result.workload_options = workload.options();
  result.mode = "stepped";
  result.resolution = "flush";
  result.seed = seed;
  FlushRun& flush_run = run.value();
  result.complete = flush_run.complete;
  // The lower bound is for schedules that keep all data.
  if (flush_run.totals.flushes > 0 && flush_run.totals.drops == 0) {
    result.floor = floor_of(policy, workload, seed, flush_run, control);
  }
  result.totals = flush_run.totals;
  // Of a workload of flush sizes, which has no entries.
  if (configured.store.writes_log) result.totals.wal_bytes_written = flush_run.totals.user_bytes;
  result.runs = flush_run.runs;
  result.transient = flush_run.transient;
  result.disk = flush_run.disk;
  const Uint128 stored_bytes = flush_run.totals.bytes_flushed - flush_run.totals.bytes_dropped;
  result.disk.observe(stored_bytes, stored_bytes);
  result.series = std::move(flush_run.series);
  result.stacks = std::move(flush_run.stacks);
  result.final_levels = std::move(flush_run.final_levels);
  return result;
}

}  // namespace lsmlab

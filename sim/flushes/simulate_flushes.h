// One simulated run at flush resolution, from policy and workload to result.
#pragma once

#include "models/accounting/run_result.h"
#include "models/policies/registry.h"
#include "sim/flushes/flush_run.h"
#include "traces/workloads/flush_workload.h"

namespace lsmlab {

struct SimulateOptions {
  std::uint64_t seed = 1;
  PlanLogSink log;  // where given, every plan goes through the general tree
};

/// For a policy that decides by key ranges.
[[nodiscard]] Error needs_keys_error(const std::string& policy_name);

/// Errors: a policy that needs keys; flushes of more than 2^63 bytes in all.
/// A run that was stopped from outside yields a result with `complete` false.
[[nodiscard]] Result<RunResult> simulate_flushes(const ConfiguredPolicy& policy,
                                                 const FlushWorkload& workload,
                                                 const SimulateOptions& options,
                                                 RunControl& control);

}  // namespace lsmlab

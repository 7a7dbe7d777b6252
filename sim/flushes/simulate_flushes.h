// Simulates one run at resolution `flush`, from policy and workload to result.
#pragma once

#include "models/accounting/run_result.h"
#include "models/execution/run_setup.h"
#include "sim/flushes/flush_run.h"
#include "traces/workloads/flush_workload.h"

namespace lsmlab {

/// Uses the policy, the seed and the log of the setup. A run with a log uses the general simulator.
/// A run that was stopped from outside yields a result with `complete` false. Errors: the policy
/// needs keys; a store option is given; the flushes add up to more than 2^63 bytes.
[[nodiscard]] Result<RunResult> simulate_flushes(const RunSetup& setup,
                                                 const FlushWorkload& workload,
                                                 RunControl& control);

}  // namespace lsmlab

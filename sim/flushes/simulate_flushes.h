// One simulated run at flush resolution, from policy and workload to result.
#pragma once

#include "models/accounting/run_result.h"
#include "models/execution/run_setup.h"
#include "sim/flushes/flush_run.h"
#include "traces/workloads/flush_workload.h"

namespace lsmlab {

/// Of the setup, the policy, the seed and the log count. Where a log is given, every plan goes
/// through the general tree. Errors: a policy that needs keys; flushes of more than 2^63 bytes in
/// all. A run that was stopped from outside yields a result with `complete` false.
[[nodiscard]] Result<RunResult> simulate_flushes(const RunSetup& setup,
                                                 const FlushWorkload& workload,
                                                 RunControl& control);

}  // namespace lsmlab

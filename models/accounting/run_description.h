// A result says what its run was: policy, workload, seed, source.
#pragma once

#include "models/accounting/run_result.h"
#include "models/execution/run_setup.h"

namespace lsmlab {

/// Of a run that knows keys: all that the setup tells. Mode, device and figures are the executor's.
void describe_run(const RunSetup& run, RunResult& result);

}  // namespace lsmlab

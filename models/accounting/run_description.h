// Fills in what a result says about its run: policy, workload, seed, source.
#pragma once

#include "models/accounting/run_result.h"
#include "models/execution/run_setup.h"

namespace lsmlab {

/// Copies everything that the setup knows of a run at resolution `key`. The executor adds mode,
/// device and figures.
void describe_run(const RunSetup& run, RunResult& result);

}  // namespace lsmlab

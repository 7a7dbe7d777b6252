// Runs a simulation at resolution `key`: applies operations to a store with a policy, and returns a
// result.
#pragma once

#include <chrono>

#include "models/accounting/run_result.h"
#include "models/base/run_control.h"
#include "models/execution/run_setup.h"
#include "models/execution/store_observer.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

/// Writes into the result what was simulated, with or without a clock, and how long it took since
/// `begin`.
void describe_key_run(const RunSetup& setup, std::chrono::steady_clock::time_point begin,
                      RunResult& result);

/// `observer` may be null. Errors: those of the source (a damaged trace); more writes or pairs of
/// sizes than a run may hold. If the run was stopped from outside, `complete` of the result is
/// false and the memtable is not flushed.
[[nodiscard]] Result<RunResult> simulate_keys(const RunSetup& setup, OperationSource& source,
                                              RunControl& control,
                                              StoreObserver* observer = nullptr);

}  // namespace lsmlab

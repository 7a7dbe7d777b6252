// One simulated run at resolution `key`: operations through a policy, to a result.
#pragma once

#include <chrono>

#include "models/accounting/run_result.h"
#include "models/base/run_control.h"
#include "models/execution/run_setup.h"
#include "models/execution/store_observer.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

/// What a simulated run was, with a clock or without, and how long it took since `begin`.
void describe_key_run(const RunSetup& setup, std::chrono::steady_clock::time_point begin,
                      RunResult& result);

/// `observer` may be null. Errors: the source's (a damaged trace), more writes or different sizes
/// than a run may hold. A run that was stopped from outside yields a result with `complete` false,
/// its memtable not flushed.
[[nodiscard]] Result<RunResult> simulate_keys(const RunSetup& setup, OperationSource& source,
                                              RunControl& control,
                                              StoreObserver* observer = nullptr);

}  // namespace lsmlab

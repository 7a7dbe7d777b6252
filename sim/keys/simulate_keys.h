// One simulated run at resolution `key`: operations through a policy, to a result.
#pragma once

#include <chrono>
#include <string>

#include "models/accounting/run_result.h"
#include "models/base/run_control.h"
#include "models/execution/plan_log.h"
#include "models/execution/store_observer.h"
#include "models/policies/registry.h"
#include "traces/workloads/operation.h"

namespace lsmlab {

struct KeyRunOptions {
  std::uint64_t seed = 1;            // of the workload, for the result
  std::string workload;              // its name
  ResolvedOptions workload_options;  // its values, for the result
  bool final_flush = true;           // flush what is left in the memtable at the end, and settle
  PlanLogSink log;                   // may be empty
  StoreObserver* observer = nullptr;
};

/// What a run at this resolution was of, with a clock or without, and how long it took since
/// `begin`.
void describe_key_run(const ConfiguredPolicy& policy, const KeyRunOptions& options,
                      std::chrono::steady_clock::time_point begin, RunResult& result);

/// Errors: the source's (a damaged trace), more writes or different sizes than a run may hold.
/// A run that was stopped from outside yields a result with `complete` false, its memtable not
/// flushed.
[[nodiscard]] Result<RunResult> simulate_keys(const ConfiguredPolicy& policy,
                                              OperationSource& source, const KeyRunOptions& options,
                                              RunControl& control);

}  // namespace lsmlab

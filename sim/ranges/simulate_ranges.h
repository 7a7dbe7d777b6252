// Runs a simulation at resolution `range`: keys are known by their density, so that a run's cost
// does not depend on the number of entries.
#pragma once

#include <cstdint>

#include "models/accounting/run_result.h"
#include "models/base/run_control.h"
#include "models/execution/run_setup.h"
#include "sim/ranges/range_sizes.h"
#include "traces/workloads/flush_workload.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// Errors: the policy or its store has an option that needs single keys.
[[nodiscard]] Result<void> check_range_policy(const ConfiguredPolicy& policy);
/// Errors: those, or the workload is one that this resolution does not know. With a clock it knows
/// less.
[[nodiscard]] Result<void> check_ranges(const ConfiguredPolicy& policy,
                                        const OperationWorkload& workload, bool has_clock);

/// Errors: check_ranges() found a fault; with a starting tree, keys that are not inserted uniformly
/// or whose classes change.
[[nodiscard]] Result<void> check_setup(const RunSetup& setup, const OperationWorkload& workload,
                                       bool has_clock);

/// The mean sizes of the workload's keys and values, and what they charge to the store's memtable.
/// REQUIRES: check_ranges() found no fault.
[[nodiscard]] RangeSizes range_sizes_of(const StoreOptions& store,
                                        const OperationWorkload& workload);

/// Errors: those of check_ranges(). If the run was stopped from outside, `complete` of the result
/// is false.
[[nodiscard]] Result<RunResult> simulate_ranges(const RunSetup& setup,
                                                const OperationWorkload& workload,
                                                RunControl& control);

/// The same for flushes of given sizes: their entries have unique keys, uniform over the key space,
/// and sizes of files are sums of bytes, as at resolution `flush`. Errors: the policy has options
/// of the store, whose sizes the workload gives.
[[nodiscard]] Result<RunResult> simulate_ranges(const RunSetup& setup,
                                                const FlushWorkload& workload, RunControl& control);

}  // namespace lsmlab

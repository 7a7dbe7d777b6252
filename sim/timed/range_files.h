// The memtables and files of a store with a clock at resolution `range`.
#pragma once

#include <memory>

#include "models/execution/run_setup.h"
#include "sim/timed/timed_files.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// The operations must be those of RangeOperations. Errors: those of check_ranges(). REQUIRES:
/// setup and workload outlive the files.
[[nodiscard]] Result<std::unique_ptr<TimedFiles>> make_range_files(
    const RunSetup& setup, const OperationWorkload& workload);

}  // namespace lsmlab

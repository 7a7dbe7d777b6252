// A plan of db_bench as phases of lsmlab's own workloads, for resolution `range`. There keys are
// not drawn one by one: random puts with repetition become so many inserts and updates as are
// expected.
#pragma once

#include "models/base/error.h"
#include "traces/tools/db_bench_plan.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab::tools {

/// The phases. The numbers of reads and writes are exact. The number of different keys is the
/// expected one after every sixteenth of a benchmark or less. Errors: what has no such form, in
/// words that follow "does not know".
[[nodiscard]] Result<OperationWorkload> model_of(const DbBenchPlan& plan);

}  // namespace lsmlab::tools

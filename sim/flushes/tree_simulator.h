// The general flush simulator. It runs any policy that needs only sizes through Policy::pick and
// TreeState, as the engine does, and writes the plan log. A file is a size and covers all keys.
#pragma once

#include "models/policies/policy.h"
#include "sim/flushes/flush_run.h"
#include "traces/workloads/flush_workload.h"

namespace lsmlab {

/// An empty `log` means that nothing is logged. Errors: the flushes add up to more than 2^63 bytes.
/// REQUIRES: policy.needs() == PolicyNeeds::kSizes.
[[nodiscard]] Result<FlushRun> simulate_tree(const Policy& policy, const FlushWorkload& workload,
                                             std::uint64_t seed, const PlanLogSink& log,
                                             RunControl& control);

}  // namespace lsmlab

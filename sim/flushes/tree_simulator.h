// The general executor at flush resolution: any policy that needs sizes only, through Policy::pick
// and TreeState, as the engine will run it; writes the plan log. A file is a size; it covers all
// keys.
#pragma once

#include "models/policies/policy.h"
#include "sim/flushes/flush_run.h"
#include "traces/workloads/flush_workload.h"

namespace lsmlab {

/// `log` may be empty. Errors: the flushes add up to more than 2^63 bytes.
/// REQUIRES: policy.needs() == PolicyNeeds::kSizes.
[[nodiscard]] Result<FlushRun> simulate_tree(const Policy& policy, const FlushWorkload& workload,
                                             std::uint64_t seed, const PlanLogSink& log,
                                             RunControl& control);

}  // namespace lsmlab

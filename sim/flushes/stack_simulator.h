// The fast executor at flush resolution: a stack-based policy's own rule over a compact stack, O(1)
// to O(k) a flush, memory for the stack and the curves only. It does the same as tree_simulator.h
// does on the general tree; the tests hold the two together.
#pragma once

#include "models/policies/stack_policy.h"
#include "sim/flushes/flush_run.h"
#include "traces/workloads/flush_workload.h"

namespace lsmlab {

/// Errors: the flushes add up to more than 2^63 bytes.
[[nodiscard]] Result<FlushRun> simulate_stack(const StackPolicy& policy,
                                              const FlushWorkload& workload, std::uint64_t seed,
                                              RunControl& control);

}  // namespace lsmlab

// The fast flush simulator. It applies a stack-based policy's own rule to a compact stack, in O(1)
// to O(k) for each flush, and needs memory for the stack and the curves only. Tests check that it
// does the same as tree_simulator.h does on the general tree.
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

// Runs that go on from a user's store: they begin with the tree that its own policy made.
#pragma once

#include <memory>
#include <string>

#include "models/execution/starting_tree.h"
#include "validate/catalog/run_spec.h"

namespace lsmlab {

/// Whether the policy opens the trees that today's policy makes. `levels` may still be too few.
[[nodiscard]] bool opens_trees_of(const std::string& policy, const std::string& today);

/// Lets a run of operations begin with the tree, which the policy named `today` made; the workload
/// then loads as many records as the tree has, and the run has no parts. False, with the run as it
/// was, if its policy cannot go on from that tree.
[[nodiscard]] bool begin_with(const std::shared_ptr<const StartingTree>& start,
                              const std::string& today, ResolvedRun& run);

}  // namespace lsmlab

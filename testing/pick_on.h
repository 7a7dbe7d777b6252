// The plan of a policy for a tree that was built by hand.
#pragma once

#include <optional>

#include "models/policies/policy.h"
#include "models/tree/tree.h"

namespace lsmlab::testing {

/// The tree of an executor keeps the policy's orderings all the time. This copy has them now.
[[nodiscard]] inline std::optional<Plan> pick_on(const Policy& policy, TreeState tree) {
  tree.keep(policy.orderings());
  return policy.pick(tree);
}

}  // namespace lsmlab::testing

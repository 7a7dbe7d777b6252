#include "models/policies/policy.h"

namespace lsmlab {

std::uint64_t Policy::stalling_runs(const TreeView& tree) const {
  if (as_stack_policy() != nullptr || tree.levels().empty()) return 0;
  return tree.levels()[0].runs.size();
}

}  // namespace lsmlab

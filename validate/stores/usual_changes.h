// Changes of options that are worth trying in any store of a system.
#pragma once

#include <string>
#include <vector>

#include "validate/stores/what_if.h"

namespace lsmlab {

/// Changes worth trying for the policy of a store: of the memtable, the level sizes, the triggers,
/// and another kind of merging. Each is one that the store's system has; none is as it is today.
[[nodiscard]] std::vector<std::string> usual_changes(const StoreCase& asked);

}  // namespace lsmlab

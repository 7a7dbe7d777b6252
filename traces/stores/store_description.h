// The store description: what a simulation needs to predict a user's store, as JSON
// (docs/inspect.md). For each column family: a policy SPEC of lsmlab, the tree, the workload as far
// as it is known, compression, and the options that lsmlab does not model. A value that the files
// do not state has a member "guess" beside it, which says why.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "traces/stores/store_figures.h"
#include "traces/stores/store_reading.h"

namespace lsmlab::stores {

[[nodiscard]] nlohmann::ordered_json describe(const Store& store,
                                              const std::vector<FamilyFigures>& families);

}  // namespace lsmlab::stores

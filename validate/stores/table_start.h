// The trees of a store of which a table of statistics alone is known, where its history is short
// beside what the store holds: loading as much would take far longer than the history, and would
// move what the history did not.
#pragma once

#include "traces/stores/store_figures.h"
#include "traces/stores/store_workload.h"
#include "validate/stores/store_start.h"

namespace lsmlab {

/// Today's tree, and the one with which the history began: of each level, today's bytes less what
/// came in, plus what merges and moves took out. Both null: the history is not short, or files came
/// from the user or hold values elsewhere, so that a level's bytes do not add up.
[[nodiscard]] StoreStarts starts_of_table(const stores::FamilyFigures& figures,
                                          const stores::StoreWorkload& workload);

}  // namespace lsmlab

// Guesses LevelDB's policy and memtable from its files.
#pragma once

#include "traces/stores/policy_spec.h"

namespace lsmlab::stores {

/// `tree` may be null.
[[nodiscard]] PolicySpec leveldb_spec(const FamilyFigures& figures, const FamilyTree* tree);

}  // namespace lsmlab::stores

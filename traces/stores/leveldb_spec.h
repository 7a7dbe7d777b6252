// Guesses LevelDB's policy and memtable from its files.
#pragma once

#include <cstdint>

#include "traces/stores/policy_spec.h"

namespace lsmlab::stores {

[[nodiscard]] PolicySpec leveldb_spec(const FamilyFigures& figures, const Store& store);

/// The target of level 1, in MiB: LevelDB's, or that of goleveldb (leveldb/opt/options.go), whose
/// table of statistics has a heading of its own.
[[nodiscard]] std::uint64_t leveldb_base_mebibytes(const Store& store);

}  // namespace lsmlab::stores

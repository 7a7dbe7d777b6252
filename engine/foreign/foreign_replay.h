// Replays operations on RocksDB or LevelDB.
#pragma once

#include <string>

#include "engine/foreign/foreign_store.h"
#include "engine/replay/engine_replay.h"

namespace lsmlab::engine {

/// How the books of other stores are kept; results that were kept otherwise are of the past.
inline constexpr int kForeignBooksVersion = 3;

/// Errors: the build has no such store; the policy is not one of its own; an option that it does
/// not have; table_format is not the store's. REQUIRES: `source` is kRocksdb or kLeveldb.
[[nodiscard]] Result<void> check_foreign(RunSource source, const ConfiguredPolicy& policy);

/// Replays on the store that the run's options name as its source, in a directory that is new or
/// empty. The result has the same form as that of lsmlab's engine. Errors: those of replay(),
/// check_foreign() and the store. REQUIRES: the source is kRocksdb or kLeveldb.
[[nodiscard]] Result<RunResult> replay_foreign(const RunSetup& run, const std::string& directory,
                                               OperationSource& operations, RunControl& control);

}  // namespace lsmlab::engine

// Replays operations on RocksDB or LevelDB.
#pragma once

#include <string>

#include "engine/foreign/foreign_store.h"
#include "engine/replay/engine_replay.h"

namespace lsmlab::engine {

/// The version of how the ledger of another store is kept. A kept result of another version is not
/// reused.
inline constexpr int kForeignLedgerVersion = 3;

/// Errors: lsmlab was built without the store; the store does not have this policy or one of its
/// options; table_format is not the store's. REQUIRES: `source` is kRocksdb or kLeveldb.
[[nodiscard]] Result<void> check_foreign(RunSource source, const ConfiguredPolicy& policy);

/// Replays operations on the store that the run's options name as source, in a new or empty
/// directory. The result has the same form as one of lsmlab's engine. Errors: those of replay(),
/// check_foreign() and the store. REQUIRES: the source is kRocksdb or kLeveldb.
[[nodiscard]] Result<RunResult> replay_foreign(const RunSetup& run, const std::string& directory,
                                               OperationSource& operations, RunControl& control);

}  // namespace lsmlab::engine

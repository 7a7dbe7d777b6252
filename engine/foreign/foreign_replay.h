// Replays operations on RocksDB or LevelDB.
#pragma once

#include <string>

#include "engine/foreign/foreign_store.h"
#include "engine/replay/engine_replay.h"

namespace lsmlab::engine {

enum class ForeignKind { kRocksdb, kLeveldb };

/// How the books of other stores are kept; results that were kept otherwise are of the past.
inline constexpr int kForeignBooksVersion = 3;

/// Errors: the build has no such store; the policy is not one of its own; an option that it does
/// not have; table_format is not the store's.
[[nodiscard]] Result<void> check_foreign(ForeignKind kind, const ConfiguredPolicy& policy);

/// A result of the same form as our engine's, its source "rocksdb" or "leveldb"; plans go to `log`,
/// which may be empty. `options.verify` is not for these. Errors: as replay() and the store's
/// open have.
[[nodiscard]] Result<RunResult> replay_foreign(ForeignKind kind, ForeignSetup setup,
                                               PlanLogSink log, OperationSource& source,
                                               const ReplayOptions& options, RunControl& control);

}  // namespace lsmlab::engine

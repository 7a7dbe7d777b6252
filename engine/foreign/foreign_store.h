// RocksDB and LevelDB as stores on which operations are replayed. Each is available if it was
// installed when lsmlab was built.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/files/file_system.h"
#include "engine/foreign/foreign_ledger.h"
#include "engine/replay/replay_run.h"
#include "models/execution/run_setup.h"

namespace lsmlab::engine {

/// The run for which a store is opened.
struct ForeignSetup {
  // The store gets the options of the run's policy. In a stepped run a flush waits until the store
  // has nothing left to compact. Must outlive the store.
  const RunSetup& run;
  std::string directory;
  const std::atomic<bool>* stop = nullptr;  // true: no call waits any more
};

struct BytesWritten {
  WriteKind kind;
  Uint128 bytes;
};

class ForeignStore : public ReplayTarget {
 public:
  /// Waits until no flush or compaction runs or is due.
  [[nodiscard]] virtual Result<void> settle() = 0;
  /// Merges what the scope names, as the store does on command, after the merges that are due.
  [[nodiscard]] virtual Result<void> compact(ManualScope scope) = 0;
  /// A flush waits for compactions too, because a store may not tell them apart.
  [[nodiscard]] Result<void> end_part(PartEnd asked) final {
    if (asked == PartEnd::kFlush) return flush();
    if (asked == PartEnd::kSettle) return settle();
    if (const auto scope = manual_scope_of(asked)) return compact(*scope);
    return success();
  }
  /// Reads all entries and returns their key and value bytes. REQUIRES: no job runs.
  [[nodiscard]] virtual Result<std::uint64_t> live_bytes() = 0;
  /// Bytes written, by kind. The store or a layer below it counts them.
  [[nodiscard]] virtual std::vector<BytesWritten> bytes_by_kind() = 0;
  /// Time that writers were stalled, by reason; nothing if the store does not report it.
  [[nodiscard]] virtual std::optional<std::vector<StallFigures>> stalls() { return std::nullopt; }
  [[nodiscard]] virtual Result<void> close() = 0;
};

/// Errors: lsmlab was built without the store; the store does not have this policy or one of its
/// options.
[[nodiscard]] Result<void> check_rocksdb(const ConfiguredPolicy& policy);
[[nodiscard]] Result<void> check_leveldb(const ConfiguredPolicy& policy);

/// Errors: as above, and those of the store. The ledger must outlive the store.
[[nodiscard]] Result<std::unique_ptr<ForeignStore>> open_rocksdb(const ForeignSetup& setup,
                                                                 ForeignLedger& ledger);
[[nodiscard]] Result<std::unique_ptr<ForeignStore>> open_leveldb(const ForeignSetup& setup,
                                                                 ForeignLedger& ledger);

/// "7.8.3"; empty if lsmlab was built without the store.
[[nodiscard]] std::string rocksdb_version();
[[nodiscard]] std::string leveldb_version();

}  // namespace lsmlab::engine

// RocksDB and LevelDB, where they were there when lsmlab was built, as stores that operations are
// replayed on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/foreign/book.h"
#include "engine/replay/replay_run.h"
#include "models/execution/run_setup.h"

namespace lsmlab::engine {

/// What a store is opened for.
struct ForeignSetup {
  // The store gets the options of its policy. In a stepped run a flush waits until nothing is left
  // to compact. Must outlive the store.
  const RunSetup& run;
  std::string directory;
  const std::atomic<bool>* stop = nullptr;  // set: nothing is waited for any more
};

class ForeignStore : public ReplayTarget {
 public:
  /// Waits until nothing runs or is wanted.
  [[nodiscard]] virtual Result<void> settle() = 0;
  /// Nothing may run any more. Reads everything, for the space that live entries take.
  [[nodiscard]] virtual Result<std::uint64_t> live_bytes() = 0;
  /// Bytes written, by kind ("wal", "flush", "merge", "manifest", "other"), as the store counts
  /// them or a layer under it.
  [[nodiscard]] virtual std::vector<std::pair<std::string, Uint128>> bytes_by_kind() = 0;
  /// Time that writers were held up, by reason; nothing where the store does not tell.
  [[nodiscard]] virtual std::optional<std::vector<StallFigures>> stalls() { return std::nullopt; }
  [[nodiscard]] virtual Result<void> close() = 0;
};

/// Errors: the build has no such store; a policy that is not its own; an option that it does not
/// have.
[[nodiscard]] Result<void> check_rocksdb(const ConfiguredPolicy& policy);
[[nodiscard]] Result<void> check_leveldb(const ConfiguredPolicy& policy);

/// Errors: those, and what the store reports. The book must outlive the store.
[[nodiscard]] Result<std::unique_ptr<ForeignStore>> open_rocksdb(const ForeignSetup& setup,
                                                                 ForeignBook& book);
[[nodiscard]] Result<std::unique_ptr<ForeignStore>> open_leveldb(const ForeignSetup& setup,
                                                                 ForeignBook& book);

/// "7.8.3"; empty where the build has none.
[[nodiscard]] std::string rocksdb_version();
[[nodiscard]] std::string leveldb_version();

}  // namespace lsmlab::engine

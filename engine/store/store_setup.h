// The options for opening a store, and the report of what opening found.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/files/file_system.h"
#include "engine/logs/log_survey.h"
#include "engine/sstable/block_cache.h"
#include "models/base/units.h"
#include "models/execution/plan_log.h"
#include "models/execution/run_setup.h"
#include "models/execution/store_observer.h"
#include "models/execution/write_stall.h"
#include "models/policies/registry.h"

namespace lsmlab::engine {

enum class StoreMode {
  // For one client thread. The writer flushes a full memtable itself and executes every plan that
  // the policy then wants, before the next operation. Timing has no influence, so plan logs can be
  // compared.
  kStepped,
  // A flush thread and merge threads work concurrently with the clients.
  kThreaded,
};

/// Starts a thread that runs `work`. Throws what std::thread throws if the system cannot start a
/// thread.
using StartThread = std::function<std::thread(std::function<void()> work)>;

/// Unlike a run, a store is durable unless it is told otherwise.
struct StoreSetup : WritingOptions {
  StoreSetup() {
    sync = SyncRule::kEveryBatch;
    sync_files = true;
    wal_buffer = Bytes(0);
  }

  ConfiguredPolicy policy;
  FileSystem* files = nullptr;  // must outlive the store
  StoreMode mode = StoreMode::kStepped;
  std::string key_prefix = {};           // which most keys share (key_window.h)
  std::uint64_t open_tables_max = 4096;  // at most half of FileSystem::open_files_max() anyway
  Bytes read_ahead{256 << 10};           // of a merge, per input run
  // The store begins a new manifest when the current one exceeds this plus twice the bytes of
  // its snapshot. More: opening takes longer, but fewer snapshots of the tree are written.
  Bytes manifest_bytes_max{4 << 20};
  bool create_if_missing = true;
  RecoveryMode recovery = RecoveryMode::kTolerateTornTail;
  StallRules stalls = {};                   // threaded mode
  PlanLogSink log = {};                     // called under the store's lock
  StoreObserver* observer = nullptr;        // stepped mode only
  const std::atomic<bool>* stop = nullptr;  // when true, the store starts no more plans
  // Threaded mode. Lets the caller give threads names, priorities or cores. Empty: std::thread.
  StartThread start_thread = {};

  /// All faults of the setup; empty if it is valid.
  [[nodiscard]] std::vector<std::string> validate() const;
};

/// What opening a store found and did.
struct RecoveryReport {
  bool is_new = false;
  std::uint64_t manifest_edits = 0;
  std::uint64_t manifest_dropped_bytes = 0;  // an incomplete edit at the manifest's end
  std::uint64_t logs = 0;
  std::uint64_t batches = 0;  // recovered from logs, not yet in files
  std::uint64_t entries = 0;
  // Bytes in torn or damaged ends of logs and behind them, and the whole batches among them.
  std::uint64_t log_dropped_bytes = 0;
  std::uint64_t log_dropped_batches = 0;
  std::vector<std::string> logs_set_aside;  // paths under which damaged logs are kept
  std::uint64_t files_removed = 0;          // files that the store does not use
};

}  // namespace lsmlab::engine

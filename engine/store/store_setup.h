// How a store is opened.
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
  // The writer flushes a full memtable itself, and does everything that the policy then wants
  // before it goes on: no timing dependence, so that plan logs can be compared. For one client
  // thread.
  kStepped,
  // A flush thread and merge threads work beside the clients.
  kThreaded,
};

/// Starts a thread that does `work`. Throws what std::thread does where there is none to be had.
using StartThread = std::function<std::thread(std::function<void()> work)>;

struct StoreSetup {
  ConfiguredPolicy policy;
  FileSystem* files = nullptr;  // must outlive the store
  StoreMode mode = StoreMode::kStepped;
  // Threaded mode. More: more merges at a time, where they have different target levels.
  unsigned merge_threads = 1;
  SyncRule sync = SyncRule::kEveryBatch;
  Bytes sync_bytes{1 << 20};  // for kEveryBytes
  // SSTables, manifest and directory are made durable before an edit counts. Without (kNever only),
  // a power cut may leave a directory that does not open; a killed process does no harm.
  bool sync_files = true;
  // Log bytes gathered before a write to the file; a killed process loses what is gathered.
  // Only with kNever and kEveryBytes.
  Bytes wal_buffer{0};
  Compression compression = Compression::kNone;
  bool direct_io = false;                // SSTables are read and written around the page cache
  std::string key_prefix = {};           // that keys are expected to share (key_window.h)
  std::uint64_t open_tables_max = 4096;  // and at most half of FileSystem::open_files_max()
  Bytes read_ahead{256 << 10};           // of a merge, for each input run
  // A manifest with this many bytes that has grown fourfold is begun anew. More: a longer opening,
  // fewer snapshots of the tree written.
  Bytes manifest_bytes_max{4 << 20};
  bool create_if_missing = true;
  RecoveryMode recovery = RecoveryMode::kTolerateTornTail;
  StallRules stalls = {};                   // threaded mode
  PlanLogSink log = {};                     // called under the store's lock
  StoreObserver* observer = nullptr;        // stepped mode only
  const std::atomic<bool>* stop = nullptr;  // set: what the policy still wants is left undone
  // Threaded mode: for threads with names, priorities or cores of their own. Empty: std::thread.
  StartThread start_thread = {};

  /// Every fault.
  [[nodiscard]] std::vector<std::string> validate() const;
};

/// What opening found and did.
struct RecoveryReport {
  bool is_new = false;
  std::uint64_t manifest_edits = 0;
  std::uint64_t manifest_dropped_bytes = 0;  // a torn edit at its end
  std::uint64_t logs = 0;
  std::uint64_t batches = 0;  // of logs, that were not in files yet
  std::uint64_t entries = 0;
  // Torn or damaged ends of logs, and what stood behind; whole batches among it:
  std::uint64_t log_dropped_bytes = 0;
  std::uint64_t log_dropped_batches = 0;
  std::vector<std::string> logs_set_aside;  // paths under which damaged logs are kept
  std::uint64_t files_removed = 0;          // that nothing refers to
};

}  // namespace lsmlab::engine

// What a run is, as every executor is told it: the simulators, the replay on lsmlab's engine and
// the replays on other stores. Nothing here is a name to look up: validate/catalog/run_spec.h makes
// a RunSetup of what a user asks for. The operations of the run are a stream and come apart from
// it.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/options.h"
#include "models/base/units.h"
#include "models/execution/plan_log.h"
#include "models/execution/write_stall.h"
#include "models/policies/registry.h"

namespace lsmlab {

/// Who executes a run.
enum class RunSource { kSimulator, kEngine, kRocksdb, kLeveldb };
/// As results and experiments have it: "simulator", "engine", "rocksdb", "leveldb".
[[nodiscard]] const char* run_source_name(RunSource source);

/// When a write batch is durable.
enum class SyncRule {
  kNever,       // when the system writes it; a power cut may lose the newest writes
  kEveryBatch,  // before write() returns; concurrent batches share one sync
  kEveryBytes,  // after so many logged bytes; the simulators have no such rule
};

/// What a user chooses by a number or a word, the same before and after names are looked up.
struct RunOptions {
  RunSource source = RunSource::kSimulator;
  // A flush waits until the policy wants nothing more, so that nothing depends on time. Otherwise
  // flushes and merges run beside the clients: on a simulated clock, or on threads.
  bool is_stepped = true;
  std::uint64_t seed = 1;
  bool final_flush = true;  // the memtable is flushed after the last operation, and merges settle
  unsigned merge_threads = 1;  // merges at a time, where the run is not stepped
  SyncRule sync = SyncRule::kNever;
  Bytes sync_bytes{1 << 20};   // for kEveryBytes
  bool sync_files = false;     // SSTables are durable before their edit counts
  Bytes wal_buffer{64 << 10};  // log bytes gathered before a write to the file

  /// Log bytes that are gathered under the sync rule: none where each batch is synced.
  [[nodiscard]] Bytes gathered_wal_bytes() const {
    return sync == SyncRule::kEveryBatch ? Bytes(0) : wal_buffer;
  }
};

struct RunSetup {
  ConfiguredPolicy policy;
  RunOptions options = {};
  std::string workload = {};              // its name, for the result
  ResolvedOptions workload_options = {};  // its values, for the result
  StallRules stalls = {};                 // where the run is not stepped
  PlanLogSink log = {};                   // may be empty
};

/// A run of the policy with default options and the stall rules of the policy's system.
[[nodiscard]] RunSetup default_setup(ConfiguredPolicy policy);

/// For a policy that decides by key ranges, on a workload of flush sizes.
[[nodiscard]] Error needs_keys_error(const std::string& policy_name);

}  // namespace lsmlab

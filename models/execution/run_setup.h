// What every executor is told about a run: the simulators, the replay on lsmlab's engine, and the
// replays on other stores. Nothing here is a name that must be looked up:
// validate/catalog/run_spec.h makes a RunSetup from what a user asks for. The operations of the run
// are not part of it: they come separately, as a stream.
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
/// The name in results and experiments: "simulator", "engine", "rocksdb", "leveldb".
[[nodiscard]] const char* run_source_name(RunSource source);

/// When a write batch is durable.
enum class SyncRule {
  kNever,       // when the operating system writes it; a power cut may lose the newest writes
  kEveryBatch,  // before write() returns; concurrent batches share one sync
  kEveryBytes,  // after each sync_bytes of log; the simulators do not support this rule
};

/// What a user chooses by a number or a word. It needs no look-up of names.
struct RunOptions {
  RunSource source = RunSource::kSimulator;
  // True: after each flush all plans run before the next operation, so timing has no influence.
  // False: flushes and merges run concurrently with the clients, on a simulated clock or in
  // threads.
  bool is_stepped = true;
  std::uint64_t seed = 1;
  // flush the memtable after the last operation, and run merges until none is due
  bool final_flush = true;
  unsigned merge_threads = 1;  // concurrent merges, if the run is not stepped
  SyncRule sync = SyncRule::kNever;
  Bytes sync_bytes{1 << 20};   // for kEveryBytes
  bool sync_files = false;     // true: SSTables are durable before their edit is applied
  Bytes wal_buffer{64 << 10};  // log bytes that are collected before a write to the file

  /// Log bytes that the engine collects before a write: none if each batch is synced.
  [[nodiscard]] Bytes gathered_wal_bytes() const {
    return sync == SyncRule::kEveryBatch ? Bytes(0) : wal_buffer;
  }
};

struct RunSetup {
  ConfiguredPolicy policy;
  RunOptions options = {};
  std::string workload = {};              // name, for the result
  ResolvedOptions workload_options = {};  // option values, for the result
  StallRules stalls = {};                 // used if the run is not stepped
  PlanLogSink log = {};                   // may be empty
};

/// The setup of a run with default options and the stall rules of the policy's family.
[[nodiscard]] RunSetup default_setup(ConfiguredPolicy policy);

/// The error for a policy that needs key ranges on a workload of flush sizes.
[[nodiscard]] Error needs_keys_error(const std::string& policy_name);

}  // namespace lsmlab

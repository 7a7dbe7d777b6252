// What every executor is told about a run: the simulators, the replay on lsmlab's engine, and the
// replays on other stores. Nothing here is a name that must be looked up:
// validate/catalog/run_spec.h makes a RunSetup from what a user asks for. The operations of the run
// are not part of it: they come separately, as a stream.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/options.h"
#include "models/base/part_mark.h"
#include "models/base/units.h"
#include "models/execution/plan_log.h"
#include "models/execution/starting_tree.h"
#include "models/execution/write_stall.h"
#include "models/policies/registry.h"

namespace lsmlab {

/// Who executes a run.
enum class RunSource { kSimulator, kEngine, kRocksdb, kLeveldb };
inline constexpr std::array kRunSources{RunSource::kSimulator, RunSource::kEngine,
                                        RunSource::kRocksdb, RunSource::kLeveldb};
/// The name in results and experiments: "simulator", "engine", "rocksdb", "leveldb".
[[nodiscard]] const char* run_source_name(RunSource source);

/// When a write batch is durable.
enum class SyncRule {
  kNever,       // when the operating system writes it; a power cut may lose the newest writes
  kEveryBatch,  // before write() returns; concurrent batches share one sync
  kEveryBytes,  // after each sync_bytes of log; the simulators do not support this rule
};

/// A rule's words. A user who wants kEveryBytes gives the number of bytes instead of a word.
struct SyncWords {
  SyncRule rule;
  std::string_view option;
  std::string_view result;
};
inline constexpr std::array<SyncWords, 3> kSyncWords{
    {{SyncRule::kNever, "never", "never"},
     {SyncRule::kEveryBatch, "batch", "every batch"},
     {SyncRule::kEveryBytes, "bytes", "every bytes"}}};

[[nodiscard]] constexpr const SyncWords& sync_words(SyncRule rule) {
  const SyncWords* words = kSyncWords.data();
  while (words->rule != rule) ++words;
  return *words;
}

inline constexpr CountRange kMergeThreadsRange{1, 64};
/// Powers of two: of simulated files at resolution range.
inline constexpr CountRange kRangeCellsRange{1, 256};

/// How a store writes its files.
struct WritingOptions {
  SyncRule sync = SyncRule::kNever;
  // SSTables, manifest and directory are made durable before an edit takes effect. false (kNever
  // only): after a power cut the directory may not open; killing the process does no harm.
  bool sync_files = false;
  // The log collects this many bytes before it writes them to the file. If the process is killed,
  // the collected bytes are lost. Only with kNever and kEveryBytes.
  Bytes wal_buffer{64 << 10};
  // Puts and deletes are not logged: what is not flushed yet is lost when the process ends. Only
  // simulations with a clock and RocksDB do without a log; never with kEveryBatch.
  bool disable_wal = false;
  bool direct_io = false;     // read and write SSTables without the page cache
  Bytes sync_bytes{1 << 20};  // for kEveryBytes
  // Concurrent merges, if the run is not stepped. With more threads, more merges run concurrently
  // if their target levels differ.
  std::uint64_t merge_threads = 1;

  void declare(OptionTable& table);
};

/// What a user chooses by a number or a word. It needs no look-up of names. A new option belongs in
/// declare(): results, and the names of kept results, follow from there.
struct RunOptions : WritingOptions {
  RunSource source = RunSource::kSimulator;
  // True: after each flush all plans run before the next operation, so timing has no influence.
  // False: flushes and merges run concurrently with the clients, on a simulated clock or in
  // threads.
  bool is_stepped = true;
  std::uint64_t seed = 1;
  // flush the memtable after the last operation, and run merges until none is due
  bool final_flush = true;
  // Parts of equal width of a file's key range whose entries a simulation at resolution range
  // counts: more are more exact, and slower. A power of two.
  std::uint64_t range_cells = 16;
  bool verify = false;  // at the end, read every key and compare it with what was written

  void declare(OptionTable& table);
  /// All options with their values.
  [[nodiscard]] ResolvedOptions values() const;
  /// How lsmlab's engine writes its files in this run, as its result shows it: the options that
  /// have an effect.
  [[nodiscard]] ResolvedOptions of_engine() const;
  /// The same for a simulation with a clock.
  [[nodiscard]] ResolvedOptions of_timed_simulation() const;

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
  std::vector<PartMark> parts = {};       // of the run, whose sums are shown apart
  // Null: the store is empty when the run begins. Only simulations of operations know another
  // start; parts then count from the first operation after the records.
  std::shared_ptr<const StartingTree> start = {};
};

/// The setup of a run with default options and the stall rules of the policy's family.
[[nodiscard]] RunSetup default_setup(ConfiguredPolicy policy);

/// The error for a policy with an option of the store in a run whose workload gives the flushes'
/// sizes.
[[nodiscard]] Error store_option_error(const ConfiguredPolicy& policy);
/// The error of resolution `flush` for a policy with options of files, whose runs are whole there.
/// REQUIRES: it has such options.
[[nodiscard]] Error file_option_error(const ConfiguredPolicy& policy);

/// The error for a policy that needs keys at resolution flush; it names the options because of
/// which the policy needs them.
[[nodiscard]] Error needs_keys_error(const ConfiguredPolicy& policy);

}  // namespace lsmlab

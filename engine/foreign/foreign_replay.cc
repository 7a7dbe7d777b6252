#include "engine/foreign/foreign_replay.h"

#include <fmt/format.h>

#include "engine/files/caught.h"
#include "engine/files/posix_file_system.h"
#include "engine/replay/kernel_count.h"
#include "models/accounting/run_description.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

WrittenCheck written_by(const std::vector<BytesWritten>& by_kind, const KernelCount& kernel) {
  WrittenCheck written;
  for (const auto& [kind, bytes] : by_kind) {
    written.bytes_by_kind.emplace_back(write_kind_name(kind), bytes);
    written.counted_bytes += bytes;
  }
  written.kernel_bytes = kernel.bytes();
  return written;
}

std::uint64_t bytes_of(const std::vector<BytesWritten>& by_kind, WriteKind wanted) {
  for (const auto& [kind, bytes] : by_kind) {
    if (kind == wanted) return static_cast<std::uint64_t>(bytes);
  }
  return 0;
}

}  // namespace

Result<void> check_foreign(RunSource source, const ConfiguredPolicy& policy) {
  const bool is_rocksdb = source == RunSource::kRocksdb;
  CHECK(is_rocksdb || source == RunSource::kLeveldb);
  const SstableLayout layout = is_rocksdb ? SstableLayout::kRocksdb : SstableLayout::kLeveldb;
  if (policy.store.layout != layout) {
    return input_error(fmt::format(
        "{0} writes table_format={1}; the policy has another: add table_format={1} to it",
        is_rocksdb ? "RocksDB" : "LevelDB", is_rocksdb ? "rocksdb" : "leveldb"));
  }
  return is_rocksdb ? check_rocksdb(policy) : check_leveldb(policy);
}

namespace {

Result<RunResult> replay_store(const RunSetup& run, const std::string& directory,
                               OperationSource& operations, RunControl& control) {
  const bool is_rocksdb = run.options.source == RunSource::kRocksdb;
  BOOST_OUTCOME_TRYV(check_foreign(run.options.source, run.policy));
  PosixFileSystem files;
  BOOST_OUTCOME_TRYV(check_replay_directory(files, directory));
  BOOST_OUTCOME_TRYV(files.create_directory(directory));
  const KernelCount kernel;
  const ForeignSetup setup{run, directory, control.stop};
  ForeignLedger ledger(run.log);
  const auto store = BOOST_OUTCOME_TRYX((is_rocksdb ? open_rocksdb : open_leveldb)(setup, ledger));
  const bool is_timed = !run.options.is_stepped;
  ReplayRun client(*store, {is_timed,
                            run.options.final_flush,
                            false,
                            {run.policy.store.value_ratio},
                            run.policy.store.keys,
                            run.parts});
  const bool complete = BOOST_OUTCOME_TRYX(client.run(operations, control));
  if (complete) {
    BOOST_OUTCOME_TRYV(store->settle());
  }
  const std::vector<BytesWritten> by_kind = store->bytes_by_kind();
  const WrittenCheck written = written_by(by_kind, kernel);
  ledger.set_wal_and_manifest(bytes_of(by_kind, WriteKind::kWal),
                              bytes_of(by_kind, WriteKind::kManifest));
  // Reading all entries takes long, and nobody waits for it after a run was stopped.
  if (complete) ledger.set_live_bytes(BOOST_OUTCOME_TRYX(store->live_bytes()));
  RunResult result = BOOST_OUTCOME_TRYX(client.result());
  if (is_timed) result.time->stalls = store->stalls();
  BOOST_OUTCOME_TRYV(store->close());
  FileSection& on_files = result.files.emplace();
  on_files.written = written;
  result.keys->reads.reset();  // other stores do not report blocks read
  describe_run(run, result);
  on_files.engine_options = {{"version", is_rocksdb ? rocksdb_version() : leveldb_version()},
                             {"merge_threads", std::uint64_t{1}}};
  result.mode = is_timed ? "threaded" : "paced";
  result.complete = complete;
  return result;
}

}  // namespace

// RocksDB and LevelDB throw if there is no memory or no thread.
Result<RunResult> replay_foreign(const RunSetup& run, const std::string& directory,
                                 OperationSource& operations, RunControl& control) {
  return caught(directory, [&] { return replay_store(run, directory, operations, control); });
}

}  // namespace lsmlab::engine

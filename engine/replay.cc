#include "engine/replay.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <vector>

#include "engine/process_io.h"
#include "engine/replay_data.h"
#include "engine/replay_verify.h"
#include "engine/store.h"
#include "engine/store_impl.h"
#include "models/latency_histogram.h"
#include "models/run_recorder.h"

namespace lsmlab::engine {
namespace {

using Clock = std::chrono::steady_clock;

// A store as a recorder sees it.
class MeteredEngine final : public MeteredStore {
 public:
  explicit MeteredEngine(StoreImpl& store) : store_(store) {}
  [[nodiscard]] const TreeView& tree() const override { return store_.tree(); }
  [[nodiscard]] const StoreLedger& ledger() const override { return store_.ledger(); }
  [[nodiscard]] ReadFigures reads() const override { return store_.reads(); }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override {
    // Reading everything would hold up the threads of a store that is being measured.
    const bool is_stepped = store_.setup().mode == StoreMode::kStepped;
    if (is_stepped || is_at_end) return store_.live_bytes();
    return std::uint64_t{0};
  }
  bool is_at_end = false;

 private:
  StoreImpl& store_;
};

class Replay {
 public:
  Replay(Store& store, const ReplayOptions& options)
      : store_(store),
        impl_(store.impl()),
        options_(options),
        is_stepped_(impl_.setup().mode == StoreMode::kStepped),
        metered_(impl_),
        recorder_(metered_) {}

  [[nodiscard]] Result<void> take(const Operation& operation) {
    recorder_.count(operation.kind);
    BOOST_OUTCOME_TRYV(check_replayable(operation));
    prepare(operation);
    if (is_stepped_) {
      BOOST_OUTCOME_TRYV(execute(operation));
      return recorder_.observe();
    }
    const Clock::time_point begin = Clock::now();
    BOOST_OUTCOME_TRYV(execute(operation));
    const auto taken = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
    latencies_[static_cast<std::size_t>(operation.kind)].add(
        static_cast<std::uint64_t>(taken.count()));
    if (impl_.flushes() == flushes_) return success();
    flushes_ = impl_.flushes();
    return observe_threaded();
  }

  [[nodiscard]] Result<void> end_workload() {
    if (options_.final_flush) {
      BOOST_OUTCOME_TRYV(store_.flush());
    }
    return is_stepped_ ? recorder_.observe() : observe_threaded();
  }

  /// Waits for what runs; nothing is to be asked of the store after that but to verify it.
  [[nodiscard]] Result<RunResult> result() {
    metered_.is_at_end = true;
    Result<RunResult> result = RunResult();
    // Held throughout: in threaded mode merges may go on where the run was stopped.
    impl_.with_state([&] { result = recorder_.result(); });
    if (!result) return result;
    if (is_stepped_) return result;
    OperationLatencies& latency = result.value().latency.emplace();
    const auto figures = [&](OperationKind kind, std::optional<LatencyFigures>& into) {
      const LatencyHistogram& histogram = latencies_[static_cast<std::size_t>(kind)];
      if (histogram.count() > 0) into = histogram.figures();
    };
    figures(OperationKind::kPut, latency.puts);
    figures(OperationKind::kDelete, latency.deletes);
    figures(OperationKind::kGet, latency.gets);
    figures(OperationKind::kScan, latency.scans);
    const StoreStalls stalls = store_.stalls();
    result.value().stalls = {
        {"full memtables", stalls.memtables.count, stalls.memtables.nanoseconds},
        {"level 0 slowdown", stalls.level0_slowdown.count, stalls.level0_slowdown.nanoseconds},
        {"level 0 stop", stalls.level0_stop.count, stalls.level0_stop.nanoseconds}};
    return result;
  }

  [[nodiscard]] std::uint64_t operations() const { return recorder_.operations(); }
  [[nodiscard]] const WrittenKeys& written() const { return written_; }

 private:
  // What is not the store's work, and no part of a latency.
  void prepare(const Operation& operation) {
    encode_key(operation.key, operation.key_bytes, key_);
    const bool is_put = operation.kind == OperationKind::kPut;
    if (!is_put && operation.kind != OperationKind::kDelete) return;
    ++writes_;
    if (is_put) make_value(operation.key, writes_, operation.value_bytes, value_);
    if (options_.verify && is_put) written_.put(operation, writes_);
    if (options_.verify && !is_put) written_.remove(operation.key);
  }

  [[nodiscard]] Result<void> execute(const Operation& operation) {
    switch (operation.kind) {
      case OperationKind::kPut:
        return store_.put(key_, value_);
      case OperationKind::kDelete:
        return store_.remove(key_);
      case OperationKind::kGet: {
        const Result<std::optional<std::string>> found = store_.get(key_);
        if (!found) return found.error();
        return success();
      }
      case OperationKind::kScan:
        break;
    }
    ScanBounds bounds{key_, std::string()};
    encode_key(operation.scan_last_key, operation.key_bytes, *bounds.last_key);
    const std::unique_ptr<Cursor> cursor = store_.scan(std::move(bounds));
    for (std::uint64_t shown = 1;; ++shown) {
      const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
      if (!has_entry || shown == operation.scan_entries_max) return success();
    }
  }

  [[nodiscard]] Result<void> observe_threaded() {
    Result<void> observed = success();
    impl_.with_state([&] { observed = recorder_.observe(); });
    return observed;
  }

  Store& store_;
  StoreImpl& impl_;
  const ReplayOptions& options_;
  bool is_stepped_;
  MeteredEngine metered_;
  RunRecorder recorder_;
  std::string key_;
  std::string value_;
  std::uint64_t writes_ = 0;
  std::uint64_t flushes_ = 0;
  WrittenKeys written_;
  std::array<LatencyHistogram, kOperationKinds> latencies_;
};

Result<bool> feed(OperationSource& source, RunControl& control, Replay& run) {
  constexpr std::size_t kBatchOperations = 4096;
  std::vector<Operation> batch(kBatchOperations);
  while (!control.should_stop()) {
    const std::size_t count = BOOST_OUTCOME_TRYX(source.fill(batch));
    if (count == 0) return true;
    for (const Operation& operation : std::span(batch).first(count)) {
      if (control.should_stop()) break;  // one operation may wait for a great many merges
      BOOST_OUTCOME_TRYV(run.take(operation));
    }
    control.units_done.store(run.operations(), std::memory_order_relaxed);
  }
  return false;
}

Result<void> check_empty(FileSystem& files, const std::string& directory) {
  const bool exists = BOOST_OUTCOME_TRYX(files.exists(directory));
  if (!exists) return success();
  const std::vector<std::string> names = BOOST_OUTCOME_TRYX(files.list(directory));
  if (names.empty()) return success();
  return input_error(fmt::format(
      "{}: not empty; a replay begins with a directory that is new or empty", directory));
}

std::string_view sync_name(SyncRule rule) {
  switch (rule) {
    case SyncRule::kNever:
      return "never";
    case SyncRule::kEveryBatch:
      return "every batch";
    case SyncRule::kEveryBytes:
      break;
  }
  return "every bytes";
}

ResolvedOptions engine_options(const StoreSetup& setup) {
  constexpr std::array<const char*, 3> kCompressions{"none", "zstd", "lz4"};
  ResolvedOptions options{
      {"sync", std::string(sync_name(setup.sync))},
      {"sync_files", setup.sync_files},
      {"wal_buffer", setup.wal_buffer.value()},
      {"compression", std::string(kCompressions[static_cast<std::size_t>(setup.compression)])},
      {"direct_io", setup.direct_io}};
  if (setup.sync == SyncRule::kEveryBytes) {
    options.emplace_back("sync_bytes", setup.sync_bytes.value());
  }
  if (setup.mode == StoreMode::kStepped) return options;
  options.emplace_back("merge_threads", std::uint64_t{setup.merge_threads});
  options.emplace_back("full_memtables_max", std::uint64_t{setup.full_memtables_max});
  options.emplace_back("level0_slowdown_runs", setup.level0_slowdown_runs);
  options.emplace_back("level0_stop_runs", setup.level0_stop_runs);
  return options;
}

using BytesByKind = std::array<std::uint64_t, kWriteKinds>;

BytesByKind bytes_by_kind(FileSystem& files) {
  BytesByKind bytes{};
  for (std::size_t kind = 0; kind < kWriteKinds; ++kind) {
    bytes[kind] = files.counters().of(static_cast<WriteKind>(kind));
  }
  return bytes;
}

WrittenCheck written_since(FileSystem& files, const BytesByKind& before,
                           const std::optional<std::uint64_t>& kernel_before) {
  constexpr std::array<const char*, kWriteKinds> kNames{"wal", "flush", "merge", "manifest",
                                                        "other"};
  const BytesByKind now = bytes_by_kind(files);
  WrittenCheck written;
  for (std::size_t kind = 0; kind < kWriteKinds; ++kind) {
    written.bytes_by_kind.emplace_back(kNames[kind], now[kind] - before[kind]);
    written.counted_bytes += now[kind] - before[kind];
  }
  const std::optional<std::uint64_t> kernel_now = process_bytes_written();
  if (kernel_before && kernel_now) written.kernel_bytes = *kernel_now - *kernel_before;
  return written;
}

}  // namespace

Result<RunResult> replay(const std::string& directory, StoreSetup setup, OperationSource& source,
                         const ReplayOptions& options, RunControl& control) {
  FileSystem& files = *setup.files;
  BOOST_OUTCOME_TRYV(check_empty(files, directory));
  const std::optional<std::uint64_t> kernel_before = process_bytes_written();
  const BytesByKind counted_before = bytes_by_kind(files);
  const Clock::time_point begin = Clock::now();
  setup.stop = control.stop;
  const auto store = BOOST_OUTCOME_TRYX(Store::open(directory, setup));
  Replay run(*store, options);
  const Clock::time_point first = Clock::now();
  bool complete = BOOST_OUTCOME_TRYX(feed(source, control, run));
  const double client_seconds = std::chrono::duration<double>(Clock::now() - first).count();
  if (complete) {
    BOOST_OUTCOME_TRYV(run.end_workload());
  }
  complete = complete && !control.should_stop();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  RunResult result = BOOST_OUTCOME_TRYX(run.result());
  result.wall_seconds = seconds;
  if (setup.mode == StoreMode::kThreaded && client_seconds > 0) {
    result.operations_per_second = static_cast<double>(run.operations()) / client_seconds;
  }
  if (options.verify) {
    result.verification = BOOST_OUTCOME_TRYX(verify_keys(*store, run.written()));
  }
  BOOST_OUTCOME_TRYV(store->close());
  result.written = written_since(files, counted_before, kernel_before);
  result.source = "engine";
  describe_policy(setup.policy, result);
  result.workload = options.workload;
  result.workload_options = options.workload_options;
  result.engine_options = engine_options(setup);
  result.mode = setup.mode == StoreMode::kStepped ? "stepped" : "threaded";
  result.resolution = "key";
  result.seed = options.seed;
  result.complete = complete;
  return result;
}

}  // namespace lsmlab::engine

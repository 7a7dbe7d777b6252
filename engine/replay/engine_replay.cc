#include "engine/replay/engine_replay.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "engine/replay/kernel_count.h"
#include "engine/replay/replay_run.h"
#include "engine/store/store.h"
#include "engine/store/store_impl.h"
#include "models/accounting/run_description.h"

namespace lsmlab::engine {
namespace {

// The store's figures for a RunRecorder.
class MeteredEngine final : public MeteredStore {
 public:
  explicit MeteredEngine(StoreImpl& store) : store_(store) {}
  [[nodiscard]] const TreeView& tree() const override { return store_.tree(); }
  [[nodiscard]] const StoreLedger& ledger() const override { return store_.ledger(); }
  [[nodiscard]] ReadFigures reads() const override { return store_.reads(); }
  [[nodiscard]] Result<std::uint64_t> live_bytes() override {
    // Reading everything would stall the threads of a store that is being measured.
    const bool is_stepped = store_.setup().mode == StoreMode::kStepped;
    if (is_stepped || is_at_end) return store_.live_bytes();
    return std::uint64_t{0};
  }
  void note_live_bytes(std::uint64_t bytes) override { store_.note_live_bytes(bytes); }
  bool is_at_end = false;

 private:
  StoreImpl& store_;
};

class EngineTarget final : public ReplayTarget {
 public:
  explicit EngineTarget(Store& store) : store_(store), impl_(store.impl()), metered_(impl_) {}

  [[nodiscard]] Result<void> put(std::string_view key, std::string_view value) override {
    return store_.put(key, value);
  }
  [[nodiscard]] Result<void> remove(std::string_view key) override { return store_.remove(key); }
  [[nodiscard]] Result<bool> get(std::string_view key) override {
    const Result<std::optional<std::string>> found = store_.get(key);
    if (!found) return found.error();
    return found.value().has_value();
  }
  [[nodiscard]] Result<void> scan(std::string_view first_key, std::string_view last_key,
                                  std::uint64_t entries_max) override {
    const std::unique_ptr<Cursor> cursor =
        store_.scan({std::string(first_key), std::string(last_key)});
    for (std::uint64_t shown = 1;; ++shown) {
      const bool has_entry = BOOST_OUTCOME_TRYX(cursor->next());
      if (!has_entry || shown == entries_max) return success();
    }
  }
  [[nodiscard]] Result<void> flush() override { return store_.flush(); }
  [[nodiscard]] Result<void> end_part(PartEnd asked) override {
    if (asked == PartEnd::kFlush) return store_.flush_memtables();
    if (asked == PartEnd::kSettle) return store_.settle();
    if (const auto scope = manual_scope_of(asked)) return store_.compact(*scope);
    return success();
  }
  [[nodiscard]] MeteredStore& metered() override { return metered_; }
  void with_state(const std::function<void()>& look) override { impl_.with_state(look); }
  [[nodiscard]] std::uint64_t flushes() const override { return impl_.flushes(); }
  [[nodiscard]] std::vector<JobTimes> job_times() override { return impl_.job_times(); }
  void end() { metered_.is_at_end = true; }

 private:
  Store& store_;
  StoreImpl& impl_;
  MeteredEngine metered_;
};

std::vector<StallFigures> stall_figures(const StoreStalls& stalls) {
  std::vector<StallFigures> figures;
  for (const StallReason reason : kStallReasons) {
    const StoreStalls::Stall& stall = stalls.of(reason);
    figures.push_back(
        {std::string(stall_reason_name(reason)), stall.count, stall.nanoseconds, stall.longest_ns});
  }
  return figures;
}

ResolvedOptions engine_options(const RunSetup& run, const ConfiguredClients& clients) {
  ResolvedOptions options = run.options.of_engine();
  if (run.options.is_stepped) return options;
  // Clients that wait for nothing are not named.
  if (clients.model.arrivals != Arrivals::kClosed) {
    for (const auto& option : clients.options) options.push_back(option);
  }
  for (auto& option : stall_options(run.stalls)) options.push_back(std::move(option));
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
                           const KernelCount& kernel) {
  const BytesByKind now = bytes_by_kind(files);
  WrittenCheck written;
  for (std::size_t kind = 0; kind < kWriteKinds; ++kind) {
    written.bytes_by_kind.emplace_back(write_kind_name(static_cast<WriteKind>(kind)),
                                       now[kind] - before[kind]);
    written.counted_bytes += now[kind] - before[kind];
  }
  written.kernel_bytes = kernel.bytes();
  return written;
}

}  // namespace

Result<void> check_replay_directory(FileSystem& files, const std::string& directory) {
  const bool exists = BOOST_OUTCOME_TRYX(files.exists(directory));
  if (!exists) return success();
  const std::vector<std::string> names = BOOST_OUTCOME_TRYX(files.list(directory));
  if (names.empty()) return success();
  return input_error(
      fmt::format("{}: not empty; a replay needs a new or empty directory", directory));
}

StoreSetup store_setup_of(const RunSetup& run, const ReplayOptions& options) {
  StoreSetup setup;
  static_cast<WritingOptions&>(setup) = run.options;
  setup.wal_buffer = run.options.gathered_wal_bytes();
  setup.policy = run.policy;
  setup.files = options.files;
  setup.mode = run.options.is_stepped ? StoreMode::kStepped : StoreMode::kThreaded;
  setup.stalls = run.stalls;
  setup.log = run.log;
  return setup;
}

Result<RunResult> replay(const RunSetup& run, const ReplayOptions& options, OperationSource& source,
                         RunControl& control) {
  FileSystem& files = *options.files;
  BOOST_OUTCOME_TRYV(check_replay_directory(files, options.directory));
  const KernelCount kernel;
  const BytesByKind counted_before = bytes_by_kind(files);
  StoreSetup setup = store_setup_of(run, options);
  setup.stop = control.stop;
  const auto store = BOOST_OUTCOME_TRYX(Store::open(options.directory, setup));
  const bool is_timed = !run.options.is_stepped;
  EngineTarget target(*store);
  const ValueShape values{run.policy.store.value_ratio};
  ReplayRun client(
      target, {is_timed, run.options.final_flush, run.options.verify, values, run.policy.store.keys,
               run.parts, options.clients.model, run.options.seed});
  const bool complete = BOOST_OUTCOME_TRYX(client.run(source, control));
  target.end();
  RunResult result = BOOST_OUTCOME_TRYX(client.result());
  if (is_timed) result.time->stalls = stall_figures(store->stalls());
  if (is_timed) result.time->job_times = store->impl().job_times();
  result.merge_times = store->impl().merge_times();
  FileSection& on_files = result.files.emplace();
  if (run.options.verify) {
    on_files.verification = BOOST_OUTCOME_TRYX(verify_keys(*store, client.written(), values));
  }
  BOOST_OUTCOME_TRYV(store->close());
  on_files.written = written_since(files, counted_before, kernel);
  describe_run(run, result);
  result.source = run_source_name(RunSource::kEngine);
  on_files.engine_options = engine_options(run, options.clients);
  result.mode = is_timed ? "threaded" : "stepped";
  result.complete = complete;
  return result;
}

}  // namespace lsmlab::engine

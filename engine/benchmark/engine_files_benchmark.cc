// Measures how the number of a store's files affects flushes, merges, opening and the manifest.
//   engine_files_benchmark --dir /ssd/tmp
// For each number of files, the benchmark fills a new store with rising keys until it has that many
// files, and then overwrites random keys. One thread works (stepped mode), and nothing is synced.
// A flush's or merge's time begins when the policy wants it and ends when the policy has decided
// what comes next. Each directory is removed afterwards.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "engine/files/posix_file_system.h"
#include "engine/store/store.h"
#include "engine/store/store_impl.h"
#include "models/base/spec.h"
#include "models/policies/registry.h"

namespace lsmlab::engine {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::uint64_t kValueBytes = 240;

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

struct Arguments {
  std::string directory;  // empty: a new directory below the system's temporary one
  std::string policy =
      "primitives:layout=leveling,trigger=level-saturation,granularity=file,"
      "movement=least-overlap-parent,buffer=8KiB,file_size=8KiB";  // lo+1
  std::vector<std::uint64_t> files{2'000, 20'000, 200'000};
  std::uint64_t flushes = 1'000;
};

struct Share {
  std::uint64_t count = 0;
  double seconds = 0;
  [[nodiscard]] double rate() const {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  }
};

// Attributes time to the plan that runs.
class PlanTimes final : public StoreObserver {
 public:
  void on_write(const StoredEntry& /*entry*/, Instant /*now*/) override {}
  void on_plan(const TreeView& /*tree*/, const Plan& plan) override {
    end_plan();
    begin_ = SteadyClock::now();
    running_ = std::holds_alternative<FlushPlan>(plan.action)   ? &flushes
               : std::holds_alternative<MergePlan>(plan.action) ? &merges
                                                                : &moves;
    const auto* const merge = std::get_if<MergePlan>(&plan.action);
    if (merge == nullptr) return;
    for (const PlanInput& input : merge->inputs) merged_files += input.files.size();
  }
  void on_edit(const TreeView& /*tree*/, const Plan& /*plan*/, const TreeEdit& /*edit*/,
               const Contents& /*contents*/) override {}

  /// Ends the time of the last plan; called after each write.
  void end_plan() {
    if (running_ == nullptr) return;
    running_->seconds += seconds_since(begin_);
    ++running_->count;
    running_ = nullptr;
  }
  void clear() {
    flushes = merges = moves = {};
    merged_files = 0;
  }

  Share flushes;
  Share merges;
  Share moves;
  std::uint64_t merged_files = 0;

 private:
  Share* running_ = nullptr;
  SteadyClock::time_point begin_;
};

// A new directory. The destructor removes it.
class FreshDirectory {
 public:
  explicit FreshDirectory(const std::string& parent) {
    std::string name = parent + "/engine_files_benchmark.XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~FreshDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  FreshDirectory(const FreshDirectory&) = delete;
  FreshDirectory& operator=(const FreshDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }  // empty: it was not created

 private:
  std::string path_;
};

std::uint64_t files_of(const TreeView& tree) {
  std::uint64_t files = 0;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) files += run.files.size();
  }
  return files;
}

std::uint64_t manifest_bytes(const std::string& directory) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename().string().starts_with("MANIFEST")) bytes += entry.file_size();
  }
  return bytes;
}

class FilesBenchmark {
 public:
  FilesBenchmark(const Arguments& arguments, std::string directory)
      : arguments_(arguments), directory_(std::move(directory)) {}

  [[nodiscard]] Result<void> run(std::uint64_t files) {
    setup_.policy =
        BOOST_OUTCOME_TRYX(make_policy(BOOST_OUTCOME_TRYX(parse_spec(arguments_.policy))));
    setup_.files = &files_;
    setup_.sync = SyncRule::kNever;
    setup_.sync_files = false;
    setup_.wal_buffer = Bytes(64 << 10);
    setup_.observer = &times_;
    store_ = BOOST_OUTCOME_TRYX(Store::open(directory_, setup_));
    auto begin = SteadyClock::now();
    std::uint64_t edits = 0;
    while (files_of(store_->impl().tree()) < files) {
      BOOST_OUTCOME_TRYV(put(keys_++));
    }
    const double fill = seconds_since(begin);
    edits += times_.flushes.count + times_.merges.count + times_.moves.count;
    times_.clear();
    BOOST_OUTCOME_TRYV(overwrite());
    edits += times_.flushes.count + times_.merges.count + times_.moves.count;
    const std::uint64_t files_now = files_of(store_->impl().tree());
    const std::uint64_t bytes = manifest_bytes(directory_);
    BOOST_OUTCOME_TRYV(store_->close());
    store_.reset();
    begin = SteadyClock::now();
    store_ = BOOST_OUTCOME_TRYX(Store::open(directory_, setup_));
    const double open = seconds_since(begin);
    const std::uint64_t snapshot_bytes = manifest_bytes(directory_);
    BOOST_OUTCOME_TRYV(store_->close());
    fmt::print("{:>8}  {:>9.0f}  {:>8.0f}  {:>8.1f}  {:>6.2f}  {:>14}  {:>14}  {:>9}  {:>6.0f}\n",
               files_now, times_.flushes.rate(), times_.merges.rate(),
               static_cast<double>(times_.merged_files) /
                   static_cast<double>(std::max<std::uint64_t>(times_.merges.count, 1)),
               open, bytes, snapshot_bytes, edits, fill);
    std::fflush(stdout);
    return success();
  }

 private:
  [[nodiscard]] Result<void> put(std::uint64_t number) {
    BOOST_OUTCOME_TRYV(store_->put(fmt::format("{:016x}", number << 32), value_));
    times_.end_plan();
    return success();
  }

  [[nodiscard]] Result<void> overwrite() {
    std::mt19937_64 random(1);
    while (times_.flushes.count < arguments_.flushes) {
      BOOST_OUTCOME_TRYV(put(random() % keys_));
    }
    return success();
  }

  const Arguments& arguments_;
  std::string directory_;
  PosixFileSystem files_;  // outlives the store
  PlanTimes times_;
  StoreSetup setup_;
  std::string value_ = std::string(kValueBytes, 'v');
  std::uint64_t keys_ = 0;
  std::unique_ptr<Store> store_;
};

Result<void> run(const Arguments& arguments) {
  const std::string parent = arguments.directory.empty()
                                 ? std::filesystem::temp_directory_path().string()
                                 : arguments.directory;
  fmt::print("policy {}, {} flushes\n", arguments.policy, arguments.flushes);
  fmt::print("{:>8}  {:>9}  {:>8}  {:>8}  {:>6}  {:>14}  {:>14}  {:>9}  {:>6}\n", "files",
             "flushes/s", "merges/s", "inputs", "open s", "manifest bytes", "snapshot bytes",
             "edits", "fill s");
  for (const std::uint64_t files : arguments.files) {
    const FreshDirectory directory(parent);
    if (directory.path().empty()) {
      return machine_error(fmt::format("{}: cannot create a directory in it", parent));
    }
    BOOST_OUTCOME_TRYV(FilesBenchmark(arguments, directory.path() + "/db").run(files));
  }
  return success();
}

}  // namespace
}  // namespace lsmlab::engine

int main(int argc, char** argv) {
  lsmlab::engine::Arguments arguments;
  CLI::App app("Measures how the number of a store's files affects its speed.");
  app.add_option("--dir", arguments.directory, "Directory for the stores [the temporary one]");
  app.add_option("--policy", arguments.policy, "Policy")->capture_default_str();
  app.add_option("--files", arguments.files, "Numbers of files")->delimiter(',');
  app.add_option("--flushes", arguments.flushes, "Flushes to measure")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const lsmlab::Result<void> outcome = lsmlab::engine::run(arguments);
  if (outcome) return 0;
  fmt::print(stderr, "engine_files_benchmark: {}\n", outcome.error().message);
  return 1;
}

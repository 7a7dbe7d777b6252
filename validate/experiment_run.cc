#include "validate/experiment_run.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "engine/foreign/foreign_replay.h"
#include "engine/posix_file_system.h"
#include "engine/replay.h"
#include "models/forced_plans.h"
#include "models/plan_log.h"
#include "sim/simulate_keys.h"
#include "sim/simulate_timed.h"
#include "validate/catalog.h"
#include "validate/result_json.h"

namespace lsmlab {
namespace {

namespace fs = std::filesystem;

std::string digest_text(XXH128_hash_t digest) {
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

// Of a file's bytes; empty where it cannot be read.
std::string digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  XXH3_state_t* const state = XXH3_createState();
  XXH3_128bits_reset(state);
  std::string buffer(1 << 20, '\0');
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    XXH3_128bits_update(state, buffer.data(), static_cast<std::size_t>(file.gcount()));
  }
  const XXH128_hash_t digest = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return digest_text(digest);
}

Error file_error(const std::string& path, const char* what, const std::error_code& code) {
  return machine_error(fmt::format("{}: {}: {}", path, what, code.message()));
}

void add_options(std::string& text, const ResolvedOptions& options) {
  for (const auto& [name, value] : options) {
    if (name == kReplayLogParameter) continue;  // by contents
    text += fmt::format("{}={}\n", name, option_value_text(value));
  }
}

// Files that a SPEC names: their contents count, not their names.
std::string digest_of_inputs(const Spec& spec) {
  std::string digests = digest_of_file(spec.name);
  for (const auto& [name, value] : spec.parameters) {
    if (name == "path" || name == kReplayLogParameter) digests += digest_of_file(value);
  }
  return digests;
}

// A plan log that is written as the run goes on.
class LogFile {
 public:
  explicit LogFile(const std::string& path) : path_(path), file_(path, std::ios::trunc) {}
  [[nodiscard]] PlanLogSink sink() {
    return [this](const PlanRecord& record) { file_ << plan_record_line(record) << '\n'; };
  }
  [[nodiscard]] Result<void> state() const {
    if (file_) return success();
    return machine_error(fmt::format("{}: cannot be written", path_));
  }
  [[nodiscard]] Result<void> close() {
    file_.close();
    return state();
  }

 private:
  std::string path_;
  std::ofstream file_;
};

// A store's directory for one run.
class Scratch {
 public:
  explicit Scratch(std::string path) : path_(std::move(path)) { clear(); }
  ~Scratch() { clear(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void clear() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path_;
};

Result<RunResult> simulate(const ExperimentRun& run, const ConfiguredPolicy& policy,
                           const KeyWorkload& workload, PlanLogSink log, RunControl& control) {
  KeyRunOptions options;
  options.seed = run.seed;
  options.workload = workload.name;
  options.workload_options = workload.options;
  options.log = std::move(log);
  const auto source = BOOST_OUTCOME_TRYX(workload.open(run.seed));
  if (!run.device) return simulate_keys(policy, *source, options, control);
  TimedRunOptions timed;
  timed.device = BOOST_OUTCOME_TRYX(device_of_spec(*run.device));
  timed.clients = BOOST_OUTCOME_TRYX(make_clients(run.clients));
  timed.merge_threads = run.merge_threads;
  timed.stalls = run.stalls;
  return simulate_timed(policy, *source, options, timed, control);
}

Result<RunResult> measure(const ExperimentRun& run, ConfiguredPolicy policy,
                          const KeyWorkload& workload, PlanLogSink log,
                          const std::string& directory, RunControl& control) {
  engine::ReplayOptions options;
  options.seed = run.seed;
  options.workload = workload.name;
  options.workload_options = workload.options;
  const auto source = BOOST_OUTCOME_TRYX(workload.open(run.seed));
  if (run.store == MeasuredStore::kEngine) {
    engine::PosixFileSystem files;
    engine::StoreSetup setup;
    setup.policy = std::move(policy);
    setup.files = &files;
    setup.stalls = BOOST_OUTCOME_TRYX(stall_rules_of(setup.policy, run.stalls));
    setup.merge_threads = run.merge_threads;
    setup.direct_io = run.direct_io;
    setup.mode = run.is_stepped ? engine::StoreMode::kStepped : engine::StoreMode::kThreaded;
    setup.sync = engine::SyncRule::kNever;
    setup.sync_files = false;
    setup.wal_buffer = Bytes(64 << 10);
    setup.log = std::move(log);
    return engine::replay(directory, setup, *source, options, control);
  }
  const auto kind = run.store == MeasuredStore::kRocksdb ? engine::ForeignKind::kRocksdb
                                                         : engine::ForeignKind::kLeveldb;
  engine::ForeignSetup setup{directory, std::move(policy), run.is_stepped};
  return engine::replay_foreign(kind, std::move(setup), std::move(log), *source, options, control);
}

Result<void> write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (file) return success();
  return machine_error(fmt::format("{}: cannot be written", path));
}

Result<void> rename_file(const std::string& from, const std::string& to) {
  std::error_code code;
  fs::rename(from, to, code);
  if (code) return file_error(from, "rename", code);
  return success();
}

}  // namespace

Result<ResultDirectory> ResultDirectory::open(const std::string& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) return file_error(path, "cannot be made", code);
  engine::PosixFileSystem files;
  auto lock = BOOST_OUTCOME_TRYX(files.lock(path + "/LOCK"));
  return ResultDirectory(path, digest_of_file("/proc/self/exe"), std::move(lock));
}

Result<std::string> ResultDirectory::name_of(const ExperimentRun& run) const {
  const auto policy = BOOST_OUTCOME_TRYX(policy_of_spec(run.policy));
  const auto workload = BOOST_OUTCOME_TRYX(key_workload_of_spec(run.workload));
  std::string text = fmt::format("{}\nseed={}\nstepped={}\nnumber={}\n",
                                 run.store ? store_name(*run.store) : "simulator", run.seed,
                                 run.is_stepped, run.number);
  if (run.store == MeasuredStore::kRocksdb) text += engine::rocksdb_version();
  if (run.store == MeasuredStore::kLeveldb) text += engine::leveldb_version();
  // Of what other stores do, only the books are this program's.
  text += fmt::format(" books {}", engine::kForeignBooksVersion);
  if (!run.store || run.store == MeasuredStore::kEngine) text += program_;
  text += fmt::format("\npolicy={} {}\n", policy.name, policy.family);
  add_options(text, policy.options);
  add_options(text, policy.store_options);
  text += digest_of_inputs(run.policy);
  if (run.device) {
    text += fmt::format("merge_threads={}\ndirect_io={}\n", run.merge_threads, run.direct_io);
    add_options(text, stall_options(BOOST_OUTCOME_TRYX(stall_rules_of(policy, run.stalls))));
    // The measured one is the machine's, whatever it is simulated as.
    if (!run.store) {
      const auto device = BOOST_OUTCOME_TRYX(device_of_spec(*run.device));
      add_options(text, device.options);
      add_options(text, BOOST_OUTCOME_TRYX(make_clients(run.clients)).options);
      text += digest_of_inputs(run.clients);
    }
  }
  text += fmt::format("workload={} {}\n", workload.name, digest_of_inputs(run.workload));
  add_options(text, workload.options);
  return digest_text(XXH3_128bits(text.data(), text.size()));
}

std::string ResultDirectory::result_path(const std::string& name) const {
  return fmt::format("{}/{}.json", path_, name);
}

std::string ResultDirectory::log_path(const std::string& name) const {
  return fmt::format("{}/{}.jsonl", path_, name);
}

bool ResultDirectory::has(const std::string& name) const {
  std::error_code ignored;
  return fs::exists(result_path(name), ignored) && fs::exists(log_path(name), ignored);
}

void ResultDirectory::forget(const std::string& name) const {
  std::error_code ignored;
  fs::remove(result_path(name), ignored);
  fs::remove(log_path(name), ignored);
}

Result<bool> ResultDirectory::execute(const ExperimentRun& run, const std::string& name,
                                      const std::string& scratch, RunControl& control) const {
  auto policy = BOOST_OUTCOME_TRYX(policy_of_spec(run.policy));
  const auto workload = BOOST_OUTCOME_TRYX(key_workload_of_spec(run.workload));
  const std::string partial_log = log_path(name) + ".partial";
  const std::string partial_result = result_path(name) + ".partial";
  const Scratch removed_log(partial_log);
  const Scratch removed_result(partial_result);
  const Scratch directory(fmt::format("{}/{}", scratch, name));
  LogFile log(partial_log);
  BOOST_OUTCOME_TRYV(log.state());
  Result<RunResult> result =
      run.store ? measure(run, policy, workload, log.sink(), directory.path(), control)
                : simulate(run, policy, workload, log.sink(), control);
  if (!result) {
    return Error{result.error().kind,
                 fmt::format("{} of policy '{}' on '{}': {}",
                             run.store ? store_name(*run.store) : "simulation", policy.label,
                             workload.name, result.error().message)};
  }
  if (!result.value().complete) return false;
  // The kernel counts for the whole process, and a simulation writes its log beside this run.
  if (result.value().written) result.value().written->kernel_bytes.reset();
  BOOST_OUTCOME_TRYV(log.close());
  BOOST_OUTCOME_TRYV(write_text(partial_result, results_text({&result.value(), 1})));
  BOOST_OUTCOME_TRYV(rename_file(partial_log, log_path(name)));
  BOOST_OUTCOME_TRYV(rename_file(partial_result, result_path(name)));
  return true;
}

Result<nlohmann::ordered_json> ResultDirectory::load(const std::string& name) const {
  auto results = BOOST_OUTCOME_TRYX(read_results(result_path(name)));
  nlohmann::ordered_json result = std::move(results.front());
  const auto is_text = [&](const char* of, const char* member) {
    return result.contains(of) && result[of].is_object() && result[of].contains(member) &&
           result[of][member].is_string();
  };
  const bool is_sound = is_text("policy", "name") && is_text("policy", "label") &&
                        is_text("workload", "name") && result.contains("seed") &&
                        result.contains("mode") && result.contains("series");
  if (is_sound) return result;
  return input_error(
      fmt::format("{}: damaged; remove it, and the run is done again", result_path(name)));
}

}  // namespace lsmlab

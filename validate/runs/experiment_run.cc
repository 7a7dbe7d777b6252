#include "validate/runs/experiment_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "engine/files/posix_file_system.h"
#include "engine/foreign/foreign_replay.h"
#include "engine/replay/engine_replay.h"
#include "models/execution/forced_plans.h"
#include "models/execution/plan_log.h"
#include "sim/keys/simulate_keys.h"
#include "sim/timed/simulate_timed.h"
#include "traces/io/byte_file.h"
#include "traces/io/output_file.h"
#include "validate/catalog/catalog.h"
#include "validate/results/digest.h"
#include "validate/results/result_json.h"
#include "validate/runs/kept_result.h"

namespace lsmlab {
namespace {

namespace fs = std::filesystem;

// Of a file's bytes; empty where it cannot be read.
std::string digest_of_file(const std::string& path) {
  const auto file = ByteReader::open(path);
  if (!file) return {};
  Digest digest;
  for (;;) {
    const auto bytes = file.value()->peek();
    if (!bytes) return {};
    if (bytes.value().empty()) return digest.text();
    digest.add({reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size()});
    file.value()->consume(bytes.value().size());
  }
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

// A store's directory for one run.
class Scratch {
 public:
  explicit Scratch(std::string path)
      : path_(std::move(path)), registered_(path_, TemporaryPath::Kind::kDirectory) {
    clear();
  }
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
  TemporaryPath registered_;
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

}  // namespace

Result<ResultDirectory> ResultDirectory::open(const std::string& path,
                                              std::function<void(const std::string&)> on_damage) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) return file_error(path, "cannot be made", code);
  engine::PosixFileSystem files;
  auto lock = BOOST_OUTCOME_TRYX(files.lock(path + "/LOCK"));
  ResultDirectory directory(path, digest_of_file("/proc/self/exe"), std::move(lock));
  directory.on_damage_ = std::move(on_damage);
  return directory;
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
  return digest_of_text(text);
}

std::string ResultDirectory::result_path(const std::string& name) const {
  return fmt::format("{}/{}.json", path_, name);
}

std::string ResultDirectory::log_path(const std::string& name) const {
  return fmt::format("{}/{}.jsonl", path_, name);
}

bool ResultDirectory::has(const std::string& name) const {
  if (sound_.contains(name)) return true;
  std::error_code ignored;
  // The log has its name before the result has.
  if (!fs::exists(result_path(name), ignored)) return false;
  const Result<void> checked = check_kept_run(result_path(name), log_path(name));
  if (checked) {
    sound_.insert(name);
    return true;
  }
  if (on_damage_) on_damage_(checked.error().message);
  forget(name);
  return false;
}

void ResultDirectory::forget(const std::string& name) const {
  std::error_code ignored;
  sound_.erase(name);
  fs::remove(result_path(name), ignored);
  fs::remove(log_path(name), ignored);
}

Result<bool> ResultDirectory::execute(const ExperimentRun& run, const std::string& name,
                                      const std::string& scratch, RunControl& control) const {
  auto policy = BOOST_OUTCOME_TRYX(policy_of_spec(run.policy));
  const auto workload = BOOST_OUTCOME_TRYX(key_workload_of_spec(run.workload));
  const Scratch directory(fmt::format("{}/{}", scratch, name));
  SealedLog log = BOOST_OUTCOME_TRYX(SealedLog::open(log_path(name)));
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
  if (result.value().files) result.value().files->written.kernel_bytes.reset();
  const LogSeal seal = BOOST_OUTCOME_TRYX(log.commit());
  const std::string text = sealed_result(results_text({&result.value(), 1}), seal);
  BOOST_OUTCOME_TRYV(write_output(result_path(name), text));
  return true;
}

Result<nlohmann::ordered_json> ResultDirectory::load(const std::string& name) const {
  return read_sealed_result(result_path(name));
}

}  // namespace lsmlab

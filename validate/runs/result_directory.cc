#include "validate/runs/result_directory.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "engine/files/posix_file_system.h"
#include "engine/foreign/foreign_replay.h"
#include "models/execution/forced_plans.h"
#include "traces/io/byte_file.h"
#include "traces/io/output_file.h"
#include "validate/results/digest.h"
#include "validate/results/result_json.h"
#include "validate/runs/execute_run.h"
#include "validate/runs/kept_result.h"

namespace lsmlab {
namespace {

namespace fs = std::filesystem;

// A digest of a file's bytes; empty if it cannot be read.
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
    if (name == kForcedPlansParameter) continue;  // its contents count instead
    text += fmt::format("{}={}\n", name, option_value_text(value));
  }
}

// The run's options that differ from their defaults. Those that do not are left out, so that a new
// option does not change the names of results that exist.
void add_changed_options(std::string& text, const RunOptions& options) {
  const ResolvedOptions defaults = RunOptions().values();
  const ResolvedOptions values = options.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [name, value] = values[i];
    if (value != defaults[i].second) text += fmt::format("{}={}\n", name, option_value_text(value));
  }
}

// A temporary directory for a store during one run.
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

}  // namespace

Result<ResultDirectory> ResultDirectory::open(const std::string& path,
                                              std::function<void(const std::string&)> on_damage) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) return file_error(path, "cannot create the directory", code);
  engine::PosixFileSystem files;
  auto lock = BOOST_OUTCOME_TRYX(files.lock(path + "/LOCK"));
  ResultDirectory directory(path, digest_of_file("/proc/self/exe"), std::move(lock));
  directory.on_damage_ = std::move(on_damage);
  return directory;
}

std::string ResultDirectory::name_of(const ResolvedRun& run, std::uint64_t number) const {
  const RunOptions& options = run.setup.options;
  const ConfiguredPolicy& policy = run.setup.policy;
  const RunSource source = options.source;
  const bool is_foreign = source == RunSource::kRocksdb || source == RunSource::kLeveldb;
  // The texts of other stores' runs must not change: their results outlive this program.
  std::string text = fmt::format("{}\nseed={}\nstepped={}\nnumber={}\n", run_source_name(source),
                                 options.seed, options.is_stepped, number);
  if (source == RunSource::kRocksdb) text += engine::rocksdb_version();
  if (source == RunSource::kLeveldb) text += engine::leveldb_version();
  // For other stores, only the accounting depends on this program.
  text += fmt::format(" books {}", engine::kForeignLedgerVersion);
  if (!is_foreign) text += program_;
  text += fmt::format("\npolicy={} {}\n", policy.name, policy.family);
  add_options(text, policy.options);
  add_options(text, policy.store_options);
  if (!is_foreign && !options.is_stepped) add_options(text, stall_options(run.setup.stalls));
  if (run.device) add_options(text, run.device->options);
  if (run.device || run.clients.model.arrivals != Arrivals::kClosed) {
    add_options(text, run.clients.options);
  }
  text += fmt::format("workload={} \n", run.setup.workload);
  add_options(text, run.setup.workload_options);
  RunOptions stated = options;  // all but what the first line states
  stated.source = RunOptions().source;
  stated.seed = RunOptions().seed;
  stated.is_stepped = RunOptions().is_stepped;
  add_changed_options(text, stated);
  if (run.spec.resolution == Resolution::kRange) text += "resolution=range\n";
  // The contents of input files count, not their names.
  for (const std::string& path : run.input_files) {
    text += fmt::format("input={}\n", digest_of_file(path));
  }
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
  // The log gets its name before the result does.
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

Result<bool> ResultDirectory::execute(const ResolvedRun& run, const std::string& name,
                                      const std::string& scratch, RunControl& control) const {
  const Scratch directory(fmt::format("{}/{}", scratch, name));
  SealedLog log = BOOST_OUTCOME_TRYX(SealedLog::open(log_path(name)));
  ResolvedRun logged = run;
  logged.setup.log = log.sink();
  Result<RunResult> result = execute_run(logged, directory.path(), control);
  if (!result) {
    const RunSource source = run.setup.options.source;
    return in_context(
        fmt::format("{} of policy '{}' on '{}'",
                    source == RunSource::kSimulator ? "simulation" : run_source_name(source),
                    run.setup.policy.label, run.setup.workload),
        result.error());
  }
  if (!result.value().complete) return false;
  // The kernel counts bytes of the whole process, which includes the log of a concurrent
  // simulation.
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

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "engine/files/file_names.h"
#include "engine/files/posix_file_system.h"
#include "engine/store/store.h"
#include "engine/store/store_check.h"
#include "engine/store/store_dump.h"
#include "models/base/printable.h"
#include "models/base/quantity_text.h"
#include "output.h"
#include "verbs.h"

namespace lsmlab {
namespace {

std::string level_text(const std::string& name, const LevelSummary& level) {
  return fmt::format(
      "  {:<8} {:>5} runs {:>6} files {:>15} bytes {:>12} entries {:>9} tombstones\n", name,
      level.runs, level.files, grouped_text(static_cast<std::uint64_t>(level.bytes)),
      grouped_text(level.entries), grouped_text(level.tombstones));
}

std::string report_text(const engine::CheckReport& report) {
  std::string text;
  for (const auto& [name, value] : report.identity) {
    if (name == "policy") text += fmt::format("policy {}\n", value);
  }
  text +=
      fmt::format("manifest: {} after its snapshot\n", counted_text(report.manifest_edits, "edit"));
  text += fmt::format("logs: {}, with {} not flushed yet\n", report.logs,
                      counted_text(report.log_batches, "batch that is", "batches that are"));
  text += fmt::format("SSTables: {}, {}, {}; every block was read\n", grouped_text(report.tables),
                      counted_text(report.table_bytes, "byte"),
                      counted_text(report.entries, "entry", "entries"));
  for (std::size_t i = 0; i < report.levels.size(); ++i) {
    text += level_text(fmt::format("level {}", i), report.levels[i]);
  }
  if (report.frozen.files > 0) text += level_text("frozen", report.frozen);
  for (const std::string& name : report.leftovers) text += fmt::format("left over: {}\n", name);
  for (const std::string& name : report.set_aside) {
    text += fmt::format("set aside by an earlier recovery: {}\n", name);
  }
  for (const std::string& tear : report.tears) text += fmt::format("torn: {}\n", tear);
  for (const std::string& fault : report.log_faults) text += fmt::format("FAULT: {}\n", fault);
  for (const std::string& fault : report.faults) text += fmt::format("FAULT: {}\n", fault);
  return text;
}

// Opens the store, which recovers it, and closes it.
Result<std::string> recover(engine::FileSystem& files, const std::string& directory,
                            const engine::CheckReport& report, engine::RecoveryMode mode) {
  // Recovery flushes the logs. It runs no merges, because the stop flag is set.
  const std::atomic<bool> stop{true};
  engine::StoreSetup setup;
  setup.stop = &stop;
  setup.files = &files;
  setup.create_if_missing = false;
  setup.recovery = mode;
  setup.policy = BOOST_OUTCOME_TRYX(engine::policy_of_identity(report.identity));
  for (const auto& [name, value] : report.identity) {
    if (name == "key_prefix") setup.key_prefix = value;
  }
  const auto store = BOOST_OUTCOME_TRYX(engine::Store::open(directory, setup));
  const engine::RecoveryReport recovery = store->recovery();
  BOOST_OUTCOME_TRYV(store->close());
  std::string text =
      fmt::format("recovered: {} of {} from {} written to SSTables, {} removed\n",
                  counted_text(recovery.batches, "batch", "batches"),
                  counted_text(recovery.entries, "entry", "entries"),
                  counted_text(recovery.logs, "log"), counted_text(recovery.files_removed, "file"));
  if (recovery.log_dropped_bytes > 0) {
    text += fmt::format("dropped: {} of logs, among them {}\n",
                        counted_text(recovery.log_dropped_bytes, "byte"),
                        counted_text(recovery.log_dropped_batches, "whole batch", "whole batches"));
  }
  for (const std::string& path : recovery.logs_set_aside) {
    text += fmt::format("kept: {}\n", path);
  }
  return text;
}

// Why the store is not recovered; empty if it can be.
std::string obstacle(const engine::CheckReport& report, engine::RecoveryMode mode) {
  if (!report.faults.empty()) {
    return "not recovered, nothing was changed: an SSTable or the manifest is damaged\n";
  }
  if (!report.log_faults.empty() && mode != engine::RecoveryMode::kPointInTime) {
    return "not recovered, nothing was changed: --recovery point-in-time opens the store as it was "
           "before the loss, and keeps damaged logs as NUMBER.wal.damaged\n";
  }
  if (!report.tears.empty() && mode == engine::RecoveryMode::kAbsolute) {
    return fmt::format(
        "not recovered, nothing was changed: {} bytes would be dropped; --recovery "
        "tolerate-torn-tail does so\n",
        grouped_text(report.log_dropped_bytes + report.manifest_dropped_bytes));
  }
  return {};
}

Result<engine::RecoveryMode> mode_of(const CheckArguments& arguments) {
  // Without --recovery nothing may be lost.
  if (!arguments.recovery) return engine::RecoveryMode::kAbsolute;
  const auto* const known = std::find(std::begin(engine::kRecoveryModes),
                                      std::end(engine::kRecoveryModes), *arguments.recovery);
  if (known == std::end(engine::kRecoveryModes)) {
    return input_error(fmt::format("--recovery: unknown mode '{}'; expected one of {}",
                                   *arguments.recovery, fmt::join(engine::kRecoveryModes, ", ")));
  }
  return static_cast<engine::RecoveryMode>(known - std::begin(engine::kRecoveryModes));
}

// Whether only a RocksDB or LevelDB store has a file of that name: 000005.ldb, 000007.log, LOG,
// IDENTITY, OPTIONS-000009.
bool is_foreign_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::string stem = path.stem().string();
  const bool is_numbered =
      !stem.empty() && stem.find_first_not_of("0123456789") == std::string::npos;
  if (is_numbered) return path.extension() == ".ldb" || path.extension() == ".log";
  return name == "LOG" || name == "IDENTITY" || name.starts_with("OPTIONS-");
}

// Whether a directory holds a store of RocksDB or LevelDB, and not one of lsmlab.
bool is_foreign_store(const std::filesystem::path& directory) {
  std::error_code fault;
  if (!std::filesystem::exists(directory / engine::kCurrentName, fault)) return false;
  bool is_foreign = false;
  for (std::filesystem::directory_iterator entry(directory, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    if (entry->path().extension() == ".wal") return false;
    is_foreign = is_foreign || is_foreign_name(entry->path());
  }
  return is_foreign;
}

// Errors: the path is such a store, or a file in one.
Result<void> check_own_store(const std::string& path) {
  std::error_code fault;
  const std::filesystem::path whole(path);
  const bool is_directory = std::filesystem::is_directory(whole, fault);
  std::filesystem::path directory = is_directory ? whole : whole.parent_path();
  if (directory.empty()) directory = ".";
  const bool exists = std::filesystem::exists(whole, fault);
  if (!exists || !is_foreign_store(directory)) return success();
  return input_error(
      fmt::format("{}: belongs to a store of RocksDB or LevelDB, and this verb reads stores of "
                  "lsmlab's engine; 'lsmlab inspect {}' says what it holds",
                  path, directory.string()));
}

Result<int> check(const CheckArguments& arguments) {
  BOOST_OUTCOME_TRYV(check_own_store(arguments.directory));
  const engine::RecoveryMode mode = BOOST_OUTCOME_TRYX(mode_of(arguments));
  engine::PosixFileSystem files;
  engine::CheckReport report = BOOST_OUTCOME_TRYX(engine::check_store(files, arguments.directory));
  BOOST_OUTCOME_TRYV(print_text(report_text(report)));
  std::string text = arguments.read_only ? std::string() : obstacle(report, mode);
  const bool is_refused = arguments.recovery && !text.empty();
  if (!arguments.read_only && text.empty()) {
    text = BOOST_OUTCOME_TRYX(recover(files, arguments.directory, report, mode));
    report = BOOST_OUTCOME_TRYX(engine::check_store(files, arguments.directory));
    text += "\nafter recovery:\n" + report_text(report);
  }
  const std::size_t faults = report.fault_count();
  text += faults == 0 ? "no fault found\n"
                      : fmt::format("{} fault{} found\n", faults, faults == 1 ? "" : "s");
  BOOST_OUTCOME_TRYV(print_text(text));
  return faults == 0 && !is_refused ? kExitDone : kExitFellShort;
}

Result<int> dump(const DumpArguments& arguments) {
  BOOST_OUTCOME_TRYV(check_own_store(arguments.path));
  engine::PosixFileSystem files;
  auto out = BOOST_OUTCOME_TRYX(OutputFile::open("-"));
  const auto line = [&](std::string_view text) {
    out.write(printable(text));
    out.write("\n");
  };
  engine::DumpOptions options;
  options.shows_entries = arguments.entries;
  std::error_code fault;
  const bool is_directory = std::filesystem::is_directory(arguments.path, fault);
  Result<void> outcome = is_directory ? engine::dump_directory(files, arguments.path, options, line)
                                      : engine::dump_file(files, arguments.path, options, line);
  BOOST_OUTCOME_TRYV(out.commit());
  if (!outcome) return outcome.error();
  return kExitDone;
}

}  // namespace

int run_check(const CheckArguments& arguments) {
  const Result<int> code = check(arguments);
  return code ? code.value() : report_error(code.error());
}

int run_dump(const DumpArguments& arguments) {
  const Result<int> code = dump(arguments);
  return code ? code.value() : report_error(code.error());
}

}  // namespace lsmlab

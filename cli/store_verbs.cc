#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "engine/posix_file_system.h"
#include "engine/store.h"
#include "engine/store_check.h"
#include "engine/store_dump.h"
#include "models/printable.h"
#include "models/quantity_text.h"
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
  text += fmt::format("manifest: {} edits since its snapshot{}\n", report.manifest_edits,
                      report.manifest_dropped_bytes > 0
                          ? fmt::format(", {} torn bytes at its end", report.manifest_dropped_bytes)
                          : std::string());
  text += fmt::format("logs: {}, with {} batches that are not in SSTables yet{}\n", report.logs,
                      grouped_text(report.log_batches),
                      report.log_dropped_bytes > 0
                          ? fmt::format("; {} bytes cannot be recovered: torn, or behind a gap",
                                        grouped_text(report.log_dropped_bytes))
                          : std::string());
  text += fmt::format("SSTables: {}, {} bytes, {} entries, every block read\n",
                      grouped_text(report.tables), grouped_text(report.table_bytes),
                      grouped_text(report.entries));
  for (std::size_t i = 0; i < report.levels.size(); ++i) {
    text += level_text(fmt::format("level {}", i), report.levels[i]);
  }
  if (report.frozen.files > 0) text += level_text("frozen", report.frozen);
  for (const std::string& name : report.leftovers) text += fmt::format("left over: {}\n", name);
  for (const std::string& fault : report.faults) text += fmt::format("FAULT: {}\n", fault);
  return text;
}

// Opens the store as its owner would, which recovers it, and closes it.
Result<std::string> recover(engine::FileSystem& files, const std::string& directory,
                            const engine::CheckReport& report) {
  // Logs are flushed and nothing else is done: merges are for who uses the store.
  const std::atomic<bool> stop{true};
  engine::StoreSetup setup;
  setup.stop = &stop;
  setup.files = &files;
  setup.create_if_missing = false;
  setup.policy = BOOST_OUTCOME_TRYX(engine::policy_of_identity(report.identity));
  for (const auto& [name, value] : report.identity) {
    if (name == "key_prefix") setup.key_prefix = value;
  }
  const auto store = BOOST_OUTCOME_TRYX(engine::Store::open(directory, setup));
  const engine::RecoveryReport recovery = store->recovery();
  BOOST_OUTCOME_TRYV(store->close());
  return fmt::format(
      "recovered: {} batches of {} entries brought from {} logs into SSTables, {} "
      "files removed\n",
      grouped_text(recovery.batches), grouped_text(recovery.entries), recovery.logs,
      recovery.files_removed);
}

Result<int> check(const CheckArguments& arguments) {
  engine::PosixFileSystem files;
  engine::CheckReport report = BOOST_OUTCOME_TRYX(engine::check_store(files, arguments.directory));
  BOOST_OUTCOME_TRYV(print_text(report_text(report)));
  std::string text;
  if (report.faults.empty() && !arguments.read_only) {
    text += BOOST_OUTCOME_TRYX(recover(files, arguments.directory, report));
    report = BOOST_OUTCOME_TRYX(engine::check_store(files, arguments.directory));
    text += "\nafter recovery:\n" + report_text(report);
  }
  text += report.faults.empty() ? "no fault found\n"
                                : fmt::format("{} faults found\n", report.faults.size());
  BOOST_OUTCOME_TRYV(print_text(text));
  return report.faults.empty() ? kExitDone : kExitFellShort;
}

Result<int> dump(const DumpArguments& arguments) {
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

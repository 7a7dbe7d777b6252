#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "interrupt.h"
#include "models/base/printable.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"
#include "output.h"
#include "progress.h"
#include "traces/files/recorded_keys.h"
#include "traces/files/trace_export.h"
#include "traces/files/trace_file.h"
#include "traces/files/trace_profile.h"
#include "traces/files/trace_statistics.h"
#include "traces/importers/import.h"
#include "validate/catalog/catalog.h"
#include "validate/catalog/operation_workload_text.h"
#include "validate/results/json_values.h"
#include "verbs.h"

namespace lsmlab {
namespace {

constexpr std::size_t kBatchOperations = 4096;
constexpr std::uint64_t kProgressOperations = 1 << 22;  // between two updates of the progress line

// A whole trace file is renamed to its name, which is impossible with standard output.
Result<void> check_file_name(const std::string& path, const std::vector<std::string>& inputs) {
  if (path == "-")
    return input_error("--out: expected a file; traces are not written to standard output");
  return check_not_overwritten("--out", path, inputs);
}

std::string kinds_text(const std::array<std::uint64_t, 4>& by_kind) {
  constexpr std::array<const char*, 4> kNames{"put", "delete", "get", "scan"};
  std::string text;
  for (std::size_t kind = 0; kind < by_kind.size(); ++kind) {
    text += (text.empty() ? "" : ", ") + counted_text(by_kind[kind], kNames[kind]);
  }
  return text;
}

// Text of a file as one line, so that it cannot look like lines that lsmlab prints.
std::string printable_line(std::string_view text) {
  std::string line;
  for (const char character : printable(text)) {
    if (character == '\n') {
      line += "\\x0A";
    } else {
      line += character;
    }
  }
  return line;
}

int report_stopped(const std::string& path) {
  fmt::print(stderr, "lsmlab: stopped; {} was not written\n", printable(path));
  return interrupt_exit_code();
}

// --- generate

Result<int> generate_file(const TraceGenerateArguments& arguments) {
  const Spec spec = BOOST_OUTCOME_TRYX(parse_spec(arguments.workload));
  BOOST_OUTCOME_TRYV(check_file_name(arguments.out, files_of_spec(spec)));
  const KeyWorkload workload = BOOST_OUTCOME_TRYX(key_workload_of_spec(spec));
  if (workload.name == "trace") {
    return input_error(fmt::format("{}: is a trace already", arguments.workload));
  }
  tell_workload_notes(spec);
  for (const PartMark& part : workload.parts) {
    if (part.then == PartEnd::kNothing) continue;
    fmt::print(stderr,
               "lsmlab: a trace holds operations only: it leaves out the '{}' after operation {}\n",
               part_end_name(part.then), grouped_text(part.end_operations));
  }
  const Result<std::uint64_t> seed = parse_count(arguments.seed);
  if (!seed) return in_context("--seed", seed.error());
  const nlohmann::ordered_json provenance{{"workload", workload.name},
                                          {"parameters", options_to_json(workload.options)},
                                          {"seed", seed.value()}};
  const auto writer = BOOST_OUTCOME_TRYX(TraceWriter::create(
      arguments.out,
      provenance.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
  const std::unique_ptr<OperationSource> source = BOOST_OUTCOME_TRYX(workload.open(seed.value()));
  std::vector<Operation> batch(kBatchOperations);
  catch_interrupts();
  ProgressLine line;
  BatchProgress progress{0, 1, 0, workload.operations, "operations"};
  for (;;) {
    if (interrupt_flag()) return report_stopped(arguments.out);
    const std::size_t count = BOOST_OUTCOME_TRYX(source->fill(batch));
    if (count == 0) break;
    BOOST_OUTCOME_TRYV(writer->append({batch.data(), count}));
    progress.units_done += count;
    if (progress.units_done / kProgressOperations !=
        (progress.units_done - count) / kProgressOperations) {
      line.show(progress);
    }
  }
  BOOST_OUTCOME_TRYV(writer->finish());
  BOOST_OUTCOME_TRYV(print_text(fmt::format("wrote {}: {} ({})\n", arguments.out,
                                            counted_text(writer->counts().operations, "operation"),
                                            kinds_text(writer->counts().by_kind))));
  return kExitDone;
}

// --- import

Result<ImportOptions> import_options(const TraceImportArguments& arguments) {
  ImportOptions options;
  const std::vector<std::string> names = names_of_import_formats();
  if (std::find(names.begin(), names.end(), arguments.format) == names.end()) {
    return input_error(fmt::format("--format: unknown format '{}'{}", excerpt(arguments.format),
                                   suggestion(arguments.format, names)));
  }
  options.format = arguments.format;
  options.path = arguments.input;
  options.temporary_directory = arguments.temporary_directory;
  options.skip_unsupported = arguments.skip_unsupported;
  const Result<std::uint64_t> memory = parse_bytes(arguments.memory);
  if (!memory) return in_context("--memory", memory.error());
  options.memory_bytes_max = memory.value();
  const Result<std::uint64_t> repeats = parse_count(arguments.repeats_max);
  if (!repeats) return in_context("--repeats-max", repeats.error());
  if (repeats.value() == 0) return input_error("--repeats-max: 0; expected at least 1");
  options.repeats_max = repeats.value();
  return options;
}

Result<int> import_file(const TraceImportArguments& arguments) {
  BOOST_OUTCOME_TRYV(check_file_name(arguments.out, {arguments.input}));
  ImportOptions options = BOOST_OUTCOME_TRYX(import_options(arguments));
  // A path that cannot be written is reported before the input is read.
  BOOST_OUTCOME_TRYV(TraceWriter::create(arguments.out));
  std::unique_ptr<TraceWriter> writer;
  // The file begins with what is known once all keys were read.
  options.on_keys = [&](const RecordedKeys& keys) -> Result<void> {
    nlohmann::ordered_json provenance{{"imported_from", arguments.input},
                                      {"format", arguments.format}};
    if (!keys.shared_32nds.empty()) provenance[kRecordedKeysMember] = recorded_keys_json(keys);
    writer = BOOST_OUTCOME_TRYX(TraceWriter::create(
        arguments.out,
        provenance.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
    return success();
  };
  catch_interrupts();
  options.stop = &interrupt_flag();
  ProgressLine line;
  options.on_progress = [&](std::uint64_t done, std::uint64_t total) {
    line.show({0, 1, done, total, "operations", {}});
  };
  Result<ImportReport> imported = import_trace(
      options, [&](std::span<const Operation> operations) { return writer->append(operations); });
  if (!imported && interrupt_flag()) return report_stopped(arguments.out);
  const ImportReport report = BOOST_OUTCOME_TRYX(std::move(imported));
  BOOST_OUTCOME_TRYV(writer->finish());
  std::string text =
      fmt::format("wrote {}: {} ({}) on {}\n", printable(arguments.out),
                  counted_text(report.operations, "operation"), kinds_text(report.by_kind),
                  counted_text(report.distinct_keys, "key"));
  if (report.skipped > 0) {
    text += fmt::format("left out: {} that a trace file cannot hold\n",
                        counted_text(report.skipped, "operation"));
  }
  BOOST_OUTCOME_TRYV(print_text(text));
  return kExitDone;
}

// --- info

std::string sizes_text(const char* name, const SizeSummary& sizes) {
  if (sizes.count() == 0) return "";
  return fmt::format("{:<14} mean {:.1f}, from {} to {}, P50 {}, P99 {}\n", name, sizes.mean(),
                     grouped_text(sizes.least()), grouped_text(sizes.most()),
                     grouped_text(sizes.percentile(50)), grouped_text(sizes.percentile(99)));
}

std::string distances_text(const KeyFigures& keys) {
  if (keys.rewrites == 0) return "rewrites       no key is written twice\n";
  std::string text = fmt::format(
      "rewrites       {} puts and deletes of a key written before; operations "
      "since its last write:\n",
      grouped_text(keys.rewrites));
  for (std::size_t i = 0; i < keys.update_distances.size(); ++i) {
    const std::uint64_t count = keys.update_distances[i];
    if (count == 0) continue;
    const std::string distances = i == 0 ? "1"
                                         : fmt::format("{} to {}", grouped_text(Uint128{1} << i),
                                                       grouped_text((Uint128{2} << i) - 1));
    text += fmt::format("  {:>32}  {:>6.2f} %\n", distances,
                        100 * static_cast<double>(count) / static_cast<double>(keys.rewrites));
  }
  return text;
}

std::string shared_text(const std::optional<RecordedKeys>& keys) {
  if (!keys) return "";
  const auto bytes_at = [&](std::size_t i) {
    return static_cast<double>(keys->shared_32nds[std::min(i, keys->shared_32nds.size() - 1)]) / 32;
  };
  return fmt::format("{:<14} {:.1f} bytes between neighbours, {:.1f} between each 16th key\n",
                     "keys share", bytes_at(0), bytes_at(4));
}

std::string info_text(const TraceReader& reader, const TraceStatistics& statistics,
                      const std::optional<RecordedKeys>& recorded) {
  const KeyFigures keys = statistics.keys();
  const char* about = keys.estimated ? "about " : "";
  std::string text = fmt::format("operations     {} ({})\n", grouped_text(statistics.operations()),
                                 kinds_text(statistics.by_kind()));
  text += fmt::format("distinct keys  {}{}\n", about, grouped_text(keys.distinct));
  text += fmt::format(
      "skew           the top 1 % of keys take {}{:.1f} % of puts, deletes and gets, the top "
      "10 % {:.1f} %\n",
      about, 100 * keys.top_1_percent_share, 100 * keys.top_10_percent_share);
  text += sizes_text("key bytes", statistics.key_bytes());
  text += shared_text(recorded);
  text += sizes_text("value bytes", statistics.value_bytes());
  text += sizes_text("scan entries", statistics.scan_entries());
  text += distances_text(keys);
  if (keys.estimated) text += "(figures by key are estimates from a sample of the keys)\n";
  if (!reader.provenance().empty()) {
    text += fmt::format("provenance     {}\n", printable_line(reader.provenance()));
  }
  return text;
}

// Reports the damage of a salvaged file, as an input error.
Result<int> end_of(const TraceReader& reader) {
  if (!reader.damage()) return kExitDone;
  return report_error(*reader.damage());
}

std::string profile_report(const TraceInfoArguments& arguments, const OperationWorkload& workload,
                           const WorkloadNotes& notes) {
  std::string report = fmt::format("wrote {}: {}, {}\n", printable(arguments.profile),
                                   counted_text(workload.operation_count(), "operation"),
                                   counted_text(workload.insert_count(), "inserted key"));
  for (const std::string& omission : notes.omissions) {
    report += fmt::format("  {}\n", omission);
  }
  return report;
}

// Returns what to print.
Result<std::string> write_profile(const TraceInfoArguments& arguments, const TraceProfile& profile,
                                  OutputFile& file) {
  const OperationWorkload workload = BOOST_OUTCOME_TRYX(profile.workload());
  const UpdateDistances measured = profile.update_distances();
  const UpdateDistances independent = profile.independent(workload);
  WorkloadNotes notes;
  notes.description = "profile of " + printable_line(arguments.input);
  notes.measured = {{"operations", profile.operations()},
                    {"distinct_keys", profile.distinct_keys()},
                    {"inserts_rising_percent", profile.rising_percent()}};
  if (measured.count > 0) {
    notes.measured.insert(notes.measured.end(), {{"update_distance_p50", measured.p50},
                                                 {"update_distance_p90", measured.p90},
                                                 {"independent_distance_p50", independent.p50},
                                                 {"independent_distance_p90", independent.p90}});
  }
  notes.omissions = profile.omissions(workload, independent);
  file.write(operation_workload_text(workload, notes));
  BOOST_OUTCOME_TRYV(file.commit());
  return profile_report(arguments, workload, notes);
}

Result<int> show_info(const TraceInfoArguments& arguments) {
  std::optional<OutputFile> profile_file;
  if (!arguments.profile.empty()) {
    if (arguments.profile == "-") return input_error("--profile: expected a file");
    BOOST_OUTCOME_TRYV(check_not_overwritten("--profile", arguments.profile, {arguments.input}));
    profile_file.emplace(BOOST_OUTCOME_TRYX(OutputFile::open(arguments.profile)));
  }
  const auto reader =
      BOOST_OUTCOME_TRYX(TraceReader::open(arguments.input, {.salvage = arguments.salvage}));
  TraceStatistics statistics;
  TraceProfile profile;
  std::vector<Operation> batch(kBatchOperations);
  for (;;) {
    const std::size_t count = BOOST_OUTCOME_TRYX(reader->fill(batch));
    if (count == 0) break;
    statistics.add({batch.data(), count});
    if (profile_file) profile.add({batch.data(), count});
  }
  const auto recorded = recorded_keys_of(reader->provenance());
  if (!recorded) return in_context(arguments.input, recorded.error());
  BOOST_OUTCOME_TRYV(print_text(info_text(*reader, statistics, recorded.value())));
  if (profile_file) {
    BOOST_OUTCOME_TRYV(
        print_text(BOOST_OUTCOME_TRYX(write_profile(arguments, profile, *profile_file))));
  }
  return end_of(*reader);
}

// --- export

Result<int> export_file(const TraceExportArguments& arguments) {
  BOOST_OUTCOME_TRYV(check_file_name(arguments.out, {arguments.input}));
  const std::vector<std::string> names{"kv-workload", "csv"};
  const auto name = std::find(names.begin(), names.end(), arguments.format);
  if (name == names.end()) {
    return input_error(fmt::format("--format: unknown format '{}'{}", arguments.format,
                                   suggestion(arguments.format, names)));
  }
  const ExportFormat format =
      name == names.begin() ? ExportFormat::kKvWorkload : ExportFormat::kCsv;
  const auto reader = BOOST_OUTCOME_TRYX(TraceReader::open(
      arguments.input, {.salvage = arguments.salvage, .stop = &interrupt_flag()}));
  catch_interrupts();
  Result<ExportReport> exported = export_trace(*reader, format, arguments.out, &interrupt_flag());
  if (!exported && interrupt_flag()) return report_stopped(arguments.out);
  const ExportReport report = BOOST_OUTCOME_TRYX(std::move(exported));
  std::string text = fmt::format("wrote {}: {}\n", printable(arguments.out),
                                 counted_text(report.operations, "operation"));
  if (report.keys_lengthened > 0) {
    text += fmt::format(
        "{} keys are longer than in the trace, because an exported key has at least 11 "
        "characters\n",
        grouped_text(report.keys_lengthened));
  }
  BOOST_OUTCOME_TRYV(print_text(text));
  return end_of(*reader);
}

int exit_code_of(const Result<int>& code) {
  return code ? code.value() : report_error(code.error());
}

}  // namespace

int run_trace_generate(const TraceGenerateArguments& arguments) {
  return exit_code_of(generate_file(arguments));
}
int run_trace_import(const TraceImportArguments& arguments) {
  return exit_code_of(import_file(arguments));
}
int run_trace_info(const TraceInfoArguments& arguments) {
  return exit_code_of(show_info(arguments));
}
int run_trace_export(const TraceExportArguments& arguments) {
  return exit_code_of(export_file(arguments));
}

}  // namespace lsmlab

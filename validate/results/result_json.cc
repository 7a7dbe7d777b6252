#include "validate/results/result_json.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <limits>

#include "models/base/quantity_text.h"
#include "traces/io/text_file.h"
#include "validate/results/cost_figures.h"
#include "validate/results/json_text.h"
#include "validate/results/result_shape.h"
#include "validate/results/time_json.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// The JSON library holds whole numbers of up to 64 bits. Larger ones travel through it as strings
// with this prefix, which no text of a result can start with, and lose it and their quotes when the
// text is written.
constexpr std::string_view kWideNumber = "\x01wide ";
constexpr std::string_view kWideNumberEscaped = "\"\\u0001wide ";

std::string unquote_wide_numbers(std::string text) {
  for (std::size_t at = 0; (at = text.find(kWideNumberEscaped, at)) != std::string::npos;) {
    text.erase(at, kWideNumberEscaped.size());
    text.erase(text.find('"', at), 1);
  }
  return text;
}

Json optional_json(const auto& value) { return value ? Json(*value) : Json(nullptr); }

Json totals_json(const Totals& totals) {
  return {{"flushes", totals.flushes},
          {"merges", totals.merges},
          {"moves", totals.moves},
          {"links", totals.links},
          {"user_bytes", number_json(totals.user_bytes)},
          {"bytes_flushed", number_json(totals.bytes_flushed)},
          {"flush_bytes_written", number_json(totals.flush_bytes_written)},
          {"merge_bytes_written", number_json(totals.merge_bytes_written)},
          {"merge_bytes_read", number_json(totals.merge_bytes_read)},
          {"wal_bytes_written", number_json(totals.wal_bytes_written)},
          {"manifest_bytes_written", number_json(totals.manifest_bytes_written)},
          {"entries_dropped", totals.entries_dropped},
          {"tombstones_dropped", totals.tombstones_dropped}};
}

Json amplification_json(const RunResult& result) {
  const Amplification figures =
      amplification_of(result.totals, result.runs, result.transient, result.live_bytes_ratio);
  Json json{{"write", figures.write},
            {"write_flushed", figures.write_flushed},
            {"write_total", figures.write_total},
            {"read_mean", figures.read_mean},
            {"read_max", figures.read_max},
            {"space", optional_json(figures.space)},
            {"space_transient", figures.space_transient}};
  if (result.keys && result.keys->reads) json["read_blocks"] = read_blocks_of(*result.keys->reads);
  return json;
}

Json floor_json(const FloorResult& floor, const Totals& totals) {
  Json json{{"k", floor.k}, {"k_is_policy_bound", floor.is_policy_bound}, {"method", floor.method}};
  const Uint128 written = totals.flush_bytes_written + totals.merge_bytes_written;
  if (floor.bytes_written) {
    json["write_flushed"] = ratio_of(*floor.bytes_written, totals.bytes_flushed);
    json["ratio"] = ratio_of(written, *floor.bytes_written);
    json["bytes_written"] = number_json(*floor.bytes_written);
  } else {
    json["write_flushed"] = nullptr;
    json["ratio"] = nullptr;
    json["bytes_written"] = nullptr;
  }
  json["worst_case_bound"] = floor.worst_case_bound ? Json(*floor.worst_case_bound) : Json(nullptr);
  return json;
}

Json key_figures_json(const KeyRunFigures& figures) {
  return {{"operations", figures.operations},
          {"user_bytes", number_json(figures.user_bytes)},
          {"write", figures.write},
          {"moves", figures.moves},
          {"links", figures.links},
          {"merge_bytes_read", number_json(figures.merge_bytes_read)},
          {"merge_bytes_written", number_json(figures.merge_bytes_written)},
          {"file_bytes", number_json(figures.file_bytes)},
          {"tombstones", figures.tombstones},
          {"entries_dropped", figures.entries_dropped},
          {"tombstones_dropped", figures.tombstones_dropped},
          {"merge_p50_bytes", figures.merge_sizes.p50_bytes},
          {"merge_p90_bytes", figures.merge_sizes.p90_bytes},
          {"merge_p99_bytes", figures.merge_sizes.p99_bytes},
          {"merge_max_bytes", figures.merge_sizes.max_bytes},
          {"oldest_tombstone_age", optional_json(figures.oldest_tombstone_age)},
          {"space", optional_json(figures.space)},
          {"gets", figures.gets},
          {"scans", figures.scans},
          {"blocks_read", figures.blocks_read}};
}

Json final_json(const RunResult& result) {
  Json json = Json::array();
  for (std::size_t level = 0; level < result.final_levels.size(); ++level) {
    const LevelSummary& summary = result.final_levels[level];
    json.push_back({{"level", level},
                    {"runs", summary.runs},
                    {"files", summary.files},
                    {"bytes", number_json(summary.bytes)},
                    {"entries", summary.entries},
                    {"tombstones", summary.tombstones}});
  }
  Json final{{"levels", json}};
  if (result.keys) {
    const KeySection& keys = *result.keys;
    final["file_bytes"] = number_json(keys.final.file_bytes);
    final["frozen"] = {{"files", keys.frozen.files},
                       {"bytes", number_json(keys.frozen.bytes)},
                       {"entries", keys.frozen.entries},
                       {"tombstones", keys.frozen.tombstones}};
    final["tombstones"] = keys.final.tombstones;
    final["oldest_tombstone_age"] = optional_json(keys.final.oldest_tombstone_age);
  }
  return final;
}

Json operations_json(const OperationCounts& counts) {
  return {{"puts", counts.puts},
          {"deletes", counts.deletes},
          {"gets", counts.gets},
          {"scans", counts.scans}};
}

Json merge_sizes_json(const MergeSizes& sizes) {
  return {{"p50_bytes", sizes.p50_bytes},
          {"p90_bytes", sizes.p90_bytes},
          {"p99_bytes", sizes.p99_bytes},
          {"max_bytes", sizes.max_bytes},
          {"mean_bytes", sizes.mean_bytes}};
}

Json with_blocks(Json json, const BlockReads& blocks, std::uint64_t count) {
  json["blocks_fetched"] = blocks.blocks_fetched;
  json["blocks_read"] = blocks.blocks_read;
  json["bytes_read"] = number_json(blocks.bytes_read);
  json["blocks_fetched_mean"] = ratio_of(blocks.blocks_fetched, count);
  json["blocks_read_mean"] = ratio_of(blocks.blocks_read, count);
  return json;
}

Json lookups_json(const LookupFigures& lookups) {
  return with_blocks({{"count", lookups.count},
                      {"memtable_hits", lookups.memtable_hits},
                      {"runs_touched", lookups.runs_touched},
                      {"runs_touched_mean", ratio_of(lookups.runs_touched, lookups.count)},
                      {"filter_checks", lookups.filter_checks},
                      {"false_positives", lookups.false_positives}},
                     lookups.blocks, lookups.count);
}

Json reads_json(const ReadFigures& reads) {
  const ScanFigures& scans = reads.scans;
  const BlockReads blocks = reads.blocks();
  return {{"gets_found", lookups_json(reads.gets_found)},
          {"gets_absent", lookups_json(reads.gets_absent)},
          {"scans", with_blocks({{"count", scans.count},
                                 {"entries", scans.entries},
                                 {"runs_touched", scans.runs_touched},
                                 {"runs_touched_mean", ratio_of(scans.runs_touched, scans.count)}},
                                scans.blocks, scans.count)},
          {"cache_hit_ratio",
           ratio_of(blocks.blocks_fetched - blocks.blocks_read, blocks.blocks_fetched)}};
}

Json written_json(const WrittenCheck& written) {
  Json by_kind = Json::object();
  for (const auto& [kind, bytes] : written.bytes_by_kind) by_kind[kind] = number_json(bytes);
  const std::optional<bool> agrees = written.agrees();
  return {
      {"bytes_by_kind", std::move(by_kind)},
      {"counted_bytes", number_json(written.counted_bytes)},
      {"kernel_bytes", written.kernel_bytes ? number_json(*written.kernel_bytes) : Json(nullptr)},
      {"agrees", optional_json(agrees)}};
}

Json verification_json(const VerificationFigures& verification) {
  return {{"keys_checked", verification.keys_checked},
          {"mismatches", verification.mismatches},
          {"first_mismatch", optional_json(verification.first_mismatch)}};
}

// What only a run on files has.
void add_measured(const RunResult& result, Json& json) {
  if (!result.files) return;
  json["written"] = written_json(result.files->written);
  const auto& verification = result.files->verification;
  if (verification) json["verification"] = verification_json(*verification);
}

// Columns, in the order in which they are first filled.
Json series_json(const Series& series) {
  const char* const names[] = {"flushes",   "bytes_flushed",   "write_flushed", "sorted_runs",
                               "read_mean", "space_transient", "merges"};
  Json columns = Json::object();
  for (const char* name : names) columns[name] = Json::array();
  for (const SeriesPoint& point : series) {
    columns["flushes"].push_back(point.flushes);
    columns["bytes_flushed"].push_back(number_json(point.bytes_flushed));
    columns["write_flushed"].push_back(point.write_flushed);
    columns["sorted_runs"].push_back(point.sorted_runs);
    columns["read_mean"].push_back(point.read_mean);
    columns["space_transient"].push_back(point.space_transient);
    columns["merges"].push_back(point.merges);
    if (!point.keys) continue;
    const Json figures = key_figures_json(*point.keys);
    for (const auto& [name, value] : figures.items()) columns[name].push_back(value);
  }
  return columns;
}

Json stacks_json(const std::vector<StackSnapshot>& stacks) {
  Json json = Json::array();
  for (const StackSnapshot& stack : stacks) {
    json.push_back({{"bytes", stack.bytes}, {"levels", stack.levels}});
  }
  return json;
}

Json run_json(const RunResult& result) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto rate = [&](std::uint64_t count) {
    return result.wall_seconds > 0 ? static_cast<double>(count) / result.wall_seconds : 0;
  };
  Json run{{"wall_seconds", result.wall_seconds},
           {"flushes_per_second", rate(result.totals.flushes)}};
  if (result.keys) run["operations_per_second"] = rate(result.keys->operations.sum());
  run["process_peak_memory_bytes"] = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  run["host"] = host.data();
  run["version"] = LSMLAB_VERSION;
  return run;
}

Json merge_times_json(const std::vector<MergeTime>& times) {
  Json operations_before = Json::array();
  Json bytes_read = Json::array();
  Json bytes_written = Json::array();
  Json nanoseconds = Json::array();
  Json processor_ns = Json::array();
  Json core_wait_ns = Json::array();
  for (const MergeTime& time : times) {
    operations_before.push_back(time.operations_before);
    bytes_read.push_back(time.bytes_read);
    bytes_written.push_back(time.bytes_written);
    nanoseconds.push_back(time.nanoseconds);
    processor_ns.push_back(time.processor_ns);
    core_wait_ns.push_back(time.core_wait_ns);
  }
  return {{"operations_before", std::move(operations_before)},
          {"bytes_read", std::move(bytes_read)},
          {"bytes_written", std::move(bytes_written)},
          {"nanoseconds", std::move(nanoseconds)},
          {"processor_ns", std::move(processor_ns)},
          {"core_wait_ns", std::move(core_wait_ns)}};
}

}  // namespace

Json number_json(Uint128 value) {
  if (value <= std::numeric_limits<std::uint64_t>::max()) return static_cast<std::uint64_t>(value);
  return std::string(kWideNumber) + uint128_text(value);
}

Json options_to_json(const ResolvedOptions& options) {
  Json json = Json::object();
  for (const auto& [name, value] : options) {
    Json& slot = json[name];
    if (const auto* flag = std::get_if<bool>(&value)) slot = *flag;
    if (const auto* number = std::get_if<std::uint64_t>(&value)) slot = *number;
    if (const auto* real = std::get_if<double>(&value)) slot = *real;
    if (const auto* text = std::get_if<std::string>(&value)) slot = *text;
  }
  return json;
}

namespace {

Json cost_model_json(const std::vector<ComparedCost>& costs) {
  Json json = Json::array();
  for (const ComparedCost& cost : costs) {
    json.push_back({{"name", cost.model.name},
                    {"value", cost.model.value},
                    {"unit", cost.model.unit},
                    {"source", cost.model.source},
                    {"run_figure", cost.run_figure.empty() ? Json(nullptr) : Json(cost.run_figure)},
                    {"run", optional_json(cost.run)}});
  }
  return json;
}

}  // namespace

Json result_to_json(const RunResult& result) {
  Json json;
  json["schema"] = kResultSchema;
  json["source"] = result.source;
  json["policy"] = {{"name", result.policy},
                    {"family", result.policy_family},
                    {"label", result.policy_label},
                    {"parameters", options_to_json(result.policy_options)}};
  json["workload"] = {{"name", result.workload},
                      {"parameters", options_to_json(result.workload_options)}};
  if (result.files) json["engine"] = options_to_json(result.files->engine_options);
  json["device"] = nullptr;
  if (result.machine) {
    json["device"] = {{"name", result.machine->device},
                      {"parameters", options_to_json(result.machine->device_options)}};
  }
  json["mode"] = result.mode;
  json["resolution"] = result.resolution;
  json["seed"] = result.seed;
  json["complete"] = result.complete;
  json["totals"] = totals_json(result.totals);
  json["amplification"] = amplification_json(result);
  json["floor"] = result.floor ? floor_json(*result.floor, result.totals) : Json(nullptr);
  const std::vector<ComparedCost> cost_model = cost_figures_of(result);
  if (!cost_model.empty()) json["cost_model"] = cost_model_json(cost_model);
  if (result.keys) {
    json["operations"] = operations_json(result.keys->operations);
    if (result.keys->reads) json["reads"] = reads_json(*result.keys->reads);
    json["merge_sizes"] = merge_sizes_json(result.keys->merge_sizes);
  }
  add_time_json(result, json);
  add_measured(result, json);
  if (!result.merge_times.empty()) json["merge_times"] = merge_times_json(result.merge_times);
  json["final"] = final_json(result);
  json["series"] = series_json(result.series);
  if (!result.stacks.empty()) json["stacks"] = stacks_json(result.stacks);
  json["run"] = run_json(result);
  return json;
}

std::string results_text(std::span<const RunResult> results) {
  Json json = Json::array();
  for (const RunResult& result : results) json.push_back(result_to_json(result));
  const Json& root = results.size() == 1 ? json[0] : json;
  // Paths may hold bytes that are not UTF-8; they are replaced rather than refused after a long
  // run.
  return unquote_wide_numbers(root.dump(1, ' ', false, Json::error_handler_t::replace)) + "\n";
}

Result<std::vector<Json>> parse_results(const std::string& name, const std::string& text) {
  Result<Json> parsed = parse_json(text);
  if (!parsed) return input_error(fmt::format("{}: {}", name, parsed.error().message));
  Json json = std::move(parsed).value();
  std::vector<Json> results;
  if (json.is_array()) {
    for (Json& element : json) results.push_back(std::move(element));
  } else {
    results.push_back(std::move(json));
  }
  if (results.empty()) return input_error(fmt::format("{}: holds no results", name));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto fault = result_fault(results[i]);
    if (!fault) continue;
    return input_error(
        fmt::format("{}: result {}: not a result of lsmlab: {}", name, i + 1, *fault));
  }
  return results;
}

Result<std::vector<Json>> read_results(const std::string& path) {
  const auto text = BOOST_OUTCOME_TRYX(read_text_file(path, kDataBytesMax));
  return parse_results(path, text);
}

}  // namespace lsmlab

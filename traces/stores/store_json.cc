// The JSON of a report.
#include <boost/algorithm/string/case_conv.hpp>

#include "models/base/printable.h"
#include "traces/stores/option_table.h"
#include "traces/stores/pebble_report.h"
#include "traces/stores/store_report.h"

namespace lsmlab::stores {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(printable(text));
}

Json options_json(const Store& store, const std::string& family) {
  const FamilyOptions* values = store.options ? store.options->family(family) : nullptr;
  if (values == nullptr) return nullptr;
  Json list = Json::array();
  for (const ShownOption& option : merge_options(*store.options, *values)) {
    list.push_back({{"name", option.name},
                    {"value", printable(option.value)},
                    {"default", text_or_null(option.standard)},
                    {"differs", option.differs}});
  }
  return list;
}

Json levels_json(const FamilyFigures& figures) {
  const bool is_known = figures.source != HistorySource::kNone;
  Json list = Json::array();
  for (std::size_t i = 0; i < figures.levels.size(); ++i) {
    const LevelFigures& level = figures.levels[i];
    Json row = {{"level", i},
                {"files", level.files},
                {"size_bytes", or_null(level.bytes)},
                {"sublevels", or_null(level.sublevels)},
                {"target_bytes", or_null(level.target_bytes)},
                {"score", or_null(level.score)},
                {"written_bytes", is_known ? Json(level.written_bytes) : Json(nullptr)},
                {"read_bytes", or_null(level.read_bytes)},
                {"moved_in_bytes",
                 is_known && figures.moves_are_known ? Json(level.moved_bytes) : Json(nullptr)},
                {"compression", text_or_null(level.compression)}};
    row["data_block_bytes"] = level.raw_bytes > 0 ? Json(level.data_bytes) : Json(nullptr);
    row["raw_key_and_value_bytes"] = level.raw_bytes > 0 ? Json(level.raw_bytes) : Json(nullptr);
    list.push_back(std::move(row));
  }
  return list;
}

Json flushes_json(const FamilyFigures& figures) {
  const FlushFigures& all = figures.flushes;
  Json reasons = Json::object();
  for (const auto& [reason, count] : all.reasons) reasons[printable(reason)] = count;
  return {{"flushes", all.flushes},
          {"written_bytes", all.bytes},
          {"entries", all.entries},
          {"deletes", all.deletes},
          {"memtable_entries", all.memtable_entries},
          {"memtable_deletes", all.memtable_deletes},
          {"key_bytes", all.raw_key_bytes},
          {"value_bytes", all.raw_value_bytes},
          {"reasons", std::move(reasons)}};
}

Json merges_json(const FamilyFigures& figures) {
  Json rows_merged = Json::object();
  for (const auto& [tables, rows] : figures.rows_merged) rows_merged[std::to_string(tables)] = rows;
  Json reasons = Json::array();
  for (const auto& [name, reason] : figures.reasons) {
    reasons.push_back({{"reason", printable(name)},
                       {"compactions", reason.merges},
                       {"read_bytes", reason.read_bytes},
                       {"written_bytes", reason.written_bytes}});
  }
  return {{"compactions", figures.merges},
          {"written_bytes", figures.merge_written_bytes},
          {"read_bytes", figures.reads_are_known ? Json(figures.merge_read_bytes) : Json(nullptr)},
          {"input_entries", figures.merge_input_entries},
          {"output_entries", figures.merge_output_entries},
          {"moved_files", figures.moves_are_known ? Json(figures.moves) : Json(nullptr)},
          {"moved_bytes", figures.moves_are_known ? Json(figures.moved_bytes) : Json(nullptr)},
          {"rows_merged", std::move(rows_merged)},
          {"reasons", std::move(reasons)}};
}

Json tenths_json(const FamilyFigures& figures) {
  Json list = Json::array();
  for (const TenthFigures& tenth : figures.tenths) {
    list.push_back(
        {{"flushed_bytes", tenth.flushed_bytes}, {"compacted_bytes", tenth.merged_bytes}});
  }
  return list;
}

Json statistics_json(const Store& store, const std::string& family) {
  for (auto log = store.logs.rbegin(); log != store.logs.rend(); ++log) {
    const auto table = log->log.statistics.find(family);
    if (table == log->log.statistics.end() || table->second.rows.empty()) continue;
    Json rows = Json::array();
    for (const StatisticsRow& row : table->second.rows) {
      Json columns = Json::object();
      for (const auto& [name, value] : row.columns) columns[printable(name)] = value;
      rows.push_back({{"level", printable(row.level)},
                      {"files", row.files},
                      {"size_bytes", row.bytes},
                      {"columns", std::move(columns)}});
    }
    Json stalls = Json::object();
    for (const auto& [name, count] : table->second.stalls) stalls[printable(name)] = count;
    return {{"log", printable(log->name)},
            {"uptime_seconds", or_null(table->second.uptime_seconds)},
            {"flushed_gibibytes", or_null(table->second.flushed_gigabytes)},
            {"levels", std::move(rows)},
            {"estimated_level", or_null(table->second.estimated_level)},
            {"stalls", std::move(stalls)}};
  }
  return nullptr;
}

Json source_json(HistorySource source) {
  if (source == HistorySource::kNone) return nullptr;
  return boost::algorithm::to_lower_copy(std::string(name_of(source)));
}

Json nodetool_json(const NodetoolTable& table) {
  return {{"sstables", or_null(table.sstables)},
          {"sstables_by_level", table.level_sstables},
          {"live_bytes", or_null(table.live_bytes)},
          {"total_bytes", or_null(table.total_bytes)},
          {"compression_ratio", or_null(table.compression_ratio)},
          {"partitions", or_null(table.partitions)},
          {"partition_mean_bytes", or_null(table.partition_mean_bytes)},
          {"memtable_switches", or_null(table.memtable_switches)},
          {"reads", or_null(table.reads)},
          {"writes", or_null(table.writes)}};
}

Json family_json(const Store& store, const FamilyFigures& figures) {
  const bool is_known = figures.source != HistorySource::kNone;
  Json stalls = Json::object();
  for (const auto& [cause, count] : figures.stalls) stalls[cause] = count;
  Json row;
  row["name"] = printable(figures.name);
  row["history_from"] = source_json(figures.source);
  row["tree_from"] = text_or_null(figures.tree_source);
  row["logged_seconds"] = figures.seconds;
  row["history_seconds"] = figures.history_seconds;
  row["options"] = options_json(store, figures.name);
  row["levels"] = levels_json(figures);
  const bool has_flushes = is_known && figures.source != HistorySource::kCompactions;
  row["flushes"] = has_flushes ? flushes_json(figures) : Json(nullptr);
  row["compactions"] = is_known ? merges_json(figures) : Json(nullptr);
  row["write_amplification"] = or_null(figures.write_amplification());
  row["guesses"] = guesses_json(store, figures);
  row["tenths_of"] = figures.tenths_are_of_time ? "time" : "steps";
  row["tenths"] = is_known && !has_sums_only(figures.source) ? tenths_json(figures) : Json(nullptr);
  row["stalls"] = std::move(stalls);
  row["unfinished_jobs"] = figures.unfinished;
  row["statistics"] = statistics_json(store, figures.name);
  row["metrics"] = store.metrics ? metrics_json(*store.metrics) : Json(nullptr);
  const NodetoolTable* const table = store.nodetool_table(figures.name);
  if (table != nullptr) row["nodetool"] = nodetool_json(*table);
  return row;
}

}  // namespace

nlohmann::ordered_json guesses_json(const Store& store, const FamilyFigures& figures) {
  const FamilyOptions* options = store.options ? store.options->family(figures.name) : nullptr;
  return {{"estimated_level", or_null(figures.estimated_level)},
          {"lacks_rows", figures.lacks_rows},
          {"lacks_level0", figures.lacks_level0},
          {"jobs_without_sizes", figures.unsized_jobs},
          {"options_are_partial", options != nullptr && options->is_partial}};
}

nlohmann::ordered_json report_json(const Store& store, const std::vector<FamilyFigures>& families) {
  Json report;
  report["path"] = printable(store.path);
  report["system"] = name_of(store.system);
  report["version"] = text_or_null(store.version);
  report["options_from"] = text_or_null(store.options_source);
  report["manifest_from"] = text_or_null(store.manifest_source);
  report["manifest_edits"] = store.manifest ? Json(store.manifest->history.size()) : Json(nullptr);
  Json logs = Json::array();
  for (const NamedLog& named : store.logs) {
    const InfoLog& log = named.log;
    logs.push_back({{"name", printable(named.name)},
                    {"lines", log.lines},
                    {"first_microseconds", log.first_micros},
                    {"last_microseconds", log.last_micros},
                    {"stalled_seconds", or_null(log.stalled_seconds)},
                    {"ingested_gibibytes", or_null(log.ingested_gigabytes)},
                    {"written_keys", or_null(log.written_keys)},
                    {"read_cut_share", or_null(log.read_cut_share)},
                    {"written_cut_share", or_null(log.written_cut_share)}});
  }
  report["logs"] = std::move(logs);
  Json faults = Json::array();
  for (const Error& fault : store.faults) faults.push_back(printable(fault.message));
  report["faults"] = std::move(faults);
  Json rows = Json::array();
  for (const FamilyFigures& figures : families) rows.push_back(family_json(store, figures));
  report["column_families"] = std::move(rows);
  return report;
}

}  // namespace lsmlab::stores

#include "traces/stores/pebble_report.h"

#include <fmt/format.h>

#include "models/base/printable.h"
#include "models/base/quantity_text.h"

namespace lsmlab::stores {
namespace {

using Json = nlohmann::ordered_json;

std::string counts_text(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(name), grouped_text(count));
  }
  return text;
}

template <class T>
Json metric_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json counts_json(const std::map<std::string, std::uint64_t>& counts) {
  Json object = Json::object();
  for (const auto& [name, count] : counts) object[printable(name)] = count;
  return object;
}

}  // namespace

std::string metrics_text(const PebbleMetrics& metrics, const std::string& source) {
  if (metrics.levels.empty()) return "";
  std::string text =
      fmt::format("  metrics ({} in {}; Pebble rounds sizes to two or three digits):\n",
                  metrics.tables == 0   ? "what is left of a cut table"
                  : metrics.tables == 1 ? "the table"
                                        : "the last of " + grouped_text(metrics.tables) + " tables",
                  source);
  text += fmt::format("    {:<5} {:>11} {:>11} {:>6}\n", "level", "in", "ingested", "w-amp");
  for (std::size_t i = 0; i < metrics.levels.size(); ++i) {
    const PebbleLevel& level = metrics.levels[i];
    text += fmt::format("    {:<5} {:>11} {:>11} {:>6.2f}\n", i, bytes_text(level.in_bytes),
                        bytes_text(level.ingested_bytes), level.write_amplification);
  }
  if (metrics.log_in_bytes && metrics.log_written_bytes) {
    text += fmt::format("    write-ahead log: {} of batches, {} written\n",
                        bytes_text(*metrics.log_in_bytes), bytes_text(*metrics.log_written_bytes));
  }
  if (metrics.total_write_amplification) {
    text += fmt::format("    write amplification with the write-ahead log: {:.2f}\n",
                        *metrics.total_write_amplification);
  }
  if (metrics.compactions) {
    text += fmt::format("    compactions by kind: {} in total{}{}\n",
                        grouped_text(*metrics.compactions), metrics.kinds.empty() ? "" : ": ",
                        counts_text(metrics.kinds));
  }
  if (metrics.debt_bytes) {
    text += fmt::format("    estimated compaction debt: {}\n", bytes_text(*metrics.debt_bytes));
  }
  if (!metrics.compression.empty()) {
    text += fmt::format("    tables by compression: {}\n", counts_text(metrics.compression));
  }
  if (metrics.tombstones) {
    text += fmt::format("    tombstones in the tables: {}\n", grouped_text(*metrics.tombstones));
  }
  return text;
}

Json metrics_json(const PebbleMetrics& metrics) {
  Json levels = Json::array();
  for (std::size_t i = 0; i < metrics.levels.size(); ++i) {
    const PebbleLevel& level = metrics.levels[i];
    levels.push_back({{"level", i},
                      {"files", level.files},
                      {"size_bytes", level.bytes},
                      {"score", metric_json(level.score)},
                      {"fill_factor", metric_json(level.fill_factor)},
                      {"in_bytes", level.in_bytes},
                      {"ingested_bytes", level.ingested_bytes},
                      {"moved_in_bytes", level.moved_bytes},
                      {"written_files", level.written_files},
                      {"written_bytes", level.written_bytes},
                      {"read_bytes", level.read_bytes},
                      {"sublevels", metric_json(level.sublevels)},
                      {"write_amplification", level.write_amplification}});
  }
  return {{"tables", metrics.tables},
          {"levels", std::move(levels)},
          {"write_amplification_with_log", metric_json(metrics.total_write_amplification)},
          {"log_batch_bytes", metric_json(metrics.log_in_bytes)},
          {"log_written_bytes", metric_json(metrics.log_written_bytes)},
          {"flushes", metric_json(metrics.flushes)},
          {"compactions", metric_json(metrics.compactions)},
          {"compactions_by_kind", counts_json(metrics.kinds)},
          {"estimated_debt_bytes", metric_json(metrics.debt_bytes)},
          {"tables_by_compression", counts_json(metrics.compression)},
          {"tombstones", metric_json(metrics.tombstones)}};
}

}  // namespace lsmlab::stores

#include "validate/results/summary_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/quantity_text.h"
#include "validate/results/phase_table.h"
#include "validate/results/result_figure.h"
#include "validate/results/result_query.h"
#include "validate/results/time_table.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

struct SummaryColumn {
  ResultFigure ResultFigures::*figure;
  const char* head;
  int width;
  int digits = 0;                      // after the point; rates have none
  bool is_dropped_where_zero = false;  // in all results of the table
};

using Figures = ResultFigures;

constexpr SummaryColumn kFlushColumns[] = {{&Figures::floor_k, "k", 4},
                                           {&Figures::flushes, "flushes", 13},
                                           {&Figures::write_flushed, "write ampl.", 12, 3},
                                           {&Figures::floor_ratio, "x floor", 10, 4},
                                           {&Figures::read_mean, "runs mean", 9, 3},
                                           {&Figures::read_max, "runs max", 8},
                                           {&Figures::space_transient, "transient", 9, 3},
                                           {&Figures::peak_space, "peak space", 10, 3},
                                           {&Figures::flushes_per_second, "flushes/s", 19}};

constexpr SummaryColumn kKeyColumns[] = {{&Figures::flushes, "flushes", 9},
                                         {&Figures::write, "write ampl.", 11, 3},
                                         {&Figures::write_flushed, "W-Amp", 7, 3},
                                         {&Figures::merges, "merges", 9},
                                         {&Figures::moves, "moves", 8},
                                         {&Figures::links, "links", 8, 0, true},
                                         {&Figures::read_mean, "runs mean", 9, 3},
                                         {&Figures::read_max, "runs max", 8},
                                         {&Figures::space, "space", 7, 3},
                                         {&Figures::peak_space, "peak space", 10, 3},
                                         {&Figures::peak_file_bytes, "peak disk", 10},
                                         {&Figures::tombstones, "tombstones", 10, 0, true},
                                         {&Figures::read_blocks, "blocks/get", 11, 4, true},
                                         {&Figures::operations_per_second, "op/s", 14}};

// The columns of a table of these results: without those in which nothing stands.
std::vector<SummaryColumn> columns_of(std::span<const Json> results) {
  if (!results.front().contains("operations")) {
    return {std::begin(kFlushColumns), std::end(kFlushColumns)};
  }
  std::vector<SummaryColumn> shown;
  for (const SummaryColumn& column : kKeyColumns) {
    const bool has_value = std::any_of(results.begin(), results.end(), [&](const Json& result) {
      return (result_figures().*column.figure).number(result).value_or(0) != 0;
    });
    if (has_value || !column.is_dropped_where_zero) shown.push_back(column);
  }
  return shown;
}

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.1f}M", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.0f}k", per_second / 1e3);
  return fmt::format("{:.0f}", per_second);
}

std::string column_text(const Json& result, const SummaryColumn& column) {
  const ResultFigure& figure = result_figures().*column.figure;
  const std::optional<double> value = figure.number(result);
  if (!value) return "-";
  if (figure.descriptor().averaging == Averaging::kRate) return rate_text(*value);
  if (figure.descriptor().unit == "bytes") return bytes_text(static_cast<std::uint64_t>(*value));
  return fmt::format("{:.{}f}", *value, column.digits);
}

// A `k` that is not the policy's bound says nothing about the policy.
bool is_shown(const Json& result, const SummaryColumn& column) {
  return column.figure != &Figures::floor_k ||
         result_figures().floor_k_is_policy_bound.flag(result);
}

std::string row_text(const Json& result, std::size_t width,
                     std::span<const SummaryColumn> columns) {
  std::string row = fmt::format("{:<{}}", result["policy"]["label"].get<std::string>(), width);
  for (const SummaryColumn& column : columns) {
    const bool has_value = is_shown(result, column) && !is_unstarted(result);
    row += fmt::format(" {:>{}}", has_value ? column_text(result, column) : "-", column.width);
  }
  if (is_unstarted(result)) return row + "  (not started)\n";
  const bool complete = !result.contains("complete") || result["complete"] != false;
  return row + (complete ? "\n" : "  (stopped early)\n");
}

// The speed of the program itself must not read like the throughput of the store.
std::string head_text(const Json& result, const SummaryColumn& column) {
  const bool is_program_speed = column.figure == &Figures::flushes_per_second ||
                                column.figure == &Figures::operations_per_second;
  if (!is_program_speed) return column.head;
  const bool is_simulated = result.value("source", "") == "simulator";
  return fmt::format("{} {}", is_simulated ? "simulator" : "replay", column.head);
}

std::string header_text(const Json& result, std::size_t width,
                        std::span<const SummaryColumn> columns) {
  std::string header = fmt::format("{:<{}}", "policy", width);
  for (const SummaryColumn& column : columns) {
    header += fmt::format(" {:>{}}", head_text(result, column), column.width);
  }
  return header + "\n";
}

// The workload as a SPEC, without absent parameters: "flushes:count=1000,size=4194304".
std::string workload_text(const Json& workload) {
  std::string text = workload["name"].get<std::string>();
  const char* separator = ":";
  for (const auto& [name, value] : workload["parameters"].items()) {
    if (value.is_null()) continue;
    text += separator + name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    separator = ",";
  }
  return text;
}

// What a reader could take the figures for, and what they are.
std::string notes_on(std::span<const Json> results) {
  bool has_bases = false;
  bool is_counted = false;
  for (const Json& result : results) {
    if (!result.contains("operations")) continue;
    has_bases = true;
    is_counted = is_counted || result.value("mode", "") == "stepped";
  }
  std::string notes;
  if (has_bases) {
    notes +=
        "\nwrite ampl.: SSTable bytes written / bytes of keys and values; W-Amp: / bytes flushed, "
        "as "
        "RocksDB prints it\n";
  }
  if (is_counted) {
    notes +=
        "counted without a clock: every merge that is due ends before the next write. A writer "
        "that "
        "does not wait\nmerges more at once and mostly writes less; --device NAME (simulate) or "
        "--mode "
        "threaded (replay) shows that\n";
  }
  return notes;
}

}  // namespace

std::string summary_text(std::span<const Json> results) {
  std::size_t width = 6;
  bool is_one_workload = true;
  for (const Json& result : results) {
    width = std::max(width, result["policy"]["label"].get<std::string>().size());
    is_one_workload = is_one_workload && result["workload"] == results.front()["workload"];
  }
  std::string text;
  std::vector<SummaryColumn> columns;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_new = i == 0 || results[i]["workload"] != results[i - 1]["workload"];
    if (is_new && !is_one_workload) {
      text += (i == 0 ? "" : "\n") + workload_text(results[i]["workload"]) + "\n";
    }
    if (is_new) {
      std::size_t end = i;
      while (end < results.size() && results[end]["workload"] == results[i]["workload"]) ++end;
      columns = columns_of(results.subspan(i, end - i));
      text += header_text(results[i], width, columns);
    }
    text += row_text(results[i], width, columns);
  }
  return text + phase_table(results, width) + time_table(results, width) + notes_on(results);
}

}  // namespace lsmlab

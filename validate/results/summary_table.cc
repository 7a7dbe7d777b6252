#include "validate/results/summary_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

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
  int digits = 0;  // after the point; rates have none
};

using Figures = ResultFigures;

constexpr SummaryColumn kFlushColumns[] = {{&Figures::floor_k, "k", 4},
                                           {&Figures::flushes, "flushes", 13},
                                           {&Figures::write_flushed, "write ampl.", 12, 3},
                                           {&Figures::floor_ratio, "x floor", 10, 4},
                                           {&Figures::read_mean, "runs mean", 9, 3},
                                           {&Figures::read_max, "runs max", 8},
                                           {&Figures::space_transient, "transient", 9, 3},
                                           {&Figures::flushes_per_second, "flushes/s", 19}};

constexpr SummaryColumn kKeyColumns[] = {{&Figures::flushes, "flushes", 9},
                                         {&Figures::write, "write ampl.", 11, 3},
                                         {&Figures::merges, "merges", 9},
                                         {&Figures::moves, "moves", 8},
                                         {&Figures::links, "links", 8},
                                         {&Figures::read_mean, "runs mean", 9, 3},
                                         {&Figures::read_max, "runs max", 8},
                                         {&Figures::space, "space", 7, 3},
                                         {&Figures::tombstones, "tombstones", 10},
                                         {&Figures::read_blocks, "blocks/get", 11, 4},
                                         {&Figures::operations_per_second, "op/s", 14}};

std::span<const SummaryColumn> columns_of(const Json& result) {
  if (result.contains("operations")) return kKeyColumns;
  return kFlushColumns;
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
  return fmt::format("{:.{}f}", *value, column.digits);
}

// A `k` that is not the policy's bound says nothing about the policy.
bool is_shown(const Json& result, const SummaryColumn& column) {
  return column.figure != &Figures::floor_k ||
         result_figures().floor_k_is_policy_bound.flag(result);
}

std::string row_text(const Json& result, std::size_t width) {
  std::string row = fmt::format("{:<{}}", result["policy"]["label"].get<std::string>(), width);
  for (const SummaryColumn& column : columns_of(result)) {
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

std::string header_text(const Json& result, std::size_t width) {
  std::string header = fmt::format("{:<{}}", "policy", width);
  for (const SummaryColumn& column : columns_of(result)) {
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

}  // namespace

std::string summary_text(std::span<const Json> results) {
  std::size_t width = 6;
  bool is_one_workload = true;
  for (const Json& result : results) {
    width = std::max(width, result["policy"]["label"].get<std::string>().size());
    is_one_workload = is_one_workload && result["workload"] == results.front()["workload"];
  }
  std::string text;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_new = i == 0 || results[i]["workload"] != results[i - 1]["workload"];
    if (is_new && !is_one_workload) {
      text += (i == 0 ? "" : "\n") + workload_text(results[i]["workload"]) + "\n";
    }
    if (is_new) text += header_text(results[i], width);
    text += row_text(results[i], width);
  }
  return text + time_table(results, width);
}

}  // namespace lsmlab

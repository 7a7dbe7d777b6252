#include "validate/results/summary_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "models/accounting/figures.h"
#include "models/base/check.h"
#include "validate/results/json_text.h"
#include "validate/results/time_table.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

struct SummaryColumn {
  const char* pointer;  // of a figure in the result
  const char* head;
  int width;
  int digits = 0;  // after the point; of rates none
};

constexpr SummaryColumn kFlushColumns[] = {{"/floor/k", "k", 4},
                                           {"/totals/flushes", "flushes", 13},
                                           {"/amplification/write_flushed", "write ampl.", 12, 3},
                                           {"/floor/ratio", "x floor", 10, 4},
                                           {"/amplification/read_mean", "runs mean", 9, 3},
                                           {"/amplification/read_max", "runs max", 8},
                                           {"/amplification/space_transient", "transient", 9, 3},
                                           {"/run/flushes_per_second", "flushes/s", 9}};

constexpr SummaryColumn kKeyColumns[] = {{"/totals/flushes", "flushes", 9},
                                         {"/amplification/write", "write ampl.", 11, 3},
                                         {"/totals/merges", "merges", 9},
                                         {"/totals/moves", "moves", 8},
                                         {"/totals/links", "links", 8},
                                         {"/amplification/read_mean", "runs mean", 9, 3},
                                         {"/amplification/read_max", "runs max", 8},
                                         {"/amplification/space", "space", 7, 3},
                                         {"/final/tombstones", "tombstones", 10},
                                         {"/amplification/read_blocks", "blocks/get", 11, 4},
                                         {"/run/operations_per_second", "operations/s", 12}};

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
  const Figure* figure = find_figure(path_of_pointer(column.pointer));
  CHECK(figure != nullptr);
  const auto value = number_at(result, column.pointer);
  if (!value) return "-";
  if (figure->averaging == Averaging::kRate) return rate_text(*value);
  return fmt::format("{:.{}f}", *value, column.digits);
}

// A bound that is the run's and not the policy's says nothing of the policy.
bool is_shown(const Json& result, const SummaryColumn& column) {
  if (std::string_view(column.pointer) != "/floor/k") return true;
  const auto floor = result.find("floor");
  return floor != result.end() && floor->is_object() && floor->value("k_is_policy_bound", false);
}

std::string row_text(const Json& result, std::size_t width) {
  std::string row = fmt::format("{:<{}}", result["policy"]["label"].get<std::string>(), width);
  for (const SummaryColumn& column : columns_of(result)) {
    row += fmt::format(" {:>{}}", is_shown(result, column) ? column_text(result, column) : "-",
                       column.width);
  }
  const bool complete = !result.contains("complete") || result["complete"] != false;
  return row + (complete ? "\n" : "  (stopped early)\n");
}

std::string header_text(const Json& result, std::size_t width) {
  std::string header = fmt::format("{:<{}}", "policy", width);
  for (const SummaryColumn& column : columns_of(result)) {
    header += fmt::format(" {:>{}}", column.head, column.width);
  }
  return header + "\n";
}

// "flushes:count=1000,size=4194304": what applies, as a SPEC.
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

// A validation as a table for people.
#include <fmt/format.h>

#include <algorithm>

#include "validate/judge/judge.h"
#include "validate/judge/merge_times.h"
#include "validate/judge/simulated_cells.h"
#include "validate/judge/validation_words.h"
#include "validate/runs/calibrated_groups.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::string cell_line(const Json& cell, std::size_t label_width, std::size_t workload_width) {
  const Json& errors = cell["relative_error"];
  const Json& parts = cell["error_of"];
  return fmt::format(
      "{:{}}  {:8}  {:{}} {:>10.4f} {:>10.4f} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n",
      cell["policy"].value("label", ""), label_width, cell.value("source", ""),
      workload_words(cell["workload"]), workload_width, cell["simulated"].value("write", 0.0),
      cell["measured"].value("write", 0.0), percent_words(errors["write"]),
      parts.is_object() ? percent_words(parts["size"]) : "-",
      parts.is_object() ? percent_words(parts["decision"]) : "-", forced_words(cell),
      percent_words(errors["merges"]), percent_words(cell["curve_error"]["largest"]),
      logs_words(cell["logs"]));
}

// Simulated and measured figures in time of the cells that have a clock.
std::string times_text(const Json& cells, std::size_t label_width, std::size_t workload_width) {
  std::string rows;
  for (const Json& cell : cells) {
    if (!cell.contains("time") || !cell.at("time").is_object()) continue;
    const Json& time = cell.at("time");
    rows += fmt::format("{:{}}  {:{}}", cell["policy"].value("label", ""), label_width,
                        workload_words(cell["workload"]), workload_width);
    for (const char* figure : {"operations_per_second", "put_p99_ns", "get_p99_ns"}) {
      rows += fmt::format(" {:>11.0f} {:>11.0f} {:>9}", time["simulated"].value(figure, 0.0),
                          time["measured"].value(figure, 0.0),
                          percent_words(time["relative_error"][figure]));
    }
    rows += fmt::format(" {:>9}", percent_words(time["relative_error"]["merge_bytes_per_second"]));
    for (const auto& [figure, unit] :
         {std::pair("merge_mean_ns", 1e6), {"put_p99.99_ns", 1e3}, {"put_max_ns", 1e6}}) {
      rows += fmt::format(" {:>11.1f} {:>11.1f}", time["simulated"].value(figure, 0.0) / unit,
                          time["measured"].value(figure, 0.0) / unit);
    }
    rows += '\n';
  }
  if (rows.empty()) return "";
  return fmt::format(
             "\n{:{}}  {:{}} {:>11} {:>11} {:>9} {:>11} {:>11} {:>9} {:>11} {:>11} {:>9} {:>9} "
             "{:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n",
             "policy", label_width, "workload", workload_width, "op/s sim.", "measured", "error",
             "put P99 ns", "measured", "error", "get P99 ns", "measured", "error", "merge B/s",
             "merge ms", "measured", "P99.99 us", "measured", "max ms", "measured") +
         rows;
}

std::string interval_text(const Json& interval) {
  if (!interval.is_array()) return "";
  return fmt::format(" [{:.5f}, {:.5f}]", interval[0].get<double>(), interval[1].get<double>());
}

}  // namespace

std::string validation_text(const Json& validation) {
  std::size_t width = 6;
  std::size_t workload_width = 8;
  for (const Json& cell : validation["cells"]) {
    width = std::max(width, cell["policy"].value("label", "").size());
    workload_width = std::max(workload_width, workload_words(cell["workload"]).size());
  }
  if (validation["cells"].empty()) return simulated_text(validation);
  std::string text =
      fmt::format("{:{}}  {:8}  {:{}} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n",
                  "policy", width, "store", "workload", workload_width, "simulated", "measured",
                  "error", "by size", "by plans", "forced", "merges", "curve", "plan logs");
  for (const Json& cell : validation["cells"]) text += cell_line(cell, width, workload_width);
  text += times_text(validation["cells"], width, workload_width);
  if (const auto rows = merge_part_rows(validation); !rows.empty()) {
    text += "\nmerges' time, in ns for each KiB that they read:\n" + aligned_text(rows, 2);
  }
  text += "\nmeasured = slope * simulated + intercept, with 95 % intervals:\n";
  const std::vector<std::string> shown{"write", "write over time", "operations_per_second",
                                       "merge seconds"};
  for (const Json& fit : validation["fits"]) {
    const bool is_shown =
        fit.value("of", "") != "policy" &&
        std::find(shown.begin(), shown.end(), fit.value("figure", "")) != shown.end();
    if (!is_shown) continue;
    const std::string ceiling =
        fit.contains("ceiling_r_squared")
            ? fmt::format(", at most {:.4f}", fit["ceiling_r_squared"].get<double>())
            : "";
    text += fmt::format(
        "  {}, {}: {} points, slope {:.5f}{}, intercept {:.4g}, R^2 {:.7f} (without the line "
        "{:.4f}{}), RMS {:.4g}\n",
        fit.value("name", ""), fit.value("figure", ""), fit["points"].dump(),
        fit["slope"].get<double>(), interval_text(fit["slope_95"]), fit["intercept"].get<double>(),
        fit["r_squared"].get<double>(), fit["prediction_r_squared"].get<double>(), ceiling,
        fit["rms_residual"].get<double>());
  }
  text += simulated_text(validation);
  text += calibrations_text(validation);
  for (const Json& broken : validation["broken_bounds"]) {
    text += fmt::format("broken: {}\n", broken.get<std::string>());
  }
  return text;
}

}  // namespace lsmlab

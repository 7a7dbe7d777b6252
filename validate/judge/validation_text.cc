// A validation as a table for people.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "validate/judge/cell_figures.h"
#include "validate/judge/fits.h"
#include "validate/judge/forgetting.h"
#include "validate/judge/judge.h"
#include "validate/judge/merge_times.h"
#include "validate/judge/resolution_cells.h"
#include "validate/judge/simulated_cells.h"
#include "validate/judge/timed_figures.h"
#include "validate/judge/validation_words.h"
#include "validate/runs/calibrated_groups.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// A figure of one side of a cell; 0 where a validation lacks it.
double figure_of(const Json& side, const JudgedFigure& figure) {
  return side.value(figure.name, 0.0);
}

std::string error_words(const Json& compared, const JudgedFigure& figure) {
  return percent_words(compared.at("relative_error").value(figure.name, Json()));
}

std::string cell_line(const Json& cell, std::size_t label_width, std::size_t workload_width) {
  const Json& parts = cell["error_of"];
  return fmt::format(
      "{:{}}  {:8}  {:{}} {:>10.4f} {:>10.4f} {:>9} {:>9} {:>9} {:>12} {:>9} {:>9}  {}\n",
      cell["policy"].value("label", ""), label_width, cell.value("source", ""),
      workload_words(cell["workload"]), workload_width,
      figure_of(cell["simulated"], write_figure()), figure_of(cell["measured"], write_figure()),
      error_words(cell, write_figure()), parts.is_object() ? percent_words(parts["size"]) : "-",
      parts.is_object() ? percent_words(parts["decision"]) : "-", forced_plans_words(cell),
      error_words(cell, merges_figure()), percent_words(cell["curve_error"]["largest"]),
      logs_words(cell["logs"]));
}

// A figure of the table of times, with its head and the number of its own units in a shown one.
struct TimeColumn {
  const JudgedFigure* figure;
  const char* head;
  double unit = 1;
};

// Columns with both sides and their error.
std::vector<TimeColumn> judged_columns() {
  const TimedFigures& figures = named_timed_figures();
  return {{&figures.throughput, "op/s sim."},
          {&figures.put_p99, "put P99 ns"},
          {&figures.get_p99, "get P99 ns"}};
}

// Columns with both sides only.
std::vector<TimeColumn> shown_columns() {
  const TimedFigures& figures = named_timed_figures();
  return {{&figures.merge_mean, "merge ms", 1e6},
          {&figures.put_p99_99, "P99.99 us", 1e3},
          {&figures.put_max, "max ms", 1e6}};
}

std::string times_head(std::size_t label_width, std::size_t workload_width) {
  std::string head =
      fmt::format("\n{:{}}  {:{}}", "policy", label_width, "workload", workload_width);
  for (const TimeColumn& column : judged_columns()) {
    head += fmt::format(" {:>11} {:>11} {:>9}", column.head, "measured", "error");
  }
  head += fmt::format(" {:>9}", "merge B/s");
  for (const TimeColumn& column : shown_columns()) {
    head += fmt::format(" {:>11} {:>11}", column.head, "measured");
  }
  return head + "\n";
}

// The figures in time of the cells with a clock.
std::string times_text(const Json& cells, std::size_t label_width, std::size_t workload_width) {
  std::string rows;
  for (const Json& cell : cells) {
    if (!cell.contains("time") || !cell.at("time").is_object()) continue;
    const Json& time = cell.at("time");
    rows += fmt::format("{:{}}  {:{}}", cell["policy"].value("label", ""), label_width,
                        workload_words(cell["workload"]), workload_width);
    for (const TimeColumn& column : judged_columns()) {
      rows += fmt::format(
          " {:>11.0f} {:>11.0f} {:>9}", figure_of(time["simulated"], *column.figure),
          figure_of(time["measured"], *column.figure), error_words(time, *column.figure));
    }
    rows += fmt::format(" {:>9}", error_words(time, named_timed_figures().merge_rate));
    for (const TimeColumn& column : shown_columns()) {
      rows += fmt::format(" {:>11.1f} {:>11.1f}",
                          figure_of(time["simulated"], *column.figure) / column.unit,
                          figure_of(time["measured"], *column.figure) / column.unit);
    }
    rows += '\n';
  }
  return rows.empty() ? "" : times_head(label_width, workload_width) + rows;
}

std::string interval_text(const Json& interval) {
  if (!interval.is_array()) return "";
  return fmt::format(" [{:.5f}, {:.5f}]", interval[0].get<double>(), interval[1].get<double>());
}

std::string measured_text(const Json& validation) {
  std::size_t width = 6;
  std::size_t workload_width = 8;
  for (const Json& cell : validation["cells"]) {
    width = std::max(width, cell["policy"].value("label", "").size());
    workload_width = std::max(workload_width, workload_words(cell["workload"]).size());
  }
  std::string text =
      fmt::format("{:{}}  {:8}  {:{}} {:>10} {:>10} {:>9} {:>9} {:>9} {:>12} {:>9} {:>9}  {}\n",
                  "policy", width, "store", "workload", workload_width, "simulated", "measured",
                  "error", "by size", "by plans", "forced plans", "merges", "curve", "plan logs");
  for (const Json& cell : validation["cells"]) text += cell_line(cell, width, workload_width);
  text += times_text(validation["cells"], width, workload_width);
  if (const auto rows = forgetting_rows(validation); !rows.empty()) {
    text += "\nhow fast deletes are forgotten:\n" + aligned_text(rows, kForgettingWords) +
            forgetting_words() + "\n";
  }
  if (const auto rows = merge_part_rows(validation); !rows.empty()) {
    text += "\ntime of merges, in ns for each KiB that they read:\n" + aligned_text(rows, 2);
  }
  text += "\nmeasured = slope * simulated + intercept, with 95 % intervals:\n";
  const std::vector<std::string> shown{write_figure().name, fitted_curve().name,
                                       named_timed_figures().throughput.name,
                                       fitted_merge_times().name};
  for (const Json& fit : validation["fits"]) {
    const bool is_shown =
        fit.value("of", "") != "policy" &&
        std::find(shown.begin(), shown.end(), fit.value("figure", "")) != shown.end();
    if (!is_shown) continue;
    const std::string ceiling =
        fit.contains("ceiling_r_squared")
            ? fmt::format(", ceiling {:.4f}", fit["ceiling_r_squared"].get<double>())
            : "";
    text += fmt::format(
        "  {}, {}: {} points, slope {:.5f}{}, intercept {:.4g}, R^2 {:.7f} (without the line "
        "{:.4f}{}), RMS {:.4g}\n",
        fit.value("name", ""), fit.value("figure", ""), fit["points"].dump(),
        fit["slope"].get<double>(), interval_text(fit["slope_95"]), fit["intercept"].get<double>(),
        fit["r_squared"].get<double>(), fit["prediction_r_squared"].get<double>(), ceiling,
        fit["rms_residual"].get<double>());
  }
  return text;
}

}  // namespace

std::string validation_text(const Json& validation) {
  std::string text;
  if (!validation["cells"].empty()) text = measured_text(validation);
  text += simulated_text(validation);
  text += resolutions_text(validation);
  text += calibrations_text(validation);
  for (const Json& broken : validation["broken_bounds"]) {
    text += fmt::format("broken bound: {}\n", broken.get<std::string>());
  }
  return text;
}

}  // namespace lsmlab

#include "validate/report/validation/validation_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validate/judge/validation_words.h"
#include "validate/report/page.h"
#include "validate/report/results/cost.h"
#include "validate/report/validation/charts.h"
#include "validate/report/validation/time.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCurvesMax = 8;
constexpr std::size_t kMergeChartsMax = 6;

std::string cell_label(const Json& cell) {
  return fmt::format("{}, {}", cell.at("policy").value("label", ""),
                     workload_words(cell.at("workload")));
}

double error_of(const Json& cell) {
  return std::abs(number(cell.at("relative_error").at("write")));
}

// Cells by how far they are off, the worst first.
std::vector<const Json*> by_error(const Json& validation) {
  std::vector<const Json*> cells;
  for (const Json& cell : validation.at("cells")) cells.push_back(&cell);
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Json* a, const Json* b) { return error_of(*a) > error_of(*b); });
  return cells;
}

std::string fact_of(const Json& machine, const char* name) {
  const auto value = machine.find(name);
  if (value == machine.end() || value->is_null()) return "unknown";
  return html_escaped(value->is_string() ? value->get<std::string>() : value->dump());
}

// RocksDB and LevelDB where the build has them.
std::string stores_of(const Json& machine) {
  std::string stores = "lsmlab " + fact_of(machine, "version");
  for (const auto& [name, member] :
       {std::pair{"RocksDB", "rocksdb"}, std::pair{"LevelDB", "leveldb"}}) {
    const auto version = machine.find(member);
    if (version == machine.end() || version->is_null()) continue;
    stores += fmt::format(", {} {}", name, fact_of(machine, member));
  }
  return stores;
}

void add_header(ReportPage& page, const Json& validation, const std::string& title) {
  const Json& machine = validation.at("run");
  page.text(
      fmt::format("<h1>{}</h1>\n<p class=\"lead\">Experiment {}: {}</p>\n<dl class=\"facts\">\n",
                  html_escaped(title), html_escaped(validation.value("experiment", "")),
                  html_escaped(validation.value("description", ""))));
  page.fact("Cells", std::to_string(validation.at("cells").size()));
  page.fact("Processor",
            fmt::format("{}, {} cores", fact_of(machine, "cpu"), fact_of(machine, "cores")));
  page.fact("System", "kernel " + fact_of(machine, "kernel"));
  page.fact("Stores", stores_of(machine));
  page.text("</dl>\n");
}

void add_bounds(ReportPage& page, const Json& validation) {
  const Json& broken = validation.at("broken_bounds");
  if (broken.empty()) {
    page.text("<p>Every bound of the experiment holds.</p>\n");
    return;
  }
  page.text("<p>Bounds of the experiment that are broken:</p>\n<ul>\n");
  for (const Json& text : broken) {
    page.text(fmt::format("<li class=\"broken\">{}</li>\n", html_escaped(text.get<std::string>())));
  }
  page.text("</ul>\n");
}

std::optional<ValidationLine> line_of_all(const Json& validation) {
  for (const Json& fit : validation.at("fits")) {
    if (fit.at("of") == "all" && fit.at("figure") == "write") {
      return ValidationLine{number(fit.at("slope")), number(fit.at("intercept"))};
    }
  }
  return std::nullopt;
}

void add_scatter(ReportPage& page, const Json& validation) {
  std::vector<std::string> families;
  std::vector<ValidationPoint> points;
  for (const Json& cell : validation.at("cells")) {
    const std::string name =
        fmt::format("{} ({})", cell.at("policy").value("name", ""), cell.value("source", ""));
    const auto known = std::find(families.begin(), families.end(), name);
    const auto family = static_cast<std::size_t>(known - families.begin());
    if (known == families.end()) families.push_back(name);
    points.push_back({family, number(cell.at("simulated").at("write")),
                      number(cell.at("measured").at("write"))});
  }
  page.text("<section>\n<h2>Predicted against measured</h2>\n");
  page.figure(
      "", "A point for each cell of the experiment: one policy on one workload.",
      measured_over_simulated("write amplification", points, families, line_of_all(validation)));
  page.figure("", "What is left over: how far the simulation is off.",
              error_over_measured(points, families));
  page.text("</section>\n");
}

ValidationCurve curve_of(const Json& curve) {
  ValidationCurve points;
  for (const Json& value : curve.at("operations")) points.operations.push_back(number(value));
  for (const Json& value : curve.at("write")) points.write.push_back(number(value));
  return points;
}

void add_curves(ReportPage& page, const std::vector<const Json*>& cells) {
  page.text(
      "<section>\n<h2>Over time</h2>\n<p class=\"parameters\">Write amplification as it grows, the "
      "cells that are furthest off first.</p>\n<div class=\"stacks\">\n");
  for (std::size_t i = 0; i < std::min(kCurvesMax, cells.size()); ++i) {
    const Json& cell = *cells[i];
    page.figure("", cell_label(cell),
                write_over_operations(cell_label(cell), curve_of(cell.at("curves").at("simulated")),
                                      curve_of(cell.at("curves").at("measured"))));
  }
  page.text("</div>\n</section>\n");
}

// Of each group that a chart can hold: its cells as they were measured and, beside, simulated.
void add_groups(ReportPage& page, const Json& validation) {
  constexpr std::size_t kCellsMax = 9;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<const Json*>> cells;
  for (const Json& cell : validation.at("cells")) {
    const std::string group = cell.value("group", "");
    if (cells[group].empty()) groups.push_back(group);
    cells[group].push_back(&cell);
  }
  std::erase_if(groups, [&](const std::string& group) {
    return cells[group].size() < 2 || cells[group].size() > kCellsMax;
  });
  if (groups.empty()) return;
  page.text(
      "<section>\n<h2>Groups over time, measured and simulated</h2>\n<div class=\"stacks\">\n");
  for (const std::string& group : groups) {
    std::vector<ValidationCell> measured;
    std::vector<ValidationCell> simulated;
    double write_max = 1;
    for (const Json* cell : cells[group]) {
      const std::string label = cell->at("policy").value("label", "");
      measured.push_back({label, curve_of(cell->at("curves").at("measured"))});
      simulated.push_back({label, curve_of(cell->at("curves").at("simulated"))});
      for (const double write : measured.back().curve.write) write_max = std::max(write_max, write);
      for (const double write : simulated.back().curve.write) {
        write_max = std::max(write_max, write);
      }
    }
    page.figure("", group + ", measured", curves_of_cells("measured", measured, write_max));
    page.figure("", group + ", simulated", curves_of_cells("simulated", simulated, write_max));
  }
  page.text("</div>\n</section>\n");
}

void add_cells(ReportPage& page, const Json& validation, const Json* worst) {
  page.text(
      "<section>\n<h2>All cells</h2>\n<p>Write amplification: SSTable bytes written over user "
      "bytes. The "
      "error is the simulation's over the measured figure; it is the product of two: of the bytes "
      "that an entry takes (by size) and of the entries that plans write (by plans). Plans forced: "
      "the error that is left where the store's first run gives the simulation its plans. Curve: "
      "the "
      "largest error over time, the first tenth left out.</p>\n<div class=\"scroll\">\n<table>\n"
      "<thead><tr><th>policy</th><th>store</th><th>workload</th><th>simulated</th><th>measured</th>"
      "<th>error</th><th>by size</th><th>by plans</th><th>plans forced</th><th>bytes "
      "read</th><th>merges</th>"
      "<th>space</th><th>curve</th><th>plan logs</th></tr></thead>\n<tbody>\n");
  for (const Json& cell : validation.at("cells")) {
    const Json& errors = cell.at("relative_error");
    const Json parts = cell.at("error_of").is_object() ? cell.at("error_of") : Json::object();
    page.text(fmt::format(
        "<tr{}><th scope=\"row\">{}</th><td>{}</td><td "
        "class=\"words\">{}</td><td>{:.4f}</td><td>{:.4f}</td>"
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        &cell == worst ? " class=\"worst\"" : "",
        html_escaped(cell.at("policy").value("label", "")), html_escaped(cell.value("source", "")),
        html_escaped(workload_words(cell.at("workload"))), number(cell.at("simulated").at("write")),
        number(cell.at("measured").at("write")), percent_words(errors.at("write")),
        percent_words(parts.value("size", Json())), percent_words(parts.value("decision", Json())),
        forced_words(cell), percent_words(errors.at("merge_bytes_read")),
        percent_words(errors.at("merges")), percent_words(errors.at("file_bytes")),
        percent_words(cell.at("curve_error").at("largest")),
        html_escaped(logs_words(cell.at("logs")))));
  }
  page.text("</tbody>\n</table>\n</div>\n</section>\n");
}

std::string interval_text(const Json& interval) {
  if (!interval.is_array() || interval.size() != 2) return "&ndash;";
  return fmt::format("{:.5f} to {:.5f}", number(interval.at(0)), number(interval.at(1)));
}

void add_fits(ReportPage& page, const Json& validation) {
  page.text(
      "<section>\n<h2>Lines through the cells</h2>\n<p>measured = slope &times; simulated + "
      "intercept, by least squares, with 95&nbsp;% intervals. Without the line: R&sup2; of the "
      "simulated figures as they are. At most, of merges' seconds: what lines through each cell's "
      "own measured merges, one for those while loading and one for the others, come to; what they "
      "miss is the machine's spread, or is not in a merge's size.</p>\n<div "
      "class=\"scroll\">\n<table>\n"
      "<thead><tr><th>of</th><th>figure</th><th>points</th><th>slope</th><th>its interval</th>"
      "<th>intercept</th><th>R&sup2;</th><th>without the line</th><th>at most</th><th>RMS "
      "residual</th><th>largest "
      "error</th></tr></thead>\n"
      "<tbody>\n");
  for (const Json& fit : validation.at("fits")) {
    page.text(fmt::format(
        "<tr><th scope=\"row\">{} {}</th><td>{}</td><td>{}</td><td>{:.6f}</td><td>{}</td>"
        "<td>{:.6g}</td><td>{:.7f}</td><td>{:.4f}</td><td>{}</td><td>{:.4g}</td><td>{}</td></tr>\n",
        html_escaped(fit.value("of", "")), html_escaped(fit.value("name", "")),
        html_escaped(fit.value("figure", "")), fit.at("points").dump(), number(fit.at("slope")),
        interval_text(fit.at("slope_95")), number(fit.at("intercept")), number(fit.at("r_squared")),
        number(fit.at("prediction_r_squared")),
        fit.contains("ceiling_r_squared")
            ? fmt::format("{:.4f}", number(fit.at("ceiling_r_squared")))
            : "&ndash;",
        number(fit.at("rms_residual")), percent_words(fit.at("largest_relative_error"))));
  }
  page.text("</tbody>\n</table>\n</div>\n</section>\n");
}

void add_merge_times(ReportPage& page, const Json& validation) {
  const Json& times = validation.at("merge_times");
  if (times.empty()) return;
  std::vector<const Json*> shown;
  for (const Json& run : times) shown.push_back(&run);
  std::stable_sort(shown.begin(), shown.end(), [](const Json* a, const Json* b) {
    return number((*a).at("merges")) > number((*b).at("merges"));
  });
  if (shown.size() > kMergeChartsMax) shown.resize(kMergeChartsMax);
  page.text(
      "<section>\n<h2>Time of merges on this disk</h2>\n<p class=\"parameters\">The runs with the "
      "most merges on our engine.</p>\n<div class=\"stacks\">\n");
  for (const Json* run : shown) {
    std::vector<double> bytes;
    std::vector<double> seconds;
    for (const Json& value : (*run).at("bytes_written")) bytes.push_back(number(value));
    for (const Json& value : (*run).at("seconds")) seconds.push_back(number(value));
    const std::string caption =
        fmt::format("{}: {:.1f} MB/s, R^2 {:.4f}", run->value("policy", ""),
                    1e-6 / std::max(1e-15, number((*run).at("seconds_per_byte"))),
                    number((*run).at("r_squared")));
    page.figure("", caption,
                merge_seconds_over_bytes(caption, bytes, seconds,
                                         {number((*run).at("seconds_per_byte")),
                                          number((*run).at("seconds_per_merge"))}));
  }
  page.text("</div>\n</section>\n");
}

Result<std::string> page_of(const Json& validation, const std::string& title) {
  ReportPage page;
  page.begin(title);
  add_header(page, validation, title);
  add_bounds(page, validation);
  page.text("</header>\n<main>\n");
  const std::vector<const Json*> cells = by_error(validation);
  if (!cells.empty()) {
    add_scatter(page, validation);
    add_timed_cells(page, validation);
    add_merge_parts(page, validation);
    add_curves(page, cells);
    add_groups(page, validation);
    add_cells(page, validation, cells.front());
    add_cell_costs(page, validation);
    add_fits(page, validation);
    add_merge_times(page, validation);
  }
  add_simulations(page, validation);
  return page.finish();
}

}  // namespace

Result<std::string> make_validation_report(const Json& validation, const std::string& title) {
  for (const char* member : {"cells", "fits", "merge_times", "broken_bounds"}) {
    if (validation.contains(member) && validation[member].is_array()) continue;
    return input_error(fmt::format("report: the validation has no list \"{}\"", member));
  }
  const bool has_simulations =
      validation.contains("simulations") && !validation.at("simulations").empty();
  if (validation.at("cells").empty() && !has_simulations) {
    return input_error("report: the validation has no cells");
  }
  try {
    return page_of(validation, title);
  } catch (const Json::exception& fault) {
    return input_error(fmt::format("report: the validation cannot be read: {}", fault.what()));
  }
}

}  // namespace lsmlab

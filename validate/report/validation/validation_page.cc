#include "validate/report/validation/validation_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validate/judge/cell_figures.h"
#include "validate/judge/fits.h"
#include "validate/judge/forgetting.h"
#include "validate/judge/timed_figures.h"
#include "validate/judge/validation_words.h"
#include "validate/report/page.h"
#include "validate/report/results/cost.h"
#include "validate/report/results/shown_figure.h"
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
  return std::abs(number(cell.at("relative_error").at(write_figure().name)));
}

double value_of(const Json& cell, const char* side, const JudgedFigure& figure) {
  return number(cell.at(side).at(figure.name));
}

// Cells by their error, the largest first.
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

// With RocksDB and LevelDB if the build has them.
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
    page.text("<p>All cells keep the experiment's bounds.</p>\n");
    return;
  }
  page.text("<p>Bounds of the experiment that cells break:</p>\n<ul>\n");
  for (const Json& text : broken) {
    page.text(fmt::format("<li class=\"broken\">{}</li>\n", html_escaped(text.get<std::string>())));
  }
  page.text("</ul>\n");
}

std::optional<ValidationLine> line_of_all(const Json& validation) {
  for (const Json& fit : validation.at("fits")) {
    if (fit.at("of") == "all" && fit.at("figure") == write_figure().name) {
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
    points.push_back({family, value_of(cell, "simulated", write_figure()),
                      value_of(cell, "measured", write_figure())});
  }
  const std::string label = figure_label(write_figure());
  page.text("<section>\n<h2>Predicted and measured write amplification</h2>\n");
  page.figure("",
              fmt::format("A point for each cell of the experiment: a policy, a workload and a "
                          "store. {}: {}",
                          write_figure().name, plain_definition(write_figure())),
              measured_over_simulated(label, points, families, line_of_all(validation)));
  page.figure("", "Error of the simulation, relative to the measured value.",
              error_over_measured(label, points, families));
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
      "<section>\n<h2>Over time</h2>\n<p class=\"parameters\">Write amplification after each "
      "number "
      "of operations. The cells with the largest errors come first.</p>\n<div "
      "class=\"stacks\">\n");
  for (std::size_t i = 0; i < std::min(kCurvesMax, cells.size()); ++i) {
    const Json& cell = *cells[i];
    page.figure("", cell_label(cell),
                write_over_operations(cell_label(cell), curve_of(cell.at("curves").at("simulated")),
                                      curve_of(cell.at("curves").at("measured"))));
  }
  page.text("</div>\n</section>\n");
}

// Two charts for each group that is small enough: its cells as measured and as simulated.
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
      "<section>\n<h2>Groups over time, measured and simulated</h2>\n<p class=\"parameters\">Write "
      "amplification after each number of operations: a curve for each cell of a group.</p>\n<div "
      "class=\"stacks\">\n");
  for (const std::string& group : groups) {
    std::vector<ValidationCell> measured;
    std::vector<ValidationCell> simulated;
    double write_max = 1;
    for (const Json* cell : cells[group]) {
      const std::string label = cell_label(*cell);
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

// Two rows: the figures, each over its columns, and the columns.
std::string cells_head() {
  std::string names;
  std::string columns;
  for (const auto& [name, html_class] :
       {std::pair{"policy", ""}, std::pair{"store", "word"}, std::pair{"workload", "words"}}) {
    names += fmt::format("<th class=\"{}\" rowspan=\"2\" scope=\"col\">{}</th>", html_class, name);
  }
  names += fmt::format("<th class=\"group\" colspan=\"7\" scope=\"colgroup\" title=\"{}\">{}</th>",
                       html_escaped(plain_definition(write_figure())),
                       html_escaped(figure_label(write_figure())));
  for (const char* name :
       {"simulated", "measured", "error", "by size", "by plans", "forced plans", "curve"}) {
    columns += fmt::format("<th scope=\"col\">{}</th>", name);
  }
  const std::size_t others = compared_figures().size() - 1;
  names +=
      fmt::format("<th class=\"group\" colspan=\"{}\" scope=\"colgroup\">error of</th>", others);
  for (const JudgedFigure& figure : compared_figures()) {
    if (figure.name == write_figure().name) continue;
    columns += fmt::format("<th scope=\"col\" title=\"{}\">{}</th>",
                           html_escaped(plain_definition(figure)), breakable_html(figure.name));
  }
  names += "<th class=\"words\" rowspan=\"2\" scope=\"col\">plan logs</th>";
  return fmt::format("<thead><tr>{}</tr>\n<tr>{}</tr></thead>\n", names, columns);
}

std::string cell_row(const Json& cell, bool is_worst) {
  const Json& errors = cell.at("relative_error");
  const Json parts = cell.at("error_of").is_object() ? cell.at("error_of") : Json::object();
  std::string row = fmt::format(
      "<tr{}><th scope=\"row\">{}</th><td class=\"word\">{}</td><td class=\"words\">{}</td>",
      is_worst ? " class=\"worst\"" : "", html_escaped(cell.at("policy").value("label", "")),
      html_escaped(cell.value("source", "")), html_escaped(workload_words(cell.at("workload"))));
  row += fmt::format("<td>{:.4f}</td><td>{:.4f}</td>", value_of(cell, "simulated", write_figure()),
                     value_of(cell, "measured", write_figure()));
  for (const std::string& text :
       {percent_words(errors.at(write_figure().name)), percent_words(parts.value("size", Json())),
        percent_words(parts.value("decision", Json())), forced_plans_words(cell),
        percent_words(cell.at("curve_error").at("largest"))}) {
    row += fmt::format("<td>{}</td>", text);
  }
  for (const JudgedFigure& figure : compared_figures()) {
    if (figure.name == write_figure().name) continue;
    row += fmt::format("<td>{}</td>", percent_words(errors.value(figure.name, Json())));
  }
  return row + fmt::format("<td class=\"words\">{}</td></tr>\n",
                           html_escaped(logs_words(cell.at("logs"))));
}

void add_cells(ReportPage& page, const Json& validation, const Json* worst) {
  page.text(
      "<section>\n<h2>All cells</h2>\n<dl class=\"definitions\">\n"
      "<dt>error</dt><dd>(simulated - measured) / measured.</dd>\n"
      "<dt>by size</dt><dd>The part of the error that comes from the bytes of an entry.</dd>\n"
      "<dt>by plans</dt><dd>The part that comes from the number of entries that plans write. "
      "1 + error = (1 + by size) &times; (1 + by plans).</dd>\n"
      "<dt>forced plans</dt><dd>The error when the simulation follows the plans of the store's "
      "first run.</dd>\n"
      "<dt>curve</dt><dd>The largest error over time, without the first tenth of the "
      "operations.</dd>\n"
      "<dt>plan logs</dt><dd>Whether the two plan logs are the same; otherwise their first "
      "difference, and how many plans before it are the same.</dd>\n</dl>\n"
      "<div class=\"scroll\">\n<table>\n" +
      cells_head() + "<tbody>\n");
  for (const Json& cell : validation.at("cells")) page.text(cell_row(cell, &cell == worst));
  page.text(
      "</tbody>\n</table>\n</div>\n<p class=\"parameters\">Bold: the cell with the largest "
      "error.</p>\n</section>\n");
}

void add_forgetting(ReportPage& page, const Json& validation) {
  const std::vector<std::vector<std::string>> rows = forgetting_rows(validation);
  if (rows.empty()) return;
  page.text(
      fmt::format("<section>\n<h2>How fast deletes are forgotten</h2>\n<p>{}</p>\n"
                  "<div class=\"scroll\">\n<table>\n",
                  html_escaped(forgetting_words())));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    page.text(r == 0 ? "<thead><tr>" : "<tr>");
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const std::string html_class = c > 0 && c < kForgettingWords ? " class=\"words\"" : "";
      const std::string cell = html_escaped(rows[r][c]);
      page.text(r == 0   ? fmt::format("<th{} scope=\"col\">{}</th>", html_class, cell)
                : c == 0 ? fmt::format("<th scope=\"row\">{}</th>", cell)
                         : fmt::format("<td{}>{}</td>", html_class, cell));
    }
    page.text(r == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n");
  }
  page.text("</tbody>\n</table>\n</div>\n</section>\n");
}

std::string interval_text(const Json& interval) {
  if (!interval.is_array() || interval.size() != 2) return "&ndash;";
  return fmt::format("{:.5f} to {:.5f}", number(interval.at(0)), number(interval.at(1)));
}

std::string fit_row(const Json& fit) {
  const std::string figure = fit.value("figure", "");
  // The unit is that of the intercept and the residuals.
  const FigureDescriptor* known = find_fitted_figure(figure);
  // "group quick", "policy tiered"; of all cells together both words are "all".
  const std::string of = fit.value("of", "");
  const std::string name = fit.value("name", "");
  std::string row = fmt::format(
      "<tr><th scope=\"row\">{}</th><td class=\"words\" title=\"{}\">{}</td><td "
      "class=\"words\">{}</td>",
      html_escaped(of == name ? of : of + " " + name),
      known == nullptr ? "" : html_escaped(plain_definition(*known)), html_escaped(figure),
      known == nullptr ? "" : html_escaped(known->unit));
  row += fmt::format("<td>{}</td><td>{:.6f}</td><td>{}</td><td>{:.6g}</td><td>{:.7f}</td>",
                     fit.at("points").dump(), number(fit.at("slope")),
                     interval_text(fit.at("slope_95")), number(fit.at("intercept")),
                     number(fit.at("r_squared")));
  row += fmt::format(
      "<td>{:.4f}</td><td>{}</td><td>{:.4g}</td><td>{}</td></tr>\n",
      number(fit.at("prediction_r_squared")),
      fit.contains("ceiling_r_squared") ? fmt::format("{:.4f}", number(fit.at("ceiling_r_squared")))
                                        : "&ndash;",
      number(fit.at("rms_residual")), percent_words(fit.at("largest_relative_error")));
  return row;
}

void add_fits(ReportPage& page, const Json& validation) {
  page.text(
      "<section>\n<h2>Regression</h2>\n<p>measured = slope &times; simulated + intercept, by least "
      "squares. The unit is that of intercept and residual.</p>\n<dl class=\"definitions\">\n"
      "<dt>R&sup2;</dt><dd>The share of the measured variance that the line explains.</dd>\n"
      "<dt>R&sup2; without the line</dt><dd>The share that the simulated values explain as they "
      "are.</dd>\n"
      "<dt>R&sup2; ceiling</dt><dd>For durations of merges: R&sup2; of lines through each cell's "
      "own measured merges over their bytes written. There are two lines for a cell, one for "
      "merges while the store is loaded and one for later merges. No line through "
      "bytes written can reach more.</dd>\n</dl>\n"
      "<div class=\"scroll\">\n<table>\n<thead><tr><th>cells of</th><th class=\"words\">figure</th>"
      "<th class=\"word\">unit</th><th>points</th><th>slope</th><th>95&nbsp;% interval</th>"
      "<th>intercept</th><th>R&sup2;</th><th>R&sup2; without the line</th><th>R&sup2; ceiling</th>"
      "<th>RMS residual</th><th>largest error</th></tr></thead>\n<tbody>\n");
  for (const Json& fit : validation.at("fits")) page.text(fit_row(fit));
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
      "<section>\n<h2>Durations of merges on this disk</h2>\n<p class=\"parameters\">The runs of "
      "lsmlab's engine with the most merges.</p>\n<div class=\"stacks\">\n");
  for (const Json* run : shown) {
    std::vector<double> bytes;
    std::vector<double> seconds;
    for (const Json& value : (*run).at("bytes_written")) bytes.push_back(number(value));
    for (const Json& value : (*run).at("seconds")) seconds.push_back(number(value));
    const std::string caption =
        fmt::format("{}: {:.1f} MB/s, R\xC2\xB2 {:.4f}", run->value("policy", ""),
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
    add_forgetting(page, validation);
    add_cell_costs(page, validation);
    add_fits(page, validation);
    add_merge_times(page, validation);
  }
  add_simulations(page, validation);
  add_resolutions(page, validation);
  return page.finish();
}

}  // namespace

Result<std::string> make_validation_report(const Json& validation, const std::string& title) {
  for (const char* member : {"cells", "fits", "merge_times", "broken_bounds"}) {
    if (validation.contains(member) && validation[member].is_array()) continue;
    return input_error(fmt::format("report: the validation has no list \"{}\"", member));
  }
  const auto is_empty = [&](const char* list) {
    return !validation.contains(list) || validation.at(list).empty();
  };
  if (is_empty("cells") && is_empty("simulations") && is_empty("resolutions")) {
    return input_error("report: the validation has no cells");
  }
  try {
    return page_of(validation, title);
  } catch (const Json::exception& fault) {
    return input_error(fmt::format("report: the validation cannot be read: {}", fault.what()));
  }
}

}  // namespace lsmlab

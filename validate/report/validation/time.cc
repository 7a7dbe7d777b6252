#include "validate/report/validation/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "validate/judge/merge_times.h"
#include "validate/judge/resolution_cells.h"
#include "validate/judge/simulated_cells.h"
#include "validate/judge/timed_figures.h"
#include "validate/judge/validation_words.h"
#include "validate/report/results/shown_figure.h"
#include "validate/report/validation/charts.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// A figure that the page shows on purpose, and the unit that it shows it in.
struct TimedFigure {
  const JudgedFigure* figure = nullptr;
  std::string about;  // what the definition leaves open
  ShownUnit unit;
  int digits = 0;  // after the point, in the table
  bool has_chart = true;
  [[nodiscard]] std::string definition() const { return about + plain_definition(*figure); }
  [[nodiscard]] std::string label() const { return figure_label(*figure, unit); }
};

TimedFigure in_own_unit(const JudgedFigure& figure, int digits) {
  return {&figure, "", own_unit(figure), digits};
}

TimedFigure in_unit(const JudgedFigure& figure, const char* unit, int digits,
                    const std::string& about = "") {
  return {&figure, about, larger_unit(figure, unit), digits};
}

std::vector<TimedFigure> shown_figures() {
  constexpr const char* kMicroseconds = "\xC2\xB5s";
  const TimedFigures& figures = named_timed_figures();
  std::vector<TimedFigure> shown{in_own_unit(figures.throughput, 0),
                                 in_unit(figures.put_p99, kMicroseconds, 1, "Latency of puts: "),
                                 in_unit(figures.get_p99, kMicroseconds, 1, "Latency of gets: "),
                                 in_unit(figures.merge_rate, "MB/s", 1),
                                 in_unit(figures.stalled, "s", 2)};
  shown.back().has_chart = false;
  return shown;
}

std::vector<const Json*> timed_cells(const Json& validation) {
  std::vector<const Json*> timed;
  for (const Json& cell : validation.at("cells")) {
    if (cell.contains("time") && cell.at("time").is_object()) timed.push_back(&cell);
  }
  return timed;
}

double timed_value(const Json& cell, const char* side, const TimedFigure& shown) {
  return number(cell.at("time").at(side).at(shown.figure->name)) / shown.unit.size;
}

// The regression line over all cells, in the unit that the page shows. Nothing where there is none.
std::optional<ValidationLine> line_of(const Json& validation, const TimedFigure& shown) {
  for (const Json& fit : validation.at("fits")) {
    if (fit.at("of") != "all" || fit.at("figure") != shown.figure->name) continue;
    return ValidationLine{number(fit.at("slope")), number(fit.at("intercept")) / shown.unit.size};
  }
  return std::nullopt;
}

// A point for each cell that has the figure on either side.
void add_scatter(ReportPage& page, const std::vector<const Json*>& cells, const TimedFigure& shown,
                 const Json& validation) {
  std::vector<std::string> families;
  std::vector<ValidationPoint> points;
  for (const Json* cell : cells) {
    const double measured = timed_value(*cell, "measured", shown);
    const double simulated = timed_value(*cell, "simulated", shown);
    if (measured <= 0 && simulated <= 0) continue;  // the workload has no such operations
    const std::string name = cell->at("policy").value("name", "");
    const auto known = std::find(families.begin(), families.end(), name);
    const auto family = static_cast<std::size_t>(known - families.begin());
    if (known == families.end()) families.push_back(name);
    points.push_back({family, simulated, measured});
  }
  if (points.empty()) return;
  page.text(fmt::format("<h4>{}</h4>\n", html_escaped(shown.figure->name)));
  page.figure("", plain_definition(*shown.figure),
              measured_over_simulated(shown.label(), points, families, line_of(validation, shown)));
}

void add_row(ReportPage& page, const Json& cell, const std::vector<TimedFigure>& figures) {
  std::string row = fmt::format("<tr><th scope=\"row\">{}</th><td class=\"words\">{}</td>",
                                html_escaped(cell.at("policy").value("label", "")),
                                html_escaped(workload_words(cell.at("workload"))));
  for (const TimedFigure& shown : figures) {
    row += fmt::format("<td>{:.{}f}</td><td>{:.{}f}</td><td>{}</td>",
                       timed_value(cell, "simulated", shown), shown.digits,
                       timed_value(cell, "measured", shown), shown.digits,
                       percent_words(cell.at("time").at("relative_error").at(shown.figure->name)));
  }
  page.text(row + "</tr>\n");
}

std::string timed_head(const std::vector<TimedFigure>& figures) {
  std::string names =
      "<tr><th rowspan=\"2\" scope=\"col\">policy</th><th class=\"words\" rowspan=\"2\" "
      "scope=\"col\">workload</th>";
  std::string sides = "<tr>";
  for (const TimedFigure& shown : figures) {
    names +=
        fmt::format("<th class=\"group\" colspan=\"3\" scope=\"colgroup\" title=\"{}\">{}</th>",
                    html_escaped(shown.definition()), breakable_html(shown.label()));
    sides += "<th>simulated</th><th>measured</th><th>error</th>";
  }
  return fmt::format("<thead>{}</tr>\n{}</tr></thead>\n", names, sides);
}

// A section with a table. `rows`: titles, then lines. The first `texts` columns hold words.
void add_table(ReportPage& page, const std::vector<std::vector<std::string>>& rows,
               std::size_t texts, const char* title, const char* meaning) {
  if (rows.empty()) return;
  page.text(
      fmt::format("<section>\n<h2>{}</h2>\n<p>{}</p>\n<div class=\"scroll\">\n<table>\n<thead><tr>",
                  html_escaped(title), html_escaped(meaning)));
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    const char* const begin = column < texts ? "<th class=\"words\">" : "<th>";
    page.text(fmt::format("{}{}</th>", begin, html_escaped(rows.front()[column])));
  }
  page.text("</tr></thead>\n<tbody>\n");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    page.text("<tr>");
    for (std::size_t column = 0; column < rows[i].size(); ++column) {
      const char* const begin = column < texts ? "<td class=\"words\">" : "<td>";
      page.text(fmt::format("{}{}</td>", begin, html_escaped(rows[i][column])));
    }
    page.text("</tr>\n");
  }
  page.text("</tbody>\n</table>\n</div>\n</section>\n");
}

}  // namespace

void add_timed_cells(ReportPage& page, const Json& validation) {
  const std::vector<const Json*> cells = timed_cells(validation);
  if (cells.empty()) return;
  page.text(
      "<section>\n<h2>Throughput and latency</h2>\n<p>Simulated with the experiment's device "
      "model. Measured with threads on the disk that the model describes.</p>\n");
  const std::vector<TimedFigure> figures = shown_figures();
  for (const TimedFigure& shown : figures) {
    if (shown.has_chart) add_scatter(page, cells, shown, validation);
  }
  page.text("<div class=\"scroll\">\n<table>\n" + timed_head(figures) + "<tbody>\n");
  for (const Json* cell : cells) add_row(page, *cell, figures);
  page.text("</tbody>\n</table>\n</div>\n</section>\n");
}

void add_simulations(ReportPage& page, const Json& validation) {
  add_table(page, simulated_rows(validation), 3, "Simulated only",
            "Columns \"x first\" and \"files x\": the figure divided by that of the group's first "
            "policy on the same workload.");
}

void add_resolutions(ReportPage& page, const Json& validation) {
  add_table(page, resolution_rows(validation), 2, "Resolution range and resolution key",
            "Each figure at resolution range minus the figure at resolution key, relative, of "
            "means over seeds, and the standard error of the difference in percent.");
}

void add_merge_parts(ReportPage& page, const Json& validation) {
  add_table(page, merge_part_rows(validation), 2, "How merges spend their time",
            "Nanoseconds for each KiB that merges read. A merge's thread works, waits for a core, "
            "or waits for the device.");
}

}  // namespace lsmlab

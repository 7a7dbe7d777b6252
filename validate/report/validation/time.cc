#include "validate/report/validation/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "validate/judge/merge_times.h"
#include "validate/judge/simulated_cells.h"
#include "validate/judge/validation_words.h"
#include "validate/report/validation/charts.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::vector<const Json*> timed_cells(const Json& validation) {
  std::vector<const Json*> timed;
  for (const Json& cell : validation.at("cells")) {
    if (cell.contains("time") && cell.at("time").is_object()) timed.push_back(&cell);
  }
  return timed;
}

std::optional<ValidationLine> line_of(const Json& validation, const char* figure) {
  for (const Json& fit : validation.at("fits")) {
    if (fit.at("of") != "all" || fit.at("figure") != figure) continue;
    return ValidationLine{number(fit.at("slope")), number(fit.at("intercept"))};
  }
  return std::nullopt;
}

// One figure of all cells, in `unit`s of it.
void add_scatter(ReportPage& page, const std::vector<const Json*>& cells, const char* figure,
                 const std::string& what, double unit, std::optional<ValidationLine> line) {
  std::vector<std::string> families;
  std::vector<ValidationPoint> points;
  for (const Json* cell : cells) {
    const Json& time = cell->at("time");
    const double measured = number(time.at("measured").at(figure)) / unit;
    const double simulated = number(time.at("simulated").at(figure)) / unit;
    if (measured <= 0 && simulated <= 0) continue;  // there are no such operations
    const std::string name = cell->at("policy").value("name", "");
    const auto known = std::find(families.begin(), families.end(), name);
    const auto family = static_cast<std::size_t>(known - families.begin());
    if (known == families.end()) families.push_back(name);
    points.push_back({family, simulated, measured});
  }
  if (points.empty()) return;
  if (line) line->intercept /= unit;
  page.figure("", "Measured over simulated " + what,
              measured_over_simulated(what, points, families, line));
}

void add_row(ReportPage& page, const Json& cell) {
  const Json& time = cell.at("time");
  std::string row = fmt::format("<tr><th scope=\"row\">{}</th><td class=\"words\">{}</td>",
                                html_escaped(cell.at("policy").value("label", "")),
                                html_escaped(workload_words(cell.at("workload"))));
  const auto add = [&](const char* figure, double unit, int digits) {
    row += fmt::format("<td>{:.{}f}</td><td>{:.{}f}</td><td>{}</td>",
                       number(time.at("simulated").at(figure)) / unit, digits,
                       number(time.at("measured").at(figure)) / unit, digits,
                       percent_words(time.at("relative_error").at(figure)));
  };
  add("operations_per_second", 1, 0);
  add("put_p99_ns", 1000, 1);
  add("get_p99_ns", 1000, 1);
  add("merge_bytes_per_second", 1e6, 1);
  add("stalled_ns", 1e9, 2);
  page.text(row + "</tr>\n");
}

// Titles and lines, the first `texts` columns of words.
void add_table(ReportPage& page, const std::vector<std::vector<std::string>>& rows,
               std::size_t texts, const char* title, const char* meaning) {
  if (rows.empty()) return;
  page.text(
      fmt::format("<section>\n<h2>{}</h2>\n<p>{}</p>\n<div class=\"scroll\">\n<table>\n<thead><tr>",
                  html_escaped(title), html_escaped(meaning)));
  for (const std::string& column : rows.front()) {
    page.text(fmt::format("<th>{}</th>", html_escaped(column)));
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
      "<section>\n<h2>Throughput and latency</h2>\n<p>Simulated on the device of the experiment, "
      "measured with threads on the disk that it stands for.</p>\n");
  add_scatter(page, cells, "operations_per_second", "operations a second", 1,
              line_of(validation, "operations_per_second"));
  add_scatter(page, cells, "put_p99_ns", "P99 of puts (microseconds)", 1000, std::nullopt);
  add_scatter(page, cells, "get_p99_ns", "P99 of gets (microseconds)", 1000, std::nullopt);
  add_scatter(page, cells, "merge_bytes_per_second", "MB/s written by merges", 1e6, std::nullopt);
  page.text("<div class=\"scroll\">\n<table>\n<thead><tr><th>policy</th><th>workload</th>");
  for (const char* figure : {"op/s", "put P99, us", "get P99, us", "merges, MB/s", "stalled, s"}) {
    page.text(fmt::format("<th>{} simulated</th><th>measured</th><th>error</th>", figure));
  }
  page.text("</tr></thead>\n<tbody>\n");
  for (const Json* cell : cells) add_row(page, *cell);
  page.text("</tbody>\n</table>\n</div>\n</section>\n");
}

void add_simulations(ReportPage& page, const Json& validation) {
  add_table(page, simulated_rows(validation), 3, "Simulated only",
            "Times first: the figure over that of the group's first policy on the same workload.");
}

void add_merge_parts(ReportPage& page, const Json& validation) {
  add_table(page, merge_part_rows(validation), 2, "Where merges' time goes",
            "Nanoseconds for each KiB that merges read: their threads work, wait for a core, and "
            "wait for the device.");
}

}  // namespace lsmlab

#include "validate/report/results/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "models/accounting/figures.h"
#include "traces/workloads/flush_workload.h"
#include "traces/workloads/operation_workload.h"
#include "validate/report/gnuplot.h"
#include "validate/report/results/shown_figure.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

std::string figure_head(const Figure& figure) {
  const std::string unit = column_unit(figure);
  return fmt::format(
      "<th scope=\"col\" title=\"{}\">{}{}</th>", html_escaped(plain_definition(figure)),
      breakable_html(label_of(figure)),
      unit.empty() ? "" : "<br><span class=\"unit\">" + breakable_html(unit) + "</span>");
}

bool any_has(std::span<const Json> results, FigureName name) {
  return std::any_of(results.begin(), results.end(),
                     [&](const Json& result) { return !figure_of(name).json(result).is_null(); });
}

// Those that some result has.
std::vector<MainFigure> shown_figures(std::span<const Json> results) {
  std::vector<MainFigure> shown;
  for (const MainFigure& main : kMainFigures) {
    if (any_has(results, main.name)) shown.push_back(main);
  }
  return shown;
}

std::vector<FigureName> names_of(const std::vector<MainFigure>& figures) {
  std::vector<FigureName> names;
  for (const MainFigure& main : figures) names.push_back(main.name);
  return names;
}

// Two rows: the groups, each over its figures, and the figures. `last`: a column without a group,
// or nothing.
std::string table_head(const std::vector<FigureName>& names, const std::string& last) {
  std::string groups = "<tr><th rowspan=\"2\" scope=\"col\">policy</th>";
  std::string figures = "<tr>";
  for (std::size_t i = 0; i < names.size();) {
    const std::string& group = figure_of(names[i]).group().path;
    std::size_t end = i;
    for (; end < names.size() && figure_of(names[end]).group().path == group; ++end) {
      figures += figure_head(figure_of(names[end]).descriptor());
    }
    groups += fmt::format("<th class=\"group\" scope=\"colgroup\" colspan=\"{}\">{}</th>", end - i,
                          html_escaped(group));
    i = end;
  }
  if (!last.empty()) groups += fmt::format("<th rowspan=\"2\" scope=\"col\">{}</th>", last);
  return fmt::format("<thead>{}</tr>\n{}</tr></thead>\n", groups, figures);
}

std::string cell_text(const Json& result, FigureName name) {
  return figure_value_text(figure_of(name).descriptor(), figure_of(name).json(result));
}

// The text of the best result. Unfinished runs have written less, so they cannot be compared with
// the others.
std::string best_text(const ReportWorkload& workload, std::span<const Json> results,
                      const MainFigure& column) {
  if (!column.is_least_best) return "";
  const ReportResult* best = nullptr;
  std::set<std::string> texts;
  for (const ReportResult& result : workload.results) {
    const std::optional<double> rank = result.figure(column.name);
    if (!result.complete || !rank) continue;
    texts.insert(cell_text(results[result.number - 1], column.name));
    if (best == nullptr || *rank < *best->figure(column.name)) best = &result;
  }
  return texts.size() > 1 ? cell_text(results[best->number - 1], column.name) : "";
}

std::string table_row(const ReportResult& result, const Json& json,
                      const std::vector<MainFigure>& columns,
                      const std::vector<std::string>& best) {
  std::string row = fmt::format("<tr><th scope=\"row\">{}</th>", html_escaped(result.label));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = cell_text(json, columns[i].name);
    const bool is_best = result.complete && !best[i].empty() && text == best[i];
    const std::string html = html_escaped(text);
    row += is_best ? fmt::format("<td><b>{}</b></td>", html) : fmt::format("<td>{}</td>", html);
  }
  row += result.complete ? "<td>yes</td>" : "<td class=\"incomplete\">no</td>";
  return row + "</tr>\n";
}

std::string value_cell(const Figure& figure, const Json& value) {
  return fmt::format("<td{}>{}</td>", figure.type == FigureType::kText ? " class=\"words\"" : "",
                     html_escaped(figure_value_text(figure, value)));
}

bool is_nothing(const FigureGroup& group, const Json& object) {
  return std::all_of(group.figures.begin(), group.figures.end(), [&](const Figure& figure) {
    const Json& value = member_of(object, figure.name);
    return !value.is_number() || value.get<double>() == 0;
  });
}

// A table in a box that scrolls.
std::string scrolled_table(const std::string& head, const std::string& body) {
  return fmt::format("<div class=\"scroll\">\n<table>\n{}<tbody>\n{}</tbody>\n</table>\n</div>\n",
                     head, body);
}

// A head of one row.
std::string head_row(const std::string& cells) {
  return fmt::format("<thead><tr>{}</tr></thead>\n", cells);
}

/// One row of a group's table.
struct GroupRow {
  std::string label;     // of the result
  std::string instance;  // "put", "level 2"
  std::string cells;
};

std::vector<GroupRow> group_rows(const ReportWorkload& workload, std::span<const Json> results,
                                 const FigureGroup& group) {
  std::vector<GroupRow> rows;
  for (const ReportResult& result : workload.results) {
    for_each_instance(group, results[result.number - 1],
                      [&](const std::string& name, const Json& object) {
                        if (is_nothing(group, object)) return;
                        GroupRow row{result.label, name, ""};
                        for (const Figure& figure : group.figures) {
                          row.cells += value_cell(figure, member_of(object, figure.name));
                        }
                        rows.push_back(std::move(row));
                      });
  }
  return rows;
}

// In the order in which each first appears.
void sort_by_instance(std::vector<GroupRow>& rows) {
  std::vector<std::string> order;
  for (const GroupRow& row : rows) {
    if (std::find(order.begin(), order.end(), row.instance) == order.end()) {
      order.push_back(row.instance);
    }
  }
  const auto place = [&](const GroupRow& row) {
    return std::find(order.begin(), order.end(), row.instance) - order.begin();
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const GroupRow& a, const GroupRow& b) { return place(a) < place(b); });
}

/// The values of one figure, by result.
struct EveryFigureRow {
  const Figure* figure = nullptr;
  std::string path;  // "latency.put.p99_ns"
  std::vector<std::string> texts;
};

std::string instance_path(const FigureGroup& group, const std::string& name, const Figure& figure) {
  if (group.shape == GroupShape::kValues) return group.path + "." + name;
  if (name.empty()) return group.path + "." + figure.name;
  return fmt::format("{}, {}: {}", group.path, name, figure.name);
}

void add_figure_rows(const FigureGroup& group, const ReportWorkload& workload,
                     std::span<const Json> results, std::vector<EveryFigureRow>& rows) {
  const std::size_t first = rows.size();
  for (std::size_t i = 0; i < workload.results.size(); ++i) {
    for_each_instance(
        group, results[workload.results[i].number - 1],
        [&](const std::string& name, const Json& object) {
          for (const Figure& figure : group.figures) {
            const Json& value = member_of(object, figure.name);
            if (value.is_null()) continue;
            const std::string path = instance_path(group, name, figure);
            auto row =
                std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                             [&](const EveryFigureRow& other) { return other.path == path; });
            if (row == rows.end()) {
              rows.push_back({&figure, path, std::vector<std::string>(workload.results.size())});
              row = rows.end() - 1;
            }
            row->texts[i] += (row->texts[i].empty() ? "" : "; ") + figure_value_text(figure, value);
          }
        });
  }
}

// The unit of a workload's parameter, as its family declares it. Nothing where it declares none.
std::string parameter_unit(const std::string& workload, const std::string& name) {
  const auto unit_in = [&](const auto& families) -> std::string {
    for (const auto& family : families) {
      if (family.name != workload) continue;
      for (const OptionInfo& option : family.options) {
        if (option.name == name) return option.unit;
      }
    }
    return "";
  };
  const std::string unit = unit_in(workload_families());
  return unit.empty() ? unit_in(operation_presets()) : unit;
}

std::string parameter_value_text(const std::string& workload, const ReportParameter& parameter) {
  const bool is_whole =
      parameter.number && parameter.text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_whole) return parameter.text;
  const bool is_bytes = parameter_unit(workload, parameter.name) == "bytes";
  return is_bytes ? byte_count_text(*parameter.number) : whole_text(*parameter.number);
}

// A db_bench line says by itself what its phases, its policy and its flags are.
bool follows_from_line(const ReportWorkload& workload, const ReportParameter& parameter) {
  constexpr std::string_view kDerived[] = {"phases[", "policy", "flags_"};
  const bool has_line =
      std::any_of(workload.parameters.begin(), workload.parameters.end(),
                  [](const ReportParameter& other) { return other.name == "line"; });
  return has_line &&
         std::any_of(std::begin(kDerived), std::end(kDerived),
                     [&](std::string_view prefix) { return parameter.name.starts_with(prefix); });
}

}  // namespace

std::string workload_text(const ReportWorkload& workload) {
  std::string text = workload.name;
  const char* separator = ": ";
  for (const ReportParameter& parameter : workload.parameters) {
    if (follows_from_line(workload, parameter)) continue;
    text += fmt::format("{}{} {}", separator, parameter.name,
                        parameter_value_text(workload.name, parameter));
    separator = ", ";
  }
  return text + fmt::format("; seed {}", workload.seed);
}

std::string figures_table(const std::vector<ReportWorkload>& workloads,
                          std::span<const Json> results) {
  const std::vector<MainFigure> columns = shown_figures(results);
  std::string html =
      "<div class=\"scroll\">\n<table>\n" + table_head(names_of(columns), "complete");
  bool is_any_incomplete = false;
  for (const ReportWorkload& workload : workloads) {
    html += fmt::format("<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n",
                        columns.size() + 2, html_escaped(workload_text(workload)));
    std::vector<std::string> best;
    for (const MainFigure& column : columns) best.push_back(best_text(workload, results, column));
    for (const ReportResult& result : workload.results) {
      html += table_row(result, results[result.number - 1], columns, best);
      is_any_incomplete = is_any_incomplete || !result.complete;
    }
    html += "</tbody>\n";
  }
  html +=
      "</table>\n</div>\n<p class=\"parameters\">Bold: the smallest value of the column among the "
      "complete results of a workload.";
  if (is_any_incomplete) {
    html += " Not complete: the run stopped early, so its figures cover fewer flushes.";
  }
  return html + "</p>\n";
}

std::string figure_definitions(std::span<const Json> results) {
  std::string html = "<dl class=\"definitions\">\n";
  for (const MainFigure& column : shown_figures(results)) {
    const ResultFigure& figure = figure_of(column.name);
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(figure.path()),
                        html_escaped(plain_definition(figure.descriptor())));
  }
  return html + "</dl>\n";
}

std::string chosen_table(const ReportWorkload& workload, std::span<const Json> results,
                         std::span<const FigureName> names) {
  std::vector<FigureName> shown;
  for (const FigureName name : names) {
    const bool has_any = std::any_of(workload.results.begin(), workload.results.end(),
                                     [&](const ReportResult& result) {
                                       return any_has(results.subspan(result.number - 1, 1), name);
                                     });
    if (has_any) shown.push_back(name);
  }
  if (shown.empty()) return "";
  std::string rows;
  for (const ReportResult& result : workload.results) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", html_escaped(result.label));
    for (const FigureName name : shown) {
      const ResultFigure& figure = figure_of(name);
      rows += value_cell(figure.descriptor(), figure.json(results[result.number - 1]));
    }
    rows += "</tr>\n";
  }
  return scrolled_table(table_head(shown, ""), rows);
}

std::string group_table(const ReportWorkload& workload, std::span<const Json> results,
                        const FigureGroup& group, RowOrder order) {
  std::vector<GroupRow> rows = group_rows(workload, results, group);
  if (rows.empty()) return "";
  const bool has_names = !rows.front().instance.empty();
  if (order == RowOrder::kByInstance) sort_by_instance(rows);
  std::string head = "<th scope=\"col\">policy</th>";
  if (has_names) head += "<th class=\"word\" scope=\"col\"></th>";
  for (const Figure& figure : group.figures) head += figure_head(figure);
  std::string body;
  for (const GroupRow& row : rows) {
    body += fmt::format("<tr><th scope=\"row\">{}</th>", html_escaped(row.label));
    if (has_names) body += fmt::format("<td class=\"word\">{}</td>", html_escaped(row.instance));
    body += row.cells + "</tr>\n";
  }
  return scrolled_table(head_row(head), body);
}

std::string every_figure_table(const ReportWorkload& workload, std::span<const Json> results) {
  std::vector<EveryFigureRow> rows;
  for (const FigureGroup& group : figure_groups()) {
    add_figure_rows(group, workload, results, rows);
  }
  std::string head = "<th scope=\"col\">figure</th><th class=\"word\" scope=\"col\">unit</th>";
  for (const ReportResult& result : workload.results) {
    head += fmt::format("<th scope=\"col\">{}</th>", html_escaped(result.label));
  }
  std::string body;
  for (const EveryFigureRow& row : rows) {
    body += fmt::format("<tr><th class=\"figure\" scope=\"row\" title=\"{}\">{}</th>",
                        html_escaped(plain_definition(*row.figure)), breakable_html(row.path));
    body += fmt::format("<td class=\"word\">{}</td>", html_escaped(row.figure->unit));
    for (const std::string& text : row.texts) {
      body += fmt::format("<td>{}</td>", text.empty() ? "&ndash;" : html_escaped(text));
    }
    body += "</tr>\n";
  }
  return scrolled_table(head_row(head), body);
}

}  // namespace lsmlab

#include "validate/report/results/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "models/accounting/figures.h"
#include "models/base/check.h"
#include "models/base/quantity_text.h"
#include "validate/report/axes.h"
#include "validate/report/gnuplot.h"

namespace lsmlab {
namespace {

std::string whole_text(double value) {
  // Beyond 2^127 only an edited file reaches, and the conversion would not be defined.
  if (value >= 1e38) return fmt::format("{:.4g}", value);
  return grouped_text(static_cast<Uint128>(value));
}

std::string byte_count_text(double bytes) {
  if (bytes >= 1e38) return fmt::format("{:.4g} B", bytes);
  return bytes_text(static_cast<Uint128>(bytes));
}

// Three digits: the rate of one run on one machine is not worth more.
std::string rate_text(double per_second) {
  if (per_second < 1000) return fmt::format("{:.3g}", per_second);
  const double step = std::pow(10.0, std::floor(std::log10(per_second)) - 2);
  return tick_text(std::round(per_second / step) * step);
}

std::string optional_text(const std::optional<double>& value) {
  return value ? figure_text(*value) : "\xE2\x80\x93";
}

struct TableColumn {
  std::string name;   // in its head
  std::string title;  // in full
  std::function<std::string(const ReportResult&)> text;
  std::function<std::optional<double>(const ReportResult&)> rank;  // less is better; empty: no best
};

std::string definition_at(const char* path) {
  const Figure* figure = find_figure(path);
  CHECK(figure != nullptr);
  return plain_definition(*figure);
}

// "floor.write_flushed" may break before its point and after its underscores.
std::string head_of(const std::string& name) {
  std::string html;
  for (const char c : html_escaped(name)) {
    if (c == '.') html += "<wbr>";
    html += c;
    if (c == '_') html += "<wbr>";
  }
  return html;
}

TableColumn figure_column(const char* name, const char* path, double ReportAmplification::*figure) {
  return {
      name, definition_at(path),
      [figure](const ReportResult& result) { return figure_text(result.amplification.*figure); },
      [figure](const ReportResult& result) { return std::optional(result.amplification.*figure); }};
}

TableColumn count_column(const char* name, const char* path, std::uint64_t ReportResult::*count) {
  return {name,
          definition_at(path),
          [count](const ReportResult& result) { return grouped_text(result.*count); },
          {}};
}

std::string floor_text(const ReportResult& result) {
  if (!result.floor) return "\xE2\x80\x93";
  return fmt::format("{} (k={})", optional_text(result.floor->write_flushed), result.floor->k);
}

std::optional<double> floor_ratio(const ReportResult& result) {
  return result.floor ? result.floor->ratio : std::nullopt;
}

std::vector<TableColumn> floor_columns() {
  return {
      {"floor.write_flushed", definition_at("floor.write_flushed"), floor_text, {}},
      {"floor.ratio", definition_at("floor.ratio"),
       [](const ReportResult& result) { return optional_text(floor_ratio(result)); }, floor_ratio},
      {"floor.worst_case_bound",
       definition_at("floor.worst_case_bound"),
       [](const ReportResult& result) {
         return optional_text(result.floor ? result.floor->worst_case_bound : std::nullopt);
       },
       {}}};
}

TableColumn read_max_column() {
  return {"read_max", definition_at("amplification.read_max"),
          [](const ReportResult& result) { return grouped_text(result.amplification.read_max); },
          [](const ReportResult& result) {
            return std::optional(static_cast<double>(result.amplification.read_max));
          }};
}

TableColumn rate_column() {
  return {"flushes per second",
          definition_at("run.flushes_per_second"),
          [](const ReportResult& result) {
            return result.flushes_per_second ? rate_text(*result.flushes_per_second)
                                             : std::string("\xE2\x80\x93");
          },
          {}};
}

std::vector<TableColumn> all_columns() {
  using Figures = ReportAmplification;
  std::vector<TableColumn> columns{
      count_column("flushes", "totals.flushes", &ReportResult::flushes),
      count_column("merges", "totals.merges", &ReportResult::merges),
      count_column("moves", "totals.moves", &ReportResult::moves),
      {"bytes flushed",
       definition_at("totals.bytes_flushed"),
       [](const ReportResult& result) { return byte_count_text(result.bytes_flushed); },
       {}},
      figure_column("write", "amplification.write", &Figures::write),
      figure_column("write_flushed", "amplification.write_flushed", &Figures::write_flushed),
      figure_column("write_total", "amplification.write_total", &Figures::write_total)};
  for (TableColumn& column : floor_columns()) columns.push_back(std::move(column));
  columns.push_back(figure_column("read_mean", "amplification.read_mean", &Figures::read_mean));
  columns.push_back(read_max_column());
  columns.push_back(figure_column("space", "amplification.space", &Figures::space));
  columns.push_back(
      figure_column("space_transient", "amplification.space_transient", &Figures::space_transient));
  columns.push_back(rate_column());
  return columns;
}

const std::vector<TableColumn>& table_columns() {
  static const std::vector<TableColumn> columns = all_columns();
  return columns;
}

// Unfinished runs have written less and are no match for the others.
std::string best_text(const ReportWorkload& workload, const TableColumn& column) {
  if (!column.rank) return "";
  const ReportResult* best = nullptr;
  bool differs = false;
  for (const ReportResult& result : workload.results) {
    const std::optional<double> rank = column.rank(result);
    if (!result.complete || !rank) continue;
    if (best != nullptr && column.text(*best) != column.text(result)) differs = true;
    if (best == nullptr || *rank < *column.rank(*best)) best = &result;
  }
  return differs ? column.text(*best) : "";
}

std::string table_row(const ReportResult& result, const std::vector<std::string>& best) {
  std::string row = fmt::format("<tr><th scope=\"row\">{}</th>", html_escaped(result.label));
  const std::vector<TableColumn>& columns = table_columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = columns[i].text(result);
    const bool is_best = result.complete && !best[i].empty() && text == best[i];
    row += is_best ? fmt::format("<td><b>{}</b></td>", text) : fmt::format("<td>{}</td>", text);
  }
  row += result.complete ? "<td>yes</td>" : "<td class=\"incomplete\">no</td>";
  return row + "</tr>\n";
}

bool is_bytes(const ReportParameter& parameter) {
  constexpr std::array<std::string_view, 8> kNames{
      "size",      "buffer",      "file_size",           "level_base",
      "key_bytes", "value_bytes", "max_mergeable_bytes", "max_compaction_bytes"};
  return parameter.number && *parameter.number >= 1024 &&
         std::find(kNames.begin(), kNames.end(), parameter.name) != kNames.end();
}

std::string parameter_value_text(const ReportParameter& parameter) {
  if (is_bytes(parameter)) return byte_count_text(*parameter.number);
  const bool is_whole =
      parameter.number && parameter.text.find_first_not_of("0123456789") == std::string::npos;
  return is_whole ? whole_text(*parameter.number) : parameter.text;
}

}  // namespace

std::string figure_text(double value) {
  if (value < 10) return fmt::format("{:.3f}", value);
  if (value < 100) return fmt::format("{:.2f}", value);
  if (value < 1000) return fmt::format("{:.1f}", value);
  return whole_text(std::round(value));
}

std::string workload_text(const ReportWorkload& workload) {
  std::string text = workload.name;
  const char* separator = ": ";
  for (const ReportParameter& parameter : workload.parameters) {
    text += fmt::format("{}{} {}", separator, parameter.name, parameter_value_text(parameter));
    separator = ", ";
  }
  return text + fmt::format("; seed {}", workload.seed);
}

std::string figures_table(const std::vector<ReportWorkload>& workloads) {
  const std::vector<TableColumn>& columns = table_columns();
  std::string html = "<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\">policy</th>";
  for (const TableColumn& column : columns) {
    html += fmt::format("<th scope=\"col\" title=\"{}\">{}</th>", html_escaped(column.title),
                        head_of(column.name));
  }
  html += "<th scope=\"col\">complete</th></tr></thead>\n";
  bool is_any_incomplete = false;
  for (const ReportWorkload& workload : workloads) {
    html += fmt::format("<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n",
                        columns.size() + 2, html_escaped(workload_text(workload)));
    std::vector<std::string> best;
    for (const TableColumn& column : columns) best.push_back(best_text(workload, column));
    for (const ReportResult& result : workload.results) {
      html += table_row(result, best);
      is_any_incomplete = is_any_incomplete || !result.complete;
    }
    html += "</tbody>\n";
  }
  html +=
      "</table>\n</div>\n<p class=\"parameters\">Bold: the least of its column among the complete "
      "results of a workload.";
  if (is_any_incomplete)
    html += " Not complete: the run stopped early, so its figures are of fewer flushes.";
  return html + "</p>\n";
}

}  // namespace lsmlab

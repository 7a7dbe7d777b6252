#include "validate/report/results/cost.h"

#include <fmt/format.h>

#include <string>

#include "validate/judge/validation_words.h"
#include "validate/report/gnuplot.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSummary =
    "<details>\n<summary>Predictions of the papers' cost models</summary>\n<p>Some models give "
    "only "
    "an order of growth, with the constant 1. Such a figure shows how a cost changes and which "
    "policy costs less. It does not predict the cost of a run.</p>\n<div "
    "class=\"scroll\">\n<table>\n<thead><tr>";
constexpr const char* kEnd = "</tbody>\n</table>\n</div>\n</details>\n";

std::string figure_cell(const Json& figure, const char* name) {
  const auto value = figure.find(name);
  if (value == figure.end() || !value->is_number()) return "<td>&ndash;</td>";
  return fmt::format("<td>{:.6g}</td>", value->get<double>());
}

std::string word_cell(const Json& figure, const char* name, const char* html_class) {
  const auto word = figure.find(name);
  if (word == figure.end() || !word->is_string()) return "<td>&ndash;</td>";
  return fmt::format("<td class=\"{}\">{}</td>", html_class,
                     html_escaped(word->get<std::string>()));
}

struct Head {
  const char* title;
  const char* html_class = "";
};

std::string head_cells(std::initializer_list<Head> heads) {
  std::string cells;
  for (const Head& head : heads) {
    cells += fmt::format("<th class=\"{}\" scope=\"col\">{}</th>", head.html_class, head.title);
  }
  return cells + "</tr></thead>\n<tbody>\n";
}

}  // namespace

void add_cost_section(ReportPage& page, const ReportWorkload& workload,
                      std::span<const Json> results) {
  std::string rows;
  for (const ReportResult& result : workload.results) {
    const Json& json = results[result.number - 1];
    if (!json.contains("cost_model")) continue;
    for (const Json& figure : json.at("cost_model")) {
      rows += fmt::format(
          "<tr><th scope=\"row\">{}</th>{}{}{}{}{}{}</tr>\n", html_escaped(result.label),
          word_cell(figure, "name", "word"), figure_cell(figure, "value"),
          figure_cell(figure, "run"), word_cell(figure, "unit", "word"),
          word_cell(figure, "run_figure", "words"), word_cell(figure, "source", "words"));
    }
  }
  if (rows.empty()) return;
  page.text(kSummary +
            head_cells({{"policy"},
                        {"model's figure", "word"},
                        {"model"},
                        {"run"},
                        {"unit", "word"},
                        {"run's figure", "words"},
                        {"expression and source", "words"}}) +
            rows + kEnd);
}

void add_cell_costs(ReportPage& page, const Json& validation) {
  std::string rows;
  for (const Json& cell : validation.at("cells")) {
    const auto costs = cell.find("cost_model");
    if (costs == cell.end() || costs->is_null()) continue;
    for (const Json& figure : *costs) {
      rows += fmt::format(
          "<tr><th scope=\"row\">{}</th><td class=\"words\">{}</td>{}{}{}{}{}{}{}"
          "</tr>\n",
          html_escaped(cell.at("policy").value("label", "")),
          html_escaped(workload_words(cell.at("workload"))), word_cell(figure, "name", "word"),
          figure_cell(figure, "model"), figure_cell(figure, "simulated"),
          figure_cell(figure, "measured"), word_cell(figure, "unit", "word"),
          word_cell(figure, "run_figure", "words"), word_cell(figure, "source", "words"));
    }
  }
  if (rows.empty()) return;
  page.text(kSummary +
            head_cells({{"policy"},
                        {"workload", "words"},
                        {"model's figure", "word"},
                        {"model"},
                        {"simulated"},
                        {"measured"},
                        {"unit", "word"},
                        {"run's figure", "words"},
                        {"expression and source", "words"}}) +
            rows + kEnd);
}

}  // namespace lsmlab

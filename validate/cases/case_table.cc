#include "validate/cases/case_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validate/catalog/run_command.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

// So many digits that a table is read at a glance.
std::string figure_text(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  return value >= 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::string predicted_text(const std::optional<double>& value) {
  return value ? figure_text(*value) : "-";
}

std::string difference_text(const ReportedFigure& figure, const std::optional<double>& value) {
  return value ? fmt::format("{:+.1f} %", 100 * (*value / figure.reported - 1)) : "-";
}

// Calls visit(case, run, predictions of the run) for all.
template <class Visit>
void for_each_run(std::span<const PublicCase> cases, std::span<const CaseFigures> predicted,
                  const Visit& visit) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t r = 0; r < cases[i].runs.size(); ++r) {
      visit(cases[i], cases[i].runs[r], predicted[i][r]);
    }
  }
}

}  // namespace

std::string cases_text(std::span<const PublicCase> cases, std::span<const CaseFigures> predicted) {
  std::size_t width = 6;
  for (const PublicCase& one : cases) {
    for (const CaseRun& run : one.runs) {
      for (const ReportedFigure& figure : run.figures) {
        width = std::max(width, figure.label.size());
      }
    }
  }
  std::string text;
  const PublicCase* last = nullptr;
  for_each_run(cases, predicted,
               [&](const PublicCase& one, const CaseRun& run, const auto& figures) {
                 if (&one != last) {
                   text += fmt::format("{}{} (grade {}): {}\n", last == nullptr ? "" : "\n",
                                       one.name, one.grade, one.source);
                 }
                 last = &one;
                 text += fmt::format("  {}\n", run.name.empty() ? "as given" : run.name);
                 text += fmt::format("    {:<{}} {:>10} {:>10} {:>9}\n", "", width, "reported",
                                     "predicted", "off");
                 for (std::size_t i = 0; i < run.figures.size(); ++i) {
                   const ReportedFigure& figure = run.figures[i];
                   text += fmt::format("    {:<{}} {:>10} {:>10} {:>9}\n", figure.label, width,
                                       figure_text(figure.reported), predicted_text(figures[i]),
                                       difference_text(figure, figures[i]));
                 }
               });
  return text +
         "\nNothing is fitted to a case. 'lsmlab cases --format markdown' has the commands.\n";
}

std::string cases_markdown(std::span<const PublicCase> cases,
                           std::span<const CaseFigures> predicted) {
  std::string text =
      "| case | run | figure | reported | predicted | off |\n|---|---|---|---:|---:|---:|\n";
  for_each_run(
      cases, predicted, [&](const PublicCase& one, const CaseRun& run, const auto& figures) {
        for (std::size_t i = 0; i < run.figures.size(); ++i) {
          const ReportedFigure& figure = run.figures[i];
          text += fmt::format("| {} | {} | {} | {} | {} | {} |\n",
                              i == 0 ? one.name + " (" + one.grade + ")" : "",
                              i == 0 ? run.name : "", figure.label, figure_text(figure.reported),
                              predicted_text(figures[i]), difference_text(figure, figures[i]));
        }
      });
  text += "\n";
  for (const PublicCase& one : cases) {
    text += fmt::format("**{}**: {}. {}\n\n", one.name, one.source, one.remarks);
    for (const CaseRun& run : one.runs) text += fmt::format("    {}\n", run_command(run.spec));
    text += "\n";
  }
  return text;
}

Json cases_json(std::span<const PublicCase> cases, std::span<const CaseFigures> predicted) {
  Json rows = Json::array();
  for_each_run(cases, predicted,
               [&](const PublicCase& one, const CaseRun& run, const auto& figures) {
                 Json list = Json::array();
                 for (std::size_t i = 0; i < run.figures.size(); ++i) {
                   const ReportedFigure& figure = run.figures[i];
                   list.push_back({{"label", figure.label},
                                   {"figure", figure.path},
                                   {"unit", figure.unit},
                                   {"reported", figure.reported},
                                   {"predicted", figures[i] ? Json(*figures[i]) : Json(nullptr)}});
                 }
                 rows.push_back({{"case", one.name},
                                 {"source", one.source},
                                 {"grade", one.grade},
                                 {"run", run.name},
                                 {"command", run_command(run.spec)},
                                 {"figures", std::move(list)}});
               });
  return rows;
}

std::string cases_list(std::span<const PublicCase> cases) {
  std::size_t width = 0;
  for (const PublicCase& one : cases) width = std::max(width, one.name.size());
  std::string text;
  for (const PublicCase& one : cases) {
    text += fmt::format("{:<{}}  {}  {}\n", one.name, width, one.grade, one.source);
  }
  return text;
}

}  // namespace lsmlab

#include "validate/judge/cell.h"

#include <fmt/format.h>

#include "validate/judge/timed_figures.h"

namespace lsmlab {
namespace {

using Json = nlohmann::ordered_json;

Result<WrittenEntries> all_written(const std::vector<std::string>& names,
                                   const ResultDirectory& results) {
  WrittenEntries all;
  for (const std::string& name : names) {
    const WrittenEntries written = BOOST_OUTCOME_TRYX(written_entries(results.log_path(name)));
    all.entries += written.entries;
    all.bytes += written.bytes;
  }
  return all;
}

}  // namespace

std::vector<double> Cell::simulated_figures() const { return figures_of(simulated); }

std::vector<double> Cell::measured_figures() const {
  return mean_of_all(compared_figures(), measured);
}

std::vector<double> Cell::simulated_times() const { return timed_figures_of(simulated); }

std::vector<double> Cell::measured_times() const { return mean_of_all(timed_figures(), measured); }

Curve Cell::simulated_curve() const { return write_curve(simulated); }

Curve Cell::measured_curve() const {
  if (measured.size() == 1) return write_curve(measured.front());
  std::vector<Curve> curves;
  for (const Json& result : measured) curves.push_back(write_curve(result));
  return mean_of(curves);
}

double write_of(const Json& result) {
  const std::vector<JudgedFigure>& figures = compared_figures();
  return figures[place_of(figures, "write")].read(result);
}

Result<Cell> load_cell(const ExperimentCell& cell, const CellRuns& runs,
                       const ResultDirectory& results) {
  Cell loaded{&cell, {}, {}, {}, {}, {}, {}};
  loaded.simulated = BOOST_OUTCOME_TRYX(results.load(runs.simulated));
  for (const std::string& name : runs.measured) {
    loaded.measured.push_back(BOOST_OUTCOME_TRYX(results.load(name)));
  }
  if (runs.measured.empty()) return loaded;
  loaded.simulated_entries = BOOST_OUTCOME_TRYX(all_written({runs.simulated}, results));
  loaded.measured_entries = BOOST_OUTCOME_TRYX(all_written(runs.measured, results));
  loaded.logs = BOOST_OUTCOME_TRYX(
      compare_logs(results.log_path(runs.simulated), results.log_path(runs.measured.front())));
  if (runs.forced) loaded.forced = BOOST_OUTCOME_TRYX(results.load(*runs.forced));
  return loaded;
}

std::string cell_name(const Cell& cell) {
  return fmt::format("{} on {} ({})", cell.simulated["policy"].value("label", ""),
                     cell.simulated["workload"].value("name", ""),
                     run_source_name(cell.cell->spec.options.source));
}

}  // namespace lsmlab

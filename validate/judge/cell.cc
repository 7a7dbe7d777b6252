#include "validate/judge/cell.h"

#include <fmt/format.h>

#include "validate/judge/resolution_cells.h"

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

double Cell::simulated_figure(const JudgedFigure& figure) const { return figure.read(simulated); }

double Cell::measured_figure(const JudgedFigure& figure) const { return figure.mean(measured); }

Curve Cell::simulated_curve() const { return write_curve(simulated); }

Curve Cell::measured_curve() const {
  if (measured.size() == 1) return write_curve(measured.front());
  std::vector<Curve> curves;
  for (const Json& result : measured) curves.push_back(write_curve(result));
  return mean_of(curves);
}

Result<Cell> load_cell(const ExperimentCell& cell, const CellRuns& runs,
                       const ResultDirectory& results) {
  Cell loaded{&cell, {}, {}, {}, {}, {}, {}};
  if (!runs.pairs.empty()) {
    loaded.resolutions = BOOST_OUTCOME_TRYX(resolution_cell_json(cell, runs.pairs, results));
    return loaded;
  }
  loaded.simulated = BOOST_OUTCOME_TRYX(results.load(runs.simulated));
  for (const std::string& name : runs.measured) {
    loaded.measured.push_back(BOOST_OUTCOME_TRYX(results.load(name)));
  }
  if (runs.measured.empty()) return loaded;
  loaded.simulated_entries = BOOST_OUTCOME_TRYX(all_written({runs.simulated}, results));
  loaded.measured_entries = BOOST_OUTCOME_TRYX(all_written(runs.measured, results));
  loaded.logs = BOOST_OUTCOME_TRYX(
      compare_logs(results.log_path(runs.simulated), results.log_path(runs.measured.front())));
  if (runs.forced_plans) loaded.forced_plans = BOOST_OUTCOME_TRYX(results.load(*runs.forced_plans));
  return loaded;
}

std::string cell_name(const Cell& cell) {
  return fmt::format("{} on {} ({})", cell.simulated["policy"].value("label", ""),
                     cell.simulated["workload"].value("name", ""),
                     run_source_name(cell.cell->spec.options.source));
}

}  // namespace lsmlab

// One cell of an experiment, with the results of its runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "validate/catalog/experiment.h"
#include "validate/judge/cell_figures.h"
#include "validate/results/compare_logs.h"
#include "validate/runs/validation_runs.h"

namespace lsmlab {

struct Cell {
  const ExperimentCell* cell;
  nlohmann::ordered_json simulated;
  std::vector<nlohmann::ordered_json> measured;
  WrittenEntries simulated_entries;
  WrittenEntries measured_entries;      // the sum over all measured runs
  LogComparison logs;                   // of the simulation and the first measured run
  nlohmann::ordered_json forced_plans;  // a simulation that followed that run's plans; or null
  // Of a cell that compares resolutions, all that is known (resolution_cells.h); or null.
  nlohmann::ordered_json resolutions = {};

  /// One figure of the simulation.
  [[nodiscard]] double simulated_figure(const JudgedFigure& figure) const;
  /// The mean of one figure over the measured runs. REQUIRES: there is a measured run.
  [[nodiscard]] double measured_figure(const JudgedFigure& figure) const;
  [[nodiscard]] Curve simulated_curve() const;
  [[nodiscard]] Curve measured_curve() const;
};

/// Reads the results and plan logs of a cell's runs. Errors: one of them cannot be read.
[[nodiscard]] Result<Cell> load_cell(const ExperimentCell& cell, const CellRuns& runs,
                                     const ResultDirectory& results);

/// Policy, workload and store, for messages.
[[nodiscard]] std::string cell_name(const Cell& cell);

}  // namespace lsmlab

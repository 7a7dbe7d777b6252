// One cell of an experiment: the results of its runs, read.
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
  WrittenEntries measured_entries;  // of all measured runs together
  LogComparison logs;               // the simulation's and the first measured run's
  nlohmann::ordered_json forced;    // simulated with that run's plans; null where there is none

  /// In the order of compared_figures(). REQUIRES for the measured ones: there is a measured run.
  [[nodiscard]] std::vector<double> simulated_figures() const;
  [[nodiscard]] std::vector<double> measured_figures() const;
  /// In the order of timed_figures(), likewise.
  [[nodiscard]] std::vector<double> simulated_times() const;
  [[nodiscard]] std::vector<double> measured_times() const;
  [[nodiscard]] Curve simulated_curve() const;
  [[nodiscard]] Curve measured_curve() const;
};

/// Write amplification of a result.
[[nodiscard]] double write_of(const nlohmann::ordered_json& result);

/// Errors: a result or a log cannot be read.
[[nodiscard]] Result<Cell> load_cell(const ExperimentCell& cell, const CellRuns& runs,
                                     const ResultDirectory& results);

/// For messages: policy, workload and store.
[[nodiscard]] std::string cell_name(const Cell& cell);

}  // namespace lsmlab

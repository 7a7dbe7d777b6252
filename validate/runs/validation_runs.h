// Executes the runs of an experiment whose results are missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validate/catalog/experiment.h"
#include "validate/runs/result_directory.h"
#include "validate/runs/validation_options.h"

namespace lsmlab {

/// The names of a cell's results (ResultDirectory).
struct CellRuns {
  std::string simulated;
  std::vector<std::string> measured;
  /// Name of a simulation with the plans of the first measured run forced on it. Set for cells
  /// without a clock whose plan logs differ.
  std::optional<std::string> forced_plans = {};
  /// Of a cell that compares resolutions, for each seed.
  struct Pair {
    std::string by_range;
    std::string by_key;
  };
  std::vector<Pair> pairs = {};
};

/// Executes all missing runs. Returns the names of the results in the order of the experiment's
/// cells; nullopt if it was stopped. Errors: the first run that fails, after which the others are
/// stopped.
[[nodiscard]] Result<std::optional<std::vector<CellRuns>>> do_runs(
    const Experiment& experiment, const ResultDirectory& results, const ValidationOptions& options);

/// Executes only the missing runs of stores. Returns false if it was stopped before all results
/// existed. Errors: the first run that fails.
[[nodiscard]] Result<bool> do_measurements(const Experiment& experiment,
                                           const ResultDirectory& results,
                                           const ValidationOptions& options);

/// The runs of stores that do_measurements() would find or execute.
struct Measurements {
  std::vector<std::string> names;  // of their results
  bool are_there = false;          // all results exist
};
[[nodiscard]] Measurements find_measurements(const Experiment& experiment,
                                             const ResultDirectory& results,
                                             const ValidationOptions& options);

}  // namespace lsmlab

// The runs of an experiment, done where their results are missing.
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
  /// Simulated with the first measured run's plans forced on it; where the plan logs differ, of
  /// cells without a clock.
  std::optional<std::string> forced = {};
};

/// Returns, in the order of the experiment's cells, where the results stand; nothing where it was
/// stopped. Errors: the first run that fails, after which the others are stopped.
[[nodiscard]] Result<std::optional<std::vector<CellRuns>>> do_runs(
    const Experiment& experiment, const ResultDirectory& results, const ValidationOptions& options);

/// Of these only what stores do; whether all is there, false where it was stopped. Errors: the
/// first run that fails.
[[nodiscard]] Result<bool> do_measurements(const Experiment& experiment,
                                           const ResultDirectory& results,
                                           const ValidationOptions& options);

/// What do_measurements() would find or do.
struct Measurements {
  std::vector<std::string> names;  // of their results
  bool are_there = false;
};
[[nodiscard]] Measurements find_measurements(const Experiment& experiment,
                                             const ResultDirectory& results,
                                             const ValidationOptions& options);

}  // namespace lsmlab

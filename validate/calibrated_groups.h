// Groups of an experiment on the disk at hand. A shared disk is not the same from minute to minute,
// so it is measured before the stores of a cell run and after each of the runs; each run is
// simulated on the mean of the two around it, and how far they lie apart is told beside the errors.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/experiment_run.h"
#include "validate/validation.h"

namespace lsmlab {

/// Does the stores' runs of every cell whose device is "calibrated", each between two measurements
/// of the disk; the cell's calibrations and run_devices are then their files. Cells of which all is
/// there already are not done again; of others all is. Returns false where it was stopped. Errors:
/// the first run's or measurement's that fails.
[[nodiscard]] Result<bool> run_calibrated_groups(Experiment& experiment,
                                                 const ResultDirectory& results,
                                                 const ValidationOptions& options);

/// A validation's "calibrations": for each such cell the parameters of every measurement. Errors: a
/// file that is not there or none.
[[nodiscard]] Result<nlohmann::ordered_json> calibrations_json(const Experiment& experiment);

/// A line for each cell: by how much the disk changed. Empty where there are none.
[[nodiscard]] std::string calibrations_text(const nlohmann::ordered_json& validation);

}  // namespace lsmlab

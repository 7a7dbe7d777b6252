// Groups of an experiment on the disk at hand. A shared disk is not the same from minute to minute,
// so it is measured before the stores of a cell run and after each of the runs; the cell is
// simulated on the mean, and how far they lie apart is told beside the errors.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/experiment_run.h"
#include "validate/validation.h"

namespace lsmlab {

/// Does the stores' runs of every cell whose device is "calibrated", each between two measurements
/// of the disk; the cell's device is then the file of the mean of all. Cells of which all is there
/// already are not done again; of others all is. Returns false where it was stopped. Errors: the
/// first run's or measurement's that fails.
[[nodiscard]] Result<bool> run_calibrated_groups(Experiment& experiment,
                                                 const ResultDirectory& results,
                                                 const ValidationOptions& options);

/// A validation's "calibrations", of files in the options' directory of devices: for each such cell
/// the parameters of every measurement. Errors: a file that is not there or none.
[[nodiscard]] Result<nlohmann::ordered_json> calibrations_json(const Experiment& experiment,
                                                               const std::string& directory);

/// A line for each cell: by how much the disk changed. Empty where there are none.
[[nodiscard]] std::string calibrations_text(const nlohmann::ordered_json& validation);

}  // namespace lsmlab

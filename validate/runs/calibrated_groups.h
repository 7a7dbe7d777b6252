// Groups of an experiment on the disk at hand. A shared disk, and a shared processor, are not the
// same from one half of a minute to the next, so they are measured before the stores of a cell run
// and after each of the runs. A group is simulated on the mean of all that is measured between its
// runs: a single measurement says as little of the run after it as of any other. How far they lie
// apart is told beside the errors.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/catalog/experiment.h"
#include "validate/runs/result_directory.h"
#include "validate/runs/validation_options.h"

namespace lsmlab {

/// Does the stores' runs of every cell whose device is "calibrated", each between two measurements
/// of the disk; the cell's calibrations are then their files, and its device is the group's mean.
/// Cells of which all is there already are not done again; of others all is. Returns false where it
/// was stopped. Errors: the first run's or measurement's that fails.
[[nodiscard]] Result<bool> run_calibrated_groups(Experiment& experiment,
                                                 const ResultDirectory& results,
                                                 const ValidationOptions& options);

/// A validation's "calibrations": for each such cell the parameters of every measurement. Errors: a
/// file that is not there or none.
[[nodiscard]] Result<nlohmann::ordered_json> calibrations_json(const Experiment& experiment);

/// A line for each cell: by how much the disk changed. Empty where there are none.
[[nodiscard]] std::string calibrations_text(const nlohmann::ordered_json& validation);

}  // namespace lsmlab

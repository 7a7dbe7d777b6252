// Runs groups of an experiment on the machine's own disk. The speed of a shared disk and processor
// changes within half a minute. So the disk is measured before a cell's first run and after each
// run. A group is simulated on the mean of all measurements between its runs, because a single
// measurement says no more about the run after it than about any other. The report states how far
// the measurements differ.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/catalog/experiment.h"
#include "validate/runs/result_directory.h"
#include "validate/runs/validation_options.h"

namespace lsmlab {

/// Runs the stores of every cell whose device is "calibrated", each run between two measurements of
/// the disk. Then the cell's calibrations are the measured files, and its device is the group's
/// mean. A cell is skipped if all of its results exist; otherwise all of them are made again.
/// Returns false if it was stopped. Errors: the first run or measurement that fails.
[[nodiscard]] Result<bool> run_calibrated_groups(Experiment& experiment,
                                                 const ResultDirectory& results,
                                                 const ValidationOptions& options);

/// The "calibrations" of a validation: for each such cell the parameters of every measurement.
/// Errors: a file is missing or is not a device.
[[nodiscard]] Result<nlohmann::ordered_json> calibrations_json(const Experiment& experiment);

/// One line per cell: how much the disk changed. Empty if there are none.
[[nodiscard]] std::string calibrations_text(const nlohmann::ordered_json& validation);

}  // namespace lsmlab

// The cells of an experiment that compare two simulations of one run: at resolution range, which
// estimates, and at resolution key, which is exact. Both run with the same seeds. They draw
// different random numbers from a seed, so that only means over seeds can agree.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "validate/runs/validation_runs.h"

namespace lsmlab {

/// A member of a validation's "resolutions": each figure's mean at both resolutions, the relative
/// difference of the means, how far the seeds of each resolution scatter (standard deviation over
/// mean), and the standard error of the difference that follows from the scatter. Errors: a result
/// cannot be read. REQUIRES: `pairs` is not empty.
[[nodiscard]] Result<nlohmann::ordered_json> resolution_cell_json(
    const ExperimentCell& cell, std::span<const CellRuns::Pair> pairs,
    const ResultDirectory& results);

/// Adds a sentence to `broken` for each bound of the group that the cell breaks.
void check_resolution_bounds(const ExperimentGroup& group, const nlohmann::ordered_json& cell,
                             std::vector<std::string>& broken);

/// A table: titles, then a row for each cell. Empty where there are no such cells.
[[nodiscard]] std::vector<std::vector<std::string>> resolution_rows(
    const nlohmann::ordered_json& validation);

/// The same table as text, with aligned columns.
[[nodiscard]] std::string resolutions_text(const nlohmann::ordered_json& validation);

}  // namespace lsmlab

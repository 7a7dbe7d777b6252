// The cells of an experiment that are only simulated, such as the runs of a paper on its device. In
// each group, the policies on one workload are compared with the first.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validate/catalog/experiment.h"

namespace lsmlab {

/// A member of a validation's "simulations". `result`: as results_text() writes it.
[[nodiscard]] nlohmann::ordered_json simulated_cell_json(const ExperimentCell& cell,
                                                         const nlohmann::ordered_json& result);

/// A table: titles, then a row for each cell. Empty where there are no such cells.
[[nodiscard]] std::vector<std::vector<std::string>> simulated_rows(
    const nlohmann::ordered_json& validation);

/// The same table as text, with aligned columns.
[[nodiscard]] std::string simulated_text(const nlohmann::ordered_json& validation);

}  // namespace lsmlab

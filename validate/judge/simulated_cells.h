// The cells of an experiment that are simulated and not measured: figures of a paper's runs, on its
// device. In each group, policies on one workload are held against the group's first.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "validate/catalog/experiment.h"

namespace lsmlab {

/// A member of a validation's "simulations". `result`: as results_text() writes it.
[[nodiscard]] nlohmann::ordered_json simulated_cell_json(const ExperimentCell& cell,
                                                         const nlohmann::ordered_json& result);

/// A table: titles, then a line a cell, of as many columns. Empty where there are no such cells.
[[nodiscard]] std::vector<std::vector<std::string>> simulated_rows(
    const nlohmann::ordered_json& validation);

/// The same for people, columns under each other.
[[nodiscard]] std::string simulated_text(const nlohmann::ordered_json& validation);

}  // namespace lsmlab

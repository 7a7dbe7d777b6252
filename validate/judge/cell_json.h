// A cell of a validation, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/judge/cell.h"

namespace lsmlab {

/// Simulated and measured figures, their errors, and how the errors split. REQUIRES: the cell has a
/// measured run.
[[nodiscard]] nlohmann::ordered_json cell_json(const Cell& cell);

/// The error; null if it is infinite (the figure was measured as 0), for which JSON has no number.
[[nodiscard]] nlohmann::ordered_json error_json(double error);

}  // namespace lsmlab

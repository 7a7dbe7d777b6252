// A cell of a validation, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/judge/cell.h"

namespace lsmlab {

/// Figures as simulated and as measured, their errors, and where these come from. REQUIRES: the
/// cell has a measured run.
[[nodiscard]] nlohmann::ordered_json cell_json(const Cell& cell);

/// Null where the error is infinite, as of a figure that was measured as 0: JSON has no number for
/// it.
[[nodiscard]] nlohmann::ordered_json error_json(double error);

}  // namespace lsmlab

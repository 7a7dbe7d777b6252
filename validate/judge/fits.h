// Lines through simulated and measured figures of several cells.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "validate/judge/cell.h"
#include "validate/judge/regression.h"

namespace lsmlab {

/// Measured over simulated write amplification; nothing where too few cells tell.
[[nodiscard]] std::optional<LinearFit> fit_write(const std::vector<const Cell*>& cells);

/// Measured over simulated seconds of merges, of the cells with a clock.
[[nodiscard]] std::optional<LinearFit> fit_merge_times(const std::vector<const Cell*>& cells);

/// Adds a line for every figure to `fits`, an array. `of` is "group", "policy" or "all", `name`
/// which of them.
void add_all_fits(const std::string& of, const std::string& name,
                  const std::vector<const Cell*>& cells, nlohmann::ordered_json& fits);

}  // namespace lsmlab

// Straight lines through the figures of several cells: measured over simulated.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "validate/judge/cell.h"
#include "validate/judge/regression.h"

namespace lsmlab {

/// Names of fits that are not of one figure.
inline constexpr const char* kCurveFit = "write over time";
inline constexpr const char* kMergeTimeFit = "merge seconds";

/// The line through write amplifications. Nothing for fewer than two different simulated values.
[[nodiscard]] std::optional<LinearFit> fit_write(const std::vector<const Cell*>& cells);

/// The line through the durations of merges, in seconds, of the cells with a clock.
[[nodiscard]] std::optional<LinearFit> fit_merge_times(const std::vector<const Cell*>& cells);

/// Adds the lines of all figures to `fits`, an array. `of` is "group", "policy" or "all"; `name` is
/// the name of the group or policy.
void add_all_fits(const std::string& of, const std::string& name,
                  const std::vector<const Cell*>& cells, nlohmann::ordered_json& fits);

}  // namespace lsmlab

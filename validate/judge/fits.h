// Straight lines through the figures of several cells: measured over simulated.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/accounting/figure.h"
#include "validate/judge/cell.h"
#include "validate/judge/regression.h"

namespace lsmlab {

/// The fits through points within cells, which are no figures of a cell.
[[nodiscard]] const FigureDescriptor& fitted_curve();        // write amplification over time
[[nodiscard]] const FigureDescriptor& fitted_merge_times();  // durations of merges

/// What the points of a fit are, by the member "figure" of the fit's JSON. Null for an unknown
/// name.
[[nodiscard]] const FigureDescriptor* find_fitted_figure(const std::string& name);

/// The line through write amplifications. Nothing for fewer than two different simulated values.
[[nodiscard]] std::optional<LinearFit> fit_write(const std::vector<const Cell*>& cells);

/// The line through the durations of merges, in seconds, of the cells with a clock.
[[nodiscard]] std::optional<LinearFit> fit_merge_times(const std::vector<const Cell*>& cells);

/// Adds the lines of all figures to `fits`, an array. `of` is "group", "policy" or "all"; `name` is
/// the name of the group or policy.
void add_all_fits(const std::string& of, const std::string& name,
                  const std::vector<const Cell*>& cells, nlohmann::ordered_json& fits);

}  // namespace lsmlab

// Writes a group of a run's figures as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "models/accounting/figure.h"
#include "models/accounting/run_result.h"

namespace lsmlab {

/// Adds the group to the result's JSON, at the group's path and in its shape. For a run without the
/// group it adds nothing, or null if the group is null where absent.
void add_figures(const FigureGroup& group, const RunResult& run, nlohmann::ordered_json& result);

}  // namespace lsmlab

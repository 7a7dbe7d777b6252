// A group of a run's figures as JSON, at the group's path.
#pragma once

#include <nlohmann/json.hpp>

#include "models/accounting/figure.h"
#include "models/accounting/run_result.h"

namespace lsmlab {

/// Adds the group to the result's JSON, in the shape that the group states. A run without the group
/// adds nothing, or null where the group says so.
void add_figures(const FigureGroup& group, const RunResult& run, nlohmann::ordered_json& result);

}  // namespace lsmlab

// The page of a validation. It compares predicted with measured figures: the regression, the
// errors, both sides over time, and a table of all cells in which the worst cell is marked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/base/error.h"

namespace lsmlab {

/// One self-contained HTML page like those of make_report(). `validation` is as run_validation()
/// writes it. Errors: an input error if a member is missing or of a wrong type; a machine error if
/// gnuplot is missing or fails.
[[nodiscard]] Result<std::string> make_validation_report(const nlohmann::ordered_json& validation,
                                                         const std::string& title);

}  // namespace lsmlab

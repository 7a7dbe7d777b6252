// The page of a validation: predicted against measured, with the line through them, what is left
// over, both over time, and a table of all cells with the worst marked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/base/error.h"

namespace lsmlab {

/// One self-contained HTML page, as make_report() makes them. `validation` is as run_validation()
/// writes it. Errors: a member is missing or of the wrong type; gnuplot is missing or fails.
[[nodiscard]] Result<std::string> make_validation_report(const nlohmann::ordered_json& validation,
                                                         const std::string& title);

}  // namespace lsmlab

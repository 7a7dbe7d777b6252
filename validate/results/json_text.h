// Reads parameters and numbers from JSON. Failures are values, not exceptions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/json_parse.h"

namespace lsmlab {

/// A parameter's value as a text that options accept: decimals have no exponent. Errors: the value
/// is not a number, a text, true or false.
[[nodiscard]] Result<std::string> parameter_text(const std::string& name,
                                                 const nlohmann::ordered_json& value);

/// Errors: not an object; a member that is none of these, with the nearest.
[[nodiscard]] Result<void> check_members(const nlohmann::ordered_json& json,
                                         const std::vector<std::string>& members);

/// The text of a member. Errors: there is none, and `fallback` is null; it is not a text.
[[nodiscard]] Result<std::string> member_text(const nlohmann::ordered_json& json,
                                              const char* member, const char* fallback);

/// The number at a JSON pointer ("/merges/mean_ns"); nothing if there is none. Figures of results
/// are read through validate/results/result_figure.h.
[[nodiscard]] std::optional<double> number_at(const nlohmann::ordered_json& json,
                                              const std::string& pointer);

/// Whether the name in a SPEC is the path of a JSON file.
[[nodiscard]] bool is_config_path(const std::string& name);

}  // namespace lsmlab

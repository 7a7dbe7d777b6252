// What JSON of people and of programs holds, with every failure a value.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "models/base/error.h"
#include "models/base/json_parse.h"

namespace lsmlab {

/// A parameter's value as options take it: decimals without an exponent. Errors: not a number, a
/// text, true or false.
[[nodiscard]] Result<std::string> parameter_text(const std::string& name,
                                                 const nlohmann::ordered_json& value);

/// The number at a JSON pointer ("/time/device/busy_ns"); nothing where there is none.
[[nodiscard]] std::optional<double> number_at(const nlohmann::ordered_json& json,
                                              const std::string& pointer);

/// The path of such a pointer as figures have it (models/accounting/figures.h):
/// "time.device.busy_ns".
[[nodiscard]] std::string path_of_pointer(const std::string& pointer);

/// Whether a SPEC's name is the path of a JSON file.
[[nodiscard]] bool is_config_path(const std::string& name);

}  // namespace lsmlab

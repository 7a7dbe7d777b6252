// JSON from text, with every failure a value.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/error.h"

namespace lsmlab {

/// Errors: not JSON (with line and column), nested more than 64 deep.
[[nodiscard]] Result<nlohmann::ordered_json> parse_json(const std::string& text);

}  // namespace lsmlab

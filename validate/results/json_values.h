// Numbers and options as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/base/options.h"
#include "models/base/units.h"

namespace lsmlab {

/// A whole number, whatever its size: plain_text() writes those above 2^64 - 1 out in full.
[[nodiscard]] nlohmann::ordered_json number_json(Uint128 value);

/// The text of JSON that holds number_json()'s numbers, with a line for each member.
[[nodiscard]] std::string plain_text(const nlohmann::ordered_json& json);

/// Names and values; null for an option that is absent.
[[nodiscard]] nlohmann::ordered_json options_to_json(const ResolvedOptions& options);

}  // namespace lsmlab

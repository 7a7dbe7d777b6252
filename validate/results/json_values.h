// Converts numbers and options to JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/base/options.h"
#include "models/base/units.h"

namespace lsmlab {

/// A whole number of up to 128 bits. plain_text() writes numbers above 2^64 - 1 out in full.
[[nodiscard]] nlohmann::ordered_json number_json(Uint128 value);

/// The text of JSON that may contain numbers from number_json(), with a line for each member.
[[nodiscard]] std::string plain_text(const nlohmann::ordered_json& json);

/// An object of names and values. The value of an absent option is null.
[[nodiscard]] nlohmann::ordered_json options_to_json(const ResolvedOptions& options);

}  // namespace lsmlab

// Reads JSON text of unknown origin, once, in time linear in its length. Every failure is a value.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "models/base/error.h"

namespace lsmlab {

struct JsonLimits {
  std::size_t depth_max = 64;           // nested values, so that a walk may recurse
  std::size_t members_max = 1'000'000;  // members of one object
};

/// Limits for files that people write. Few members, so a reader may take time quadratic in them.
inline constexpr JsonLimits kConfigLimits{64, 10'000};

/// Errors: the text is not JSON (the message has line, column, what was found and what was
/// expected); it is beyond a limit; an object has a member twice (the message has its path); a
/// number is too large for a double (1e400).
[[nodiscard]] Result<nlohmann::ordered_json> parse_json(std::string_view text,
                                                        const JsonLimits& limits = {});

}  // namespace lsmlab

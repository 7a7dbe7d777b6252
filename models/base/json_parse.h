// JSON text of unknown origin, read once in time linear in its length. Every failure is a value.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "models/base/error.h"

namespace lsmlab {

struct JsonLimits {
  std::size_t depth_max = 64;           // what walks the tree may recurse
  std::size_t members_max = 1'000'000;  // of one object
};

/// Limits of what people write: who reads it may look at every member for each of them.
inline constexpr JsonLimits kConfigLimits{64, 10'000};

/// Errors: not JSON (with line and column); beyond a limit; a member given twice in an object, with
/// its path; a number that no double holds (1e400).
[[nodiscard]] Result<nlohmann::ordered_json> parse_json(std::string_view text,
                                                        const JsonLimits& limits = {});

}  // namespace lsmlab

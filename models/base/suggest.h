// The nearest valid name for one that is not, for error messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lsmlab {

/// The candidate that `name` may be a misspelling of; none where no candidate is near.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

/// Text to append to "unknown ...": the nearest candidate ("; did you mean 'binomial'?") where one
/// is near, and the whole list otherwise ("; expected one of a, b").
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string> candidates);

}  // namespace lsmlab

// The nearest valid name for one that is not, for error messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lsmlab {

/// Text to append to "unknown ...": the nearest candidate ("; did you mean 'binomial'?") where one
/// is near, and the whole list otherwise ("; expected one of a, b").
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string> candidates);

}  // namespace lsmlab

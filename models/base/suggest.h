// The nearest valid name to an invalid one, for error messages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lsmlab {

/// The candidate that `name` probably misspells; nothing if no candidate is near.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> candidates);

/// Text to append to "unknown ...". If a candidate is near: "; did you mean 'binomial'?". If some
/// contain the name: "; did you mean one of 'a-x', 'b-x'?". Otherwise all candidates: "; expected
/// one of a, b".
[[nodiscard]] std::string suggestion(std::string_view name,
                                     std::span<const std::string> candidates);

}  // namespace lsmlab

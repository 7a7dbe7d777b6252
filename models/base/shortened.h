// Long texts cut for people: in messages, labels and tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lsmlab {

/// Of UTF-8.
[[nodiscard]] std::size_t characters_in(std::string_view text);

/// At most `characters_max` characters, the last of them an ellipsis where the text is longer.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters_max);

/// A value as an error message quotes it: a long one by its beginning and its size, so that the
/// message stays one line whatever the input holds.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace lsmlab

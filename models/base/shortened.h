// Shortens long texts for messages, labels and tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lsmlab {

/// The number of characters of UTF-8 text.
[[nodiscard]] std::size_t characters_in(std::string_view text);

/// At most `characters_max` characters. If the text is longer, the last of them is an ellipsis.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters_max);

/// A value as an error message quotes it. Of a long value it has the beginning and the size in
/// bytes, so the message stays short whatever the input is.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace lsmlab

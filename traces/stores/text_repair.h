// Undoes what copying did to a text of a store: other encodings, colours of a terminal, characters
// of web pages, and what a tool put before each line. Pure functions of the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lsmlab::stores {

/// The text as plain UTF-8 without colours, no-break spaces, entities of HTML and numbers of grep,
/// and one in a single line with "\n" divided; none: it is that, or holds binary data.
[[nodiscard]] std::optional<std::string> repaired_text(std::string_view text);

/// Without what all lines begin with, digits and the number of spaces aside: "db_1  | ", "out:12:",
/// "// ", "> ". The strings of a program are unquoted. None: the lines have nothing in common.
[[nodiscard]] std::optional<std::string> without_common_dress(std::string_view text);

}  // namespace lsmlab::stores

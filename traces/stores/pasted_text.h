// Text that was copied out of a mail, a web page, a log collector or a JSON document.
#pragma once

#include <string>
#include <string_view>

namespace lsmlab::stores {

/// The text with ends of lines and spaces where it has "\n" and "\t": a string of JSON or of a
/// program may have a whole table. What a program has behind such a string stays as a line.
[[nodiscard]] std::string unescaped_text(std::string_view text);

/// The line without what such a place puts around it: marks of quotation ("> "), bars of a drawn
/// table (of five cells and more each becomes one word), "&nbsp;" for spaces, the name of the JSON
/// member whose value it is, a log's time and thread, the host or container before a line of a
/// table, the quotes of a program's source.
[[nodiscard]] std::string unquoted_line(std::string_view line);

}  // namespace lsmlab::stores

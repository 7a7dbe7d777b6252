// Text that was copied out of a mail, a web page, a log collector or a JSON document.
#pragma once

#include <string>
#include <string_view>

namespace lsmlab::stores {

/// Where the text of the line's own begins, of which `is_own` holds: behind what a collector of
/// logs, a mail or a program's source has before it, say a host, a container, "//", a quote. npos:
/// at none of the words of its first bytes.
[[nodiscard]] std::size_t begin_of_own_text(std::string_view line,
                                            bool (*is_own)(std::string_view));

/// Removes what a program's source has behind a line: "\n" +", "\", a comma.
void erase_suffix(std::string& text);

/// The text with ends of lines and spaces where it has "\n" and "\t": a string of JSON or of a
/// program may have a whole table. What a program has behind such a string stays as a line.
[[nodiscard]] std::string unescaped_text(std::string_view text);

/// The line without what such a place puts around it: marks of quotation ("> "), bars of a drawn
/// table (of five cells and more each becomes one word), "&nbsp;" for spaces, the name of the JSON
/// member whose value it is, a log's time and thread, the host or container before a line of a
/// table, the quotes of a program's source.
[[nodiscard]] std::string unquoted_line(std::string_view line);

}  // namespace lsmlab::stores

// Makes text from files safe for a terminal: no byte of it can act on the terminal.
#pragma once

#include <string>
#include <string_view>

namespace lsmlab {

/// `text` with each byte of a control character as \xNN: C0 other than newline and tab, DEL, C1,
/// characters that change the direction of writing, and bytes that are not UTF-8. Other text is
/// unchanged.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace lsmlab

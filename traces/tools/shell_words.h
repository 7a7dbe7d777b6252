// The words of a pasted text for a shell, without running it.
// Source: POSIX.1-2017, Shell Command Language, 2.2 (quoting), 2.6 (expansion).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"

namespace lsmlab::tools {

using ShellCommands = std::vector<std::vector<std::string>>;

/// The words of each command, without quotes, comments, backslashes that quote a letter, and the
/// backquotes that a page has around a command. A command ends at the end of a line, at `;` or
/// `&&`; a backslash at the end continues the line, and so does a flag at the beginning of the
/// next, if this one names a program. `$name` and `${name}` become the value that a command before
/// them is sure to set; a command that only sets variables is left out, unless there is no other.
/// `$(...)` and other variables stay as they are. Errors: a quote or a `$(` without its end.
[[nodiscard]] Result<ShellCommands> split_shell_words(std::string_view text);

}  // namespace lsmlab::tools

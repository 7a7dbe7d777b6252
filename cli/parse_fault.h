// What is wrong with a command line that the argument parser refused, as an error with its parts.
// The parser's state says which option is at fault; the English of its exceptions is not read.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <span>
#include <string>

#include "models/base/error.h"

namespace lsmlab {

/// The fault after `app.parse()` threw `error` for `arguments` (those after the program's name).
/// The message names the option, what was found and what was expected, and ends with the command
/// that prints the help.
[[nodiscard]] Error parse_fault(const CLI::App& app, std::span<const char* const> arguments,
                                const CLI::ParseError& error);

/// Accepts text that is not empty.
[[nodiscard]] CLI::Validator not_empty();
/// Accepts a whole number of the range, in digits only.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t min, std::uint64_t max);

}  // namespace lsmlab

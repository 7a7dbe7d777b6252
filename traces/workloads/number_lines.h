// Text files of numbers: one a line, empty lines and what follows a # aside. They may be compressed
// (line_reader.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"

namespace lsmlab {

struct NumberLines {
  Result<std::uint64_t> (*parse)(std::string_view text);
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  const char* range = "";  // of the two, for messages: "1..2^63 bytes"
  const char* what = "";   // "flush sizes"
};

/// What a file of numbers may make memory hold: 8 bytes a number, twice that while it is read.
inline constexpr std::size_t kNumberLinesMax = 100'000'000;

/// The numbers in the order of the file. Errors: cannot be read (with the system's reason), a
/// directory, a line that is no such number (with its number), no numbers at all, more than
/// `count_max`.
[[nodiscard]] Result<std::vector<std::uint64_t>> read_number_lines(
    const std::string& path, const NumberLines& lines, std::size_t count_max = kNumberLinesMax);

}  // namespace lsmlab

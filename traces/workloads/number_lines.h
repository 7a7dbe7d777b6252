// Text files of numbers: one per line. Empty lines and text after a # are ignored. Files may be
// compressed (line_reader.h).
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
  const char* range = "";  // the two limits for messages: "1..2^63 bytes"
  const char* what = "";   // such as "flush sizes"
};

/// The largest number of lines, which bounds memory: 8 bytes per number, and twice that while the
/// file is read.
inline constexpr std::size_t kNumberLinesMax = 100'000'000;

/// The numbers in the order of the file. Errors: the file cannot be read (with the system's reason)
/// or is a directory; a line that is not such a number (with the line's number); no numbers; more
/// than `count_max`.
[[nodiscard]] Result<std::vector<std::uint64_t>> read_number_lines(
    const std::string& path, const NumberLines& lines, std::size_t count_max = kNumberLinesMax);

}  // namespace lsmlab

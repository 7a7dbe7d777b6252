// Text files of numbers: one a line, empty lines and what follows a # aside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/error.h"

namespace lsmlab {

struct NumberLines {
  Result<std::uint64_t> (*parse)(std::string_view text);
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  const char* range = "";  // of the two, for messages: "1..2^63 bytes"
  const char* what = "";   // "flush sizes"
};

/// The numbers in the order of the file. Errors: cannot be read (with the system's reason), a
/// directory, a line that is no such number (with its number), no numbers at all.
[[nodiscard]] Result<std::vector<std::uint64_t>> read_number_lines(const std::string& path,
                                                                   const NumberLines& lines);

}  // namespace lsmlab

// Whole text files, with every failure a value.
#pragma once

#include <cstddef>
#include <string>

#include "models/error.h"

namespace lsmlab {

/// What a whole file may make memory hold.
inline constexpr std::size_t kTextFileBytesMax = std::size_t{1} << 30;

/// The file's content. Errors: a directory, a file that is missing, may not be read or has more
/// than `bytes_max` (input); anything else of the system while reading (machine). Each names the
/// path.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path,
                                                 std::size_t bytes_max = kTextFileBytesMax);

}  // namespace lsmlab

// Files of flush sizes: one size in bytes per line. Empty lines and lines that start with # are
// ignored. Files may be compressed (line_reader.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/error.h"

namespace lsmlab {

/// The sizes in the order of the file. Errors: the file cannot be read (with the system's reason)
/// or is a directory; a line that is not a size from 1 to 2^63 (with its number); no sizes; too
/// many sizes.
[[nodiscard]] Result<std::vector<std::uint64_t>> read_flush_sizes(const std::string& path);

}  // namespace lsmlab

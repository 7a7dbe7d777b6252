// Files that a user names, opened without waiting for whoever holds the other end.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/error.h"

namespace lsmlab {

enum class Pipes {
  kOfShellOnly,  // /dev/stdin and /dev/fd/N, which a shell has opened
  kNamedToo,     // a named pipe that somebody writes to within a second
};

/// A descriptor to read from, closed on exec. Errors: a directory, device or socket; a named pipe
/// where it is not taken or nothing writes to it; a file that is missing or may not be read (all
/// input). Each names the path.
[[nodiscard]] Result<int> open_input(const std::string& path, Pipes pipes);

/// Bytes of the regular file behind a descriptor; 0 for others, which do not tell.
[[nodiscard]] std::uint64_t size_of_input(int descriptor);

}  // namespace lsmlab

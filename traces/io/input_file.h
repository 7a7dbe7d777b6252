// Opens files that a user names. Opening never waits for the other end of a pipe.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/error.h"

namespace lsmlab {

enum class Pipes {
  kOfShellOnly,  // only /dev/stdin and /dev/fd/N, which a shell has opened
  kNamedToo,     // also a named pipe, if a process writes to it within a second
};

/// Returns a descriptor for reading, which is closed on exec. Errors (all input; each names the
/// path): a directory, device or socket; a named pipe that is not accepted or that no process
/// writes to; a file that does not exist or may not be read.
[[nodiscard]] Result<int> open_input(const std::string& path, Pipes pipes);

/// The size in bytes of the regular file behind a descriptor; 0 for other files, whose size is
/// unknown.
[[nodiscard]] std::uint64_t size_of_input(int descriptor);

}  // namespace lsmlab

// Reads whole text files. Every failure is a value.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/error.h"
#include "traces/io/input_file.h"

namespace lsmlab {

/// For policies, workloads and experiments: written by hand, or by a script that lists their parts.
inline constexpr std::uint64_t kConfigBytesMax = std::uint64_t{16} << 20;
/// For results, validations, devices with their measurements, and lists of numbers.
inline constexpr std::uint64_t kDataBytesMax = std::uint64_t{1} << 30;

/// The contents of the file. Errors (each names the path): those of open_input(); a file of more
/// than `bytes_max`, which is detected by its size before memory is allocated (input); any other
/// error of the system (machine).
[[nodiscard]] Result<std::string> read_text_file(const std::string& path, std::uint64_t bytes_max,
                                                 Pipes pipes = Pipes::kOfShellOnly);

}  // namespace lsmlab

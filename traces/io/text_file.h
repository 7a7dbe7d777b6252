// Whole text files, with every failure a value.
#pragma once

#include <cstdint>
#include <string>

#include "models/base/error.h"
#include "traces/io/input_file.h"

namespace lsmlab {

/// Policies, workloads and experiments: written by hand, or by a script that lists their parts.
inline constexpr std::uint64_t kConfigBytesMax = std::uint64_t{16} << 20;
/// Results, validations and devices with all that was measured; lists of numbers.
inline constexpr std::uint64_t kDataBytesMax = std::uint64_t{1} << 30;

/// The file's content. Errors: as open_input(), a file of more than `bytes_max`, which is told by
/// its size before memory is taken (input); anything else of the system while reading (machine).
/// Each names the path.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path, std::uint64_t bytes_max,
                                                 Pipes pipes = Pipes::kOfShellOnly);

}  // namespace lsmlab

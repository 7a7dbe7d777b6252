// What the kernel counts for this process.
#pragma once

#include <cstdint>
#include <optional>

namespace lsmlab::engine {

/// Bytes that this process has handed to write calls so far (/proc/self/io, wchar); nothing where
/// the system does not tell.
[[nodiscard]] std::optional<std::uint64_t> process_bytes_written();

}  // namespace lsmlab::engine

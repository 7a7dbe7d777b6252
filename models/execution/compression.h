// Compression of SSTable blocks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lsmlab {

/// The numbers are those in files.
enum class Compression : std::uint8_t { kNone = 0, kZstd = 1, kLz4 = 2 };

/// The names of options and results.
[[nodiscard]] inline std::vector<std::pair<std::string, Compression>> compression_names() {
  return {{"none", Compression::kNone}, {"zstd", Compression::kZstd}, {"lz4", Compression::kLz4}};
}

}  // namespace lsmlab

// The blocks in which RocksDB's memtables take memory (SanitizeOptions in db/column_family.cc).
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/units.h"

namespace lsmlab {

constexpr std::uint64_t kArenaBlockBytesMin = 4096;
constexpr std::uint64_t kArenaBlockBytesMax = std::uint64_t{1} << 31;

/// RocksDB's arena_block_size before 6.22, where no option gives it.
[[nodiscard]] constexpr Bytes old_arena_block(Bytes buffer) {
  constexpr std::uint64_t kPageBytes = 4096;
  return Bytes((buffer.value() / 8 + kPageBytes - 1) / kPageBytes * kPageBytes);
}

/// The same from 6.22 on: at most 1 MiB.
[[nodiscard]] constexpr Bytes default_arena_block(Bytes buffer) {
  constexpr Bytes kMost(1 << 20);
  return std::min(old_arena_block(buffer), kMost);
}

}  // namespace lsmlab

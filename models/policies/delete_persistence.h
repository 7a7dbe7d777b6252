// How long tombstones may stay above the last level, so that each delete takes effect within a time
// D (Lethe, Section 4.1; the formula follows its authors' code). With L levels and size ratio T,
// level i = 0..L-2 gets d_i = D (T-1) / (T^(L-1) - 1) * T^i; these times add up to D. The age of a
// file's oldest tombstone is compared with the sum over the levels that it passed, including its
// own:
//   d_0 + ... + d_i = D (T^(i+1) - 1) / (T^(L-1) - 1).
// In the last level it is compared with D. L grows with the tree.
#pragma once

#include <cstdint>

#include "models/tree/tree.h"

namespace lsmlab {

struct DeletePersistence {
  std::uint64_t limit = 0;  // D, in operations
  std::uint64_t size_ratio = 10;

  /// Whether a tombstone of that age has exceeded its time in `level` of a tree whose last level is
  /// `deepest`. Exact while size_ratio^deepest < 2^63; larger powers count as 2^63.
  [[nodiscard]] bool is_past(std::uint64_t age, std::uint32_t level, std::uint32_t deepest) const;
  /// The same for the oldest tombstone of a file; false if the file has no tombstones.
  [[nodiscard]] bool is_expired(const File& file, Instant now, std::uint32_t level,
                                std::uint32_t deepest) const;
};

}  // namespace lsmlab

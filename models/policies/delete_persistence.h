// How long tombstones may stay in the levels above the last one so that each delete is carried out
// within D (Lethe, Section 4.1; the formula as in its authors' code): with L levels and size ratio
// T, level i = 0..L-2 gets d_i = D (T-1) / (T^(L-1) - 1) * T^i, which add up to D. A file's oldest
// tombstone is held against the sum over the levels that it passed, its own included:
//   d_0 + ... + d_i = D (T^(i+1) - 1) / (T^(L-1) - 1),
// and in the last level against D. L follows the tree as it grows.
#pragma once

#include <cstdint>

#include "models/tree/tree.h"

namespace lsmlab {

struct DeletePersistence {
  std::uint64_t limit = 0;  // D: operations in stepped mode, nanoseconds in timed mode
  std::uint64_t size_ratio = 10;

  /// Whether a tombstone of that age is past its time in `level` of a tree whose last level is
  /// `deepest`. Exact while size_ratio^deepest < 2^63; above, such powers count as 2^63.
  [[nodiscard]] bool is_past(std::uint64_t age, std::uint32_t level, std::uint32_t deepest) const;
  /// The same of the oldest tombstone of a file; false where it holds none.
  [[nodiscard]] bool is_expired(const File& file, Instant now, std::uint32_t level,
                                std::uint32_t deepest) const;
};

}  // namespace lsmlab

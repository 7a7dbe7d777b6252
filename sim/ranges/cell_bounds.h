// Cells of unequal width, for files in which density changes abruptly: keys that were inserted in
// order lie densely behind others that were updated here and there. The bounds lie where straight
// lines between them follow the counts of entries best (Douglas and Peucker, Cartographica 1973).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/ranges/range_contents.h"

namespace lsmlab {

/// A key, and the counts of a file's entries below it.
struct CountedKey {
  std::uint64_t key = 0;
  ClassCounts below;
};

/// Sets the bounds of the cells, at most `cells` of them, and the shares below each. REQUIRES: the
/// keys do not fall, and contents.keys lies between the first and the last of them; no count falls;
/// the counts below the first key are 0.
void fill_unequal_cells(const std::vector<CountedKey>& keys, std::size_t cells,
                        RangeContents& contents);

/// Entries that lie evenly from `begin` to before `end`.
struct CountedPart {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  double entries = 0;
  double oldest = 0;
  double tombstones = 0;
};
/// A memtable of such parts, which may overlap, with one class of these counts. Sets the key range:
/// from its first expected entry to its last. REQUIRES: there is a part.
[[nodiscard]] RangeContents contents_of_parts(std::vector<CountedPart> parts,
                                              const ClassCounts& counts, std::size_t cells);

}  // namespace lsmlab

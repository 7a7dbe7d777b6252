// Which file of a leveled level moves (design-space paper, Section 3.1.4): a priority list of
// criteria. Each names the files that are best by it; later ones choose among these, or among all
// where an earlier one names none. What is left leaves in turn, as by round-robin.
//
//   round-robin                the first whose smallest key is above the level's cursor; wraps
//   least-overlap-parent       fewest bytes in the files of the next level that it overlaps, for
//                              each byte of its own (RocksDB's minimal overlapping ratio, which the
//                              paper's LO+1 is, Section 4.1)
//   least-overlap-grandparent  the same, two levels down
//   coldest                    least recently accessed
//   oldest                     holds the oldest write
//   most-tombstones            of the dense files, the one with the most tombstones
//   expired-ttl                of those past their time to live, the one with the oldest tombstone
#pragma once

#include <cstddef>
#include <vector>

#include "models/policies/primitives/options.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct FileChoice {
  std::size_t index = 0;      // in the run
  bool moves_cursor = false;  // round-robin had a say, or settled a tie
};

/// O(files of the level and the one that is looked at). `candidates`: rising indexes of files of
/// the level's newest run. REQUIRES: at least one.
[[nodiscard]] FileChoice choose_file(const Primitives& primitives, const TreeView& tree,
                                     std::uint32_t level, std::vector<std::size_t> candidates);

}  // namespace lsmlab

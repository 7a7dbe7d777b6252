// Which file of a leveled level moves (design-space paper, Section 3.1.4). The option is a priority
// list of criteria. Each criterion keeps the files that are best by it. The next one chooses among
// those; if a criterion applies to no file, it keeps all. If several files are left, they leave in
// turn, as with round-robin.
//
//   round-robin                the first file whose smallest key is above the level's cursor;
//                              after the last file, the first one
//   least-overlap-parent       the file with the fewest overlapped bytes in the next level, per
//                              byte of its own (RocksDB's minimal overlapping ratio; the paper's
//                              LO+1 is the same, Section 4.1)
//   least-overlap-grandparent  the same, two levels down
//   coldest                    the least recently accessed file
//   oldest                     the file with the oldest write
//   most-tombstones            of the files that are dense in tombstones, the one with the most
//   expired-ttl                of the files with tombstones past their time to live, the one with
//                              the oldest tombstone
#pragma once

#include <cstddef>
#include <vector>

#include "models/policies/primitives/options.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct FileChoice {
  std::size_t index = 0;      // position in the run
  bool moves_cursor = false;  // round-robin was a criterion or decided a tie
};

/// Cost: O(files of the level and of the level that it is compared with). `candidates`: rising
/// indexes of files of the level's newest run. REQUIRES: at least one candidate.
[[nodiscard]] FileChoice choose_file(const Primitives& primitives, const TreeView& tree,
                                     std::uint32_t level, std::vector<std::size_t> candidates);

}  // namespace lsmlab

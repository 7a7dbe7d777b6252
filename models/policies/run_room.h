// For policies whose merges add files to levels of overlapping files: which sorted run of a level
// can take them, so that the number of runs stays near the number of files that meet at a key.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/tree/tree.h"

namespace lsmlab {

/// A run of the level that has no file at these keys, which rise and do not overlap, but for those
/// that leave: the newest such run. Nothing if there is none, or if a busy file of the tree meets
/// the keys, because a running merge might fill the room.
[[nodiscard]] std::optional<RunId> run_with_room(const TreeView& tree, std::uint32_t level,
                                                 const std::vector<KeyRange>& keys,
                                                 const std::vector<FileId>& leaving);

}  // namespace lsmlab

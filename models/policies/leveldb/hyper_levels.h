// What HyperLevelDB and its descendant PebblesDB share: which level is merged, and the sizes of
// levels and files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/tree/file_order.h"
#include "models/tree/tree.h"

namespace lsmlab {

inline constexpr std::uint32_t kHyperLevels = 7;
using HyperScores = std::array<FileRank, kHyperLevels>;

/// Whether a merge takes files of the level or adds some to it.
[[nodiscard]] bool is_hyper_locked(const TreeView& tree, std::uint32_t level);

/// The first of levels 1 to 5 whose score is at least 1 and the next level's, and which no merge
/// uses, the next one included; but level 0 if its score is at least 1, that of level 1 at most 1,
/// and no merge uses them. Nothing if there is none. (VersionSet::PickCompactionLevel.)
[[nodiscard]] std::optional<std::uint32_t> hyper_level(const TreeView& tree,
                                                       const HyperScores& scores);

}  // namespace lsmlab

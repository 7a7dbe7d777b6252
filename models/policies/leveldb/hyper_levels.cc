#include "models/policies/leveldb/hyper_levels.h"

namespace lsmlab {
namespace {

constexpr FileRank kOne{1, 1};

bool is_busy(const TreeView& tree, std::uint32_t level) {
  return level < tree.levels().size() && tree.levels()[level].sums.busy_files > 0;
}

}  // namespace

bool is_hyper_locked(const TreeView& tree, std::uint32_t level) {
  return is_busy(tree, level) || (level > 0 && is_busy(tree, level - 1));
}

std::optional<std::uint32_t> hyper_level(const TreeView& tree, const HyperScores& scores) {
  const bool is_level0_free = !is_hyper_locked(tree, 0) && !is_hyper_locked(tree, 1);
  if (is_level0_free && scores[0] >= kOne && scores[1] <= kOne) return 0;
  for (std::uint32_t level = 1; level + 1 < kHyperLevels; ++level) {
    if (is_hyper_locked(tree, level) || is_hyper_locked(tree, level + 1)) continue;
    if (scores[level] >= kOne && scores[level] >= scores[level + 1]) return level;
  }
  return std::nullopt;
}

}  // namespace lsmlab

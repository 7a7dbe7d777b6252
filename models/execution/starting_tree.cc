#include "models/execution/starting_tree.h"

#include <algorithm>
#include <optional>

#include "models/tree/tree_query.h"

namespace lsmlab {

OutputTarget starting_target(const TreeView& tree, std::uint32_t level) {
  return level == 0 ? OutputTarget{0, std::nullopt} : leveled_target(tree, level);
}

SstableFormat starting_format(const StoreOptions& store, const StartingTree& start,
                              std::uint32_t level) {
  SstableFormat format = store.format();
  if (level == 0) return format;
  std::uint32_t base = level;
  std::uint32_t deepest = level;
  for (const StartingRun& run : start.runs) {
    if (run.level > 0) base = std::min(base, run.level);
    deepest = std::max(deepest, run.level);
  }
  format.compression = store.compression.at(level, base, deepest + 1, true);
  return format;
}

}  // namespace lsmlab

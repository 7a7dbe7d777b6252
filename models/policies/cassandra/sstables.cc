#include "models/policies/cassandra/sstables.h"

#include <algorithm>

#include "models/tree/tree_query.h"

namespace lsmlab {

std::vector<Sstable> sstables_of(const TreeView& tree, std::uint32_t level) {
  std::vector<Sstable> sstables;
  if (level >= tree.levels().size()) return sstables;
  const std::vector<SortedRun>& runs = tree.levels()[level].runs;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) sstables.push_back({level, &*run});
  return sstables;
}

std::vector<Sstable> sstables_of(const TreeView& tree) {
  std::vector<Sstable> sstables;
  for (auto level = static_cast<std::uint32_t>(tree.levels().size()); level-- > 0;) {
    const std::vector<Sstable> of_level = sstables_of(tree, level);
    sstables.insert(sstables.end(), of_level.begin(), of_level.end());
  }
  return sstables;
}

std::vector<Sstable> idle(const std::vector<Sstable>& sstables) {
  std::vector<Sstable> kept;
  for (const Sstable& one : sstables) {
    if (!one.run->busy()) kept.push_back(one);
  }
  return kept;
}

std::vector<PlanInput> inputs_of(const std::vector<Sstable>& sstables) {
  std::vector<PlanInput> inputs;
  for (auto one = sstables.rbegin(); one != sstables.rend(); ++one) {
    inputs.push_back(input_of(one->level, *one->run, FileSpan(one->run->files)));
  }
  return inputs;
}

MergePlan merge_of(const std::vector<Sstable>& sstables) {
  MergePlan merge;
  merge.inputs = inputs_of(sstables);
  for (const Sstable& one : sstables) {
    merge.target.level = std::max(merge.target.level, one.level);
  }
  return merge;
}

}  // namespace lsmlab

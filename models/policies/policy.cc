#include "models/policies/policy.h"

#include "models/sizes/filter_split.h"

namespace lsmlab {

std::uint64_t Policy::stalling_runs(const TreeView& tree) const {
  if (bounds_runs() || tree.levels().empty()) return 0;
  return tree.levels()[0].runs.size();
}

SstableFormat output_format(const Policy& policy, const StoreOptions& store, const TreeView& tree,
                            const Plan& plan, Entries memtable) {
  std::vector<LevelCapacity> capacities;
  const bool needs_capacities =
      store.filter_split == FilterSplit::kAutotune || store.compression.levels.size() > 1;
  if (needs_capacities) capacities = policy.level_capacities(tree);
  SstableFormat format =
      output_format(tuned_options(store, tree), tree, plan, memtable, capacities);
  if (!policy.compresses(tree, plan)) format.compression = {};
  return format;
}

bool flush_keeps_overwritten(const Policy& policy, const StoreOptions& store) {
  return policy.flush_keeps_overwritten() && !store.replaces_entries();
}

}  // namespace lsmlab

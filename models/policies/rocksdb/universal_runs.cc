#include "models/policies/rocksdb/universal_runs.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "models/policies/rocksdb/levels.h"
#include "models/tree/tree_query.h"

namespace lsmlab {

std::vector<UniversalRun> universal_runs(const TreeView& tree) {
  const RocksdbCompensation compensation(tree);
  std::vector<UniversalRun> runs;
  for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
    for (const SortedRun& run : tree.levels()[level].runs) {
      runs.push_back(
          {level, &run, run.bytes().value(), compensation.bytes(run.files.sums()), run.busy()});
    }
  }
  return runs;
}

bool universal_compresses(const TreeView& tree, const Plan& plan, std::uint64_t size_percent) {
  if (takes_memtable(plan)) return false;
  const auto* const merge = std::get_if<MergePlan>(&plan.action);
  const bool is_by_size =
      plan.reason == PlanReason::kSizeRatio || plan.reason == PlanReason::kSortedRunCount;
  if (merge == nullptr || !is_by_size) return true;
  const RunId oldest_input = merge->inputs.back().run;
  // RocksDB compares plain sizes of the older runs with compensated sizes of all.
  Uint128 all_bytes = 0;
  Uint128 older_bytes = 0;
  bool is_older = false;
  bool has_older = false;
  for (const UniversalRun& run : universal_runs(tree)) {
    all_bytes += run.compensated_bytes;
    if (is_older) older_bytes += run.bytes;
    has_older |= is_older;
    is_older |= run.run->id == oldest_input;
  }
  return !has_older || older_bytes * 100 < all_bytes * size_percent;
}

std::optional<LevelPush> universal_push(const std::vector<UniversalRun>& runs,
                                        const ManualCompaction& manual) {
  const std::uint32_t level_min = manual.scope == ManualScope::kLevel0 ? 0 : 1;
  auto run = runs.begin();
  while (run != runs.end() && run->level < level_min) ++run;
  if (run == runs.end() || (level_min == 0 && run->level > 0)) return std::nullopt;
  const std::uint32_t level = run->level;
  LevelPush push;
  KeyRange keys = range_of(run->run->files);
  for (; run != runs.end() && run->level == level; ++run) {
    if (run->busy || run->run->files.front().id >= manual.first_new) return std::nullopt;
    keys = hull_of(keys, range_of(run->run->files));
    push.inputs.push_back(input_of(level, *run->run, run->run->files));
  }
  if (run == runs.end()) return std::nullopt;
  push.output_level = run->level;
  PlanInput below{run->level, run->run->id, {}};
  for (const File& file : overlapping_files(*run->run, keys)) {
    if (file.busy) return std::nullopt;
    below.files.push_back(file.id);
  }
  if (!below.files.empty()) push.inputs.push_back(std::move(below));
  push.is_bottommost = std::none_of(run + 1, runs.end(), [&](const UniversalRun& older) {
    return !overlapping_files(*older.run, keys).empty();
  });
  return push;
}

}  // namespace lsmlab

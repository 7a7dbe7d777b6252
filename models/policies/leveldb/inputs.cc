#include "models/policies/leveldb/inputs.h"

#include <optional>
#include <utility>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// Files of a level that overlap `keys`. In level 0 also the files that overlap these files, and so
// on.
LeveldbInputSet gather(const TreeView& tree, std::uint32_t level, KeyRange keys) {
  if (level >= tree.levels().size()) return {};
  while (true) {
    LeveldbInputSet set;
    for (const SortedRun& run : tree.levels()[level].runs) {
      set.add(level, run, overlapping_files(run, keys));
    }
    if (level > 0 || set.files == 0 || hull_of(set.keys, keys) == keys) return set;
    keys = hull_of(set.keys, keys);
  }
}

}  // namespace

void LeveldbInputSet::add(std::uint32_t level, const SortedRun& run, const FileSpan& taken) {
  if (taken.empty()) return;
  inputs.push_back(input_of(level, run, taken));
  keys = files == 0 ? range_of(taken) : hull_of(keys, range_of(taken));
  bytes += sum_of_bytes(taken);
  files += taken.size();
}

std::vector<PlanInput> LeveldbInputs::all() const {
  std::vector<PlanInput> inputs = upper.inputs;
  inputs.insert(inputs.end(), lower.inputs.begin(), lower.inputs.end());
  return inputs;
}

bool LeveldbInputs::may_move(const TreeView& tree, const LeveldbOptions& options) const {
  return upper.files == 1 && lower.files == 0 &&
         overlapped_bytes(tree, upper.inputs.front().level + 2, upper.keys) <=
             options.grandparent_bytes_max();
}

FileOrdering files_worn_by_seeks(const Policy& policy, std::string name) {
  FileOrdering worn{std::move(name), [&policy](const File& file) {
                      const std::optional<std::uint64_t> budget = policy.seeks_max(file);
                      const bool is_worn = budget && file.seeks >= *budget;
                      return is_worn ? std::optional(FileRanks{}) : std::nullopt;
                    }};
  worn.by_seeks = true;
  return worn;
}

LeveldbInputs leveldb_inputs(const TreeView& tree, std::uint32_t level, const KeyRange& keys,
                             const LeveldbOptions& options) {
  LeveldbInputs inputs;
  inputs.upper = gather(tree, level, keys);
  inputs.lower = gather(tree, level + 1, inputs.upper.keys);
  if (inputs.lower.files == 0) return inputs;
  LeveldbInputSet grown = gather(tree, level, hull_of(inputs.upper.keys, inputs.lower.keys));
  if (grown.files > inputs.upper.files &&
      inputs.lower.bytes + grown.bytes < options.expanded_bytes_max() &&
      gather(tree, level + 1, grown.keys).files == inputs.lower.files) {
    inputs.upper = std::move(grown);
  }
  return inputs;
}

}  // namespace lsmlab

#include "models/tree/tree_query.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

FileSpan overlapping_files(const SortedRun& run, const KeyRange& keys) {
  const std::size_t first = run.files.first_ending_from(keys.smallest);
  const std::size_t last = run.files.first_above(keys.largest);
  return {run.files, first, std::max(first, last)};
}

const SortedRun* newest_run(const TreeView& tree, std::uint32_t level) {
  if (level >= tree.levels().size() || tree.levels()[level].runs.empty()) return nullptr;
  return &tree.levels()[level].runs.front();
}

OutputTarget leveled_target(const TreeView& tree, std::uint32_t level) {
  const SortedRun* run = newest_run(tree, level);
  return {level, run != nullptr ? std::optional(run->id) : std::nullopt};
}

std::optional<std::uint32_t> deepest_level(const TreeView& tree) {
  for (std::size_t level = tree.levels().size(); level-- > 0;) {
    if (!tree.levels()[level].runs.empty()) return static_cast<std::uint32_t>(level);
  }
  return std::nullopt;
}

Bytes level_bytes(const TreeView& tree, std::uint32_t level) {
  return level < tree.levels().size() ? Bytes(tree.levels()[level].sums.data_bytes()) : Bytes();
}

Bytes sum_of_bytes(const FileSpan& files) { return Bytes(files.sums().data_bytes()); }

bool any_busy(const FileSpan& files) { return files.any_busy(); }

KeyRange range_of(const FileSpan& files) {
  CHECK(!files.empty());
  return {files.front().keys.smallest, files.back().keys.largest};
}

KeyRange hull_of(const KeyRange& a, const KeyRange& b) {
  return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
}

std::span<const Slice> merged_slices(const MergePlan& plan, const File& file) {
  const std::span<const Slice> slices(file.slices);
  if (!plan.newest_slices) return slices;
  return slices.last(std::min<std::size_t>(slices.size(), *plan.newest_slices));
}

bool leaves_slices(const TreeView& tree, const MergePlan& plan) {
  if (!plan.newest_slices) return false;
  FileFinder finder(tree);
  return std::any_of(plan.inputs.begin(), plan.inputs.end(), [&](const PlanInput& input) {
    return std::any_of(input.files.begin(), input.files.end(), [&](FileId id) {
      return finder.at(id).slices.size() > *plan.newest_slices;
    });
  });
}

PlanInput input_of(std::uint32_t level, const SortedRun& run, const FileSpan& files) {
  PlanInput input{level, run.id, {}};
  input.files.reserve(files.size());
  for (const File& file : files) input.files.push_back(file.id);
  return input;
}

}  // namespace lsmlab

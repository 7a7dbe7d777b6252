#include "models/policies/xengine/extents.h"

#include <algorithm>
#include <utility>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

bool comes_before(const XExtent& a, const XExtent& b) {
  const std::uint64_t key_a = a.file->keys.smallest;
  const std::uint64_t key_b = b.file->keys.smallest;
  if (key_a != key_b) return key_a < key_b;
  return a.level != b.level ? a.level < b.level : a.run < b.run;
}

}  // namespace

std::vector<XBatch> batches_of(XExtents& extents) {
  std::sort(extents.begin(), extents.end(), comes_before);
  std::vector<XBatch> batches;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const KeyRange& keys = extents[i].file->keys;
    if (batches.empty() || batches.back().keys.largest < keys.smallest) {
      batches.push_back({i, i, keys});
    }
    batches.back().last = i + 1;
    batches.back().keys = hull_of(batches.back().keys, keys);
  }
  return batches;
}

std::vector<std::size_t> add_overlapped(const TreeView& tree, std::uint32_t level, XExtents upper,
                                        XExtents& extents) {
  std::vector<std::size_t> places;
  const SortedRun* const lower = newest_run(tree, level);
  if (lower == nullptr) return places;
  std::size_t next = 0;  // so that none is added twice
  for (const XBatch& batch : batches_of(upper)) {
    const FileSpan met = overlapping_files(*lower, batch.keys);
    const std::size_t end = met.first_index() + met.size();
    for (next = std::max(next, met.first_index()); next < end; ++next) {
      extents.push_back({&lower->files[next], level, 0});
      places.push_back(next);
    }
  }
  return places;
}

XExtents extents_with_deletes(const TreeView& tree) {
  XExtents extents;
  const SortedRun* const level2 = newest_run(tree, 2);
  if (level2 == nullptr) return extents;
  const auto has_deletes = [](const RunSums& sums) { return sums.tombstones > 0; };
  for (std::size_t i = level2->files.find_first(0, has_deletes); i < level2->files.size();
       i = level2->files.find_first(i + 1, has_deletes)) {
    extents.push_back({&level2->files[i], 2, 0});
  }
  return extents;
}

bool lies_between(const SortedRun* run, std::uint64_t from, std::uint64_t to) {
  if (run == nullptr) return false;
  const std::size_t next = run->files.first_above(from);
  return next < run->files.size() && run->files[next].keys.smallest < to;
}

std::uint64_t delete_percent(const File& file) {
  return file.entries.value() == 0 ? 0 : file.tombstones.value() * 100 / file.entries.value();
}

OutputCut extent_cut(Bytes extent_bytes) {
  OutputCut cut;
  cut.measure = CutMeasure::kStoredBlocks;
  cut.file_bytes = extent_bytes;
  return cut;
}

void ExtentRewrite::take(const XBatch& batch, bool is_apart) {
  const bool is_full = in_part_ > part_extents_;
  if (!chosen_.empty() && (is_apart || is_full)) begins_.push_back(batch.keys.smallest);
  if (is_full) in_part_ = 0;
  for (std::size_t i = batch.first; i < batch.last; ++i) chosen_.push_back(extents_[i]);
  in_part_ += batch.size();
}

MergePlan ExtentRewrite::plan(const TreeView& tree, Bytes extent_bytes) const {
  std::vector<std::vector<PlanInput>> inputs(tree.levels().size());
  for (const XExtent& one : chosen_) {
    const std::vector<SortedRun>& runs = tree.levels()[one.level].runs;
    inputs[one.level].resize(runs.size());
    PlanInput& input = inputs[one.level][one.run];
    input.level = one.level;
    input.run = runs[one.run].id;
    input.files.push_back(one.file->id);
  }
  MergePlan merge;
  for (std::vector<PlanInput>& level : inputs) {
    for (PlanInput& input : level) {
      if (!input.files.empty()) merge.inputs.push_back(std::move(input));
    }
  }
  merge.cut = extent_cut(extent_bytes);
  if (!begins_.empty()) merge.cut.file_begins = begins_;
  return merge;
}

}  // namespace lsmlab

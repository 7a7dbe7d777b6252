// X-Engine's extents that a task may take, grouped by overlap (reuse_block_merge_iterator.cc), and
// the merge of those that it rewrites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// `run` counts from the newest of its level.
struct XExtent {
  const File* file = nullptr;
  std::uint32_t level = 0;
  std::size_t run = 0;
};
using XExtents = std::vector<XExtent>;

/// Extents first..last-1 that overlap one another, directly or through others.
struct XBatch {
  std::size_t first = 0;
  std::size_t last = 0;
  KeyRange keys;
  [[nodiscard]] std::size_t size() const { return last - first; }
};

/// Sorts the extents by key, and returns their batches. Ranges with a common key overlap.
[[nodiscard]] std::vector<XBatch> batches_of(XExtents& extents);

/// Adds the extents of a level's run that overlap those of `upper`. Returns their places in the
/// run, rising. O(extents * log extents).
std::vector<std::size_t> add_overlapped(const TreeView& tree, std::uint32_t level, XExtents upper,
                                        XExtents& extents);

/// The extents of level 2 that have deletes; O(these * log extents).
[[nodiscard]] XExtents extents_with_deletes(const TreeView& tree);

/// Whether an extent of the run begins above `from` and below `to`. No run has none.
[[nodiscard]] bool lies_between(const SortedRun* run, std::uint64_t from, std::uint64_t to);

/// The share of deletes, in whole percent.
[[nodiscard]] std::uint64_t delete_percent(const File& file);

/// Collects the batches that are rewritten, by key.
class ExtentRewrite {
 public:
  /// A part of a task ends with the batch with which it has more than `part_extents`. Refers to the
  /// extents, which must outlive it.
  ExtentRewrite(const XExtents& extents, std::uint64_t part_extents)
      : extents_(extents), part_extents_(part_extents) {}

  /// `is_apart`: an extent that is not rewritten lies between this batch and the one before.
  void take(const XBatch& batch, bool is_apart);
  [[nodiscard]] bool empty() const { return chosen_.empty(); }
  /// Without a target. Inputs are ordered by level and run, the newest first; outputs end at
  /// `extent_bytes`, where a part ends, and before an extent that is not rewritten.
  [[nodiscard]] MergePlan plan(const TreeView& tree, Bytes extent_bytes) const;

 private:
  const XExtents& extents_;
  std::uint64_t part_extents_;
  XExtents chosen_;
  std::vector<std::uint64_t> begins_;
  std::uint64_t in_part_ = 0;
};

/// Outputs end at this size.
[[nodiscard]] OutputCut extent_cut(Bytes extent_bytes);

}  // namespace lsmlab

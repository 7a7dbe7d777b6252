// Queries on a tree that several policies and both executors use.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// The files of a run that overlap `keys`, by key; O(log files).
[[nodiscard]] FileSpan overlapping_files(const SortedRun& run, const KeyRange& keys);

/// The newest run of a level; a leveled level has only this one. Null if the level is empty.
[[nodiscard]] const SortedRun* newest_run(const TreeView& tree, std::uint32_t level);

/// The target for outputs into a leveled level: its run, or a new run if the level is empty.
[[nodiscard]] OutputTarget leveled_target(const TreeView& tree, std::uint32_t level);

/// The deepest level that holds a file; nothing if the tree is empty.
[[nodiscard]] std::optional<std::uint32_t> deepest_level(const TreeView& tree);

[[nodiscard]] Bytes level_bytes(const TreeView& tree, std::uint32_t level);
[[nodiscard]] Bytes sum_of_bytes(const FileSpan& files);
[[nodiscard]] bool any_busy(const FileSpan& files);

/// From the first file's smallest key to the last one's largest. REQUIRES: not empty.
[[nodiscard]] KeyRange range_of(const FileSpan& files);
/// The smallest range that holds both.
[[nodiscard]] KeyRange hull_of(const KeyRange& a, const KeyRange& b);

/// The slices of an input that a merge takes, oldest first.
[[nodiscard]] std::span<const Slice> merged_slices(const MergePlan& plan, const File& file);
/// Whether a merge takes only some of its input's slices.
[[nodiscard]] bool leaves_slices(const TreeView& tree, const MergePlan& plan);

/// A plan input of the given files. REQUIRES: they are files of `run`.
[[nodiscard]] PlanInput input_of(std::uint32_t level, const SortedRun& run, const FileSpan& files);

}  // namespace lsmlab

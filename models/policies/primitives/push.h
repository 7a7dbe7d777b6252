// How data of a level goes down after a trigger fired there: turns data layout and granularity
// (design-space paper, Sections 3.1.2 and 3.1.3) into a plan.
//
// Into a leveled level, data merges with the files that its key range overlaps; if it overlaps
// none, it moves, which writes nothing. Into a tiered level, it goes as a new run. Files with
// expired tombstones are not moved: if no deeper level holds the keys of these tombstones, the
// files are rewritten in their own level and so lose them.
//
// Plans come to an end: every plan either takes data to a deeper level, which ends at the last
// level that holds its keys, or rewrites data in place, after which no tombstones are left to fire
// again.
//
// Other merges may run concurrently. A plan takes only idle files whose outputs cannot overlap what
// a running merge will write: see is_free_below() and would_empty_target().
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "models/policies/primitives/file_choice.h"
#include "models/policies/primitives/options.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// Of one tree, for one decision; all must outlive it.
class PrimitivesPush {
 public:
  PrimitivesPush(const Primitives& primitives, const FileChooser& chooser, const TreeView& tree);

  [[nodiscard]] std::uint32_t deepest() const { return deepest_; }
  /// The number of runs at which a level merges; 1: the level is leveled.
  [[nodiscard]] std::uint64_t run_limit(std::uint32_t level) const;
  /// True if data that comes to the level joins its run, or makes the first run.
  [[nodiscard]] bool is_leveled(std::uint32_t level) const;

  /// The plan after a trigger fired for a whole level.
  [[nodiscard]] std::optional<Plan> push_level(std::uint32_t level, PlanReason reason) const;
  /// The same for a trigger that fired for the files at the begin of an order of the level: those
  /// for which `is_marked` holds.
  template <class IsMarked>
  [[nodiscard]] std::optional<Plan> push_marked(std::uint32_t level, PlanReason reason,
                                                const FileOrder& order,
                                                const IsMarked& is_marked) const;
  /// The same for files in which tombstones are dense.
  [[nodiscard]] std::optional<Plan> push_dense(std::uint32_t level, PlanReason reason) const;
  /// Every run of the tree into one of the deepest level, or of the first leveled one from there on
  /// that can hold it.
  [[nodiscard]] std::optional<Plan> merge_all(PlanReason reason) const;

 private:
  [[nodiscard]] bool moves_whole(std::uint32_t level) const;
  [[nodiscard]] std::optional<Plan> push_runs(std::uint32_t level, PlanReason reason) const;
  [[nodiscard]] std::optional<Plan> push_file(std::uint32_t level, PlanReason reason,
                                              const std::optional<FileChoice>& choice) const;
  [[nodiscard]] std::optional<Plan> push_some(std::uint32_t level, PlanReason reason,
                                              const std::vector<std::size_t>& files) const;
  [[nodiscard]] FileChooser::MayTake may_take_from(std::uint32_t level) const;
  [[nodiscard]] FileSpan met_below(std::uint32_t level, const KeyRange& keys) const;
  [[nodiscard]] bool is_free_below(std::uint32_t level, const KeyRange& keys) const;
  [[nodiscard]] bool would_empty_target(std::uint32_t level, std::size_t file_count) const;
  [[nodiscard]] bool is_busy(std::uint32_t level) const;
  [[nodiscard]] bool must_rewrite(std::uint32_t level, const KeyRange& keys,
                                  PlanReason reason) const;
  [[nodiscard]] bool may_move(std::uint32_t level, const FileSpan& files) const;
  [[nodiscard]] OutputTarget target_in(std::uint32_t level) const;
  [[nodiscard]] OutputCut cut_for(std::uint32_t level) const;
  [[nodiscard]] MergePlan merge(std::vector<PlanInput> inputs, OutputTarget target) const;
  [[nodiscard]] std::vector<PlanInput> all_runs(std::uint32_t level) const;

  const Primitives& primitives_;
  const FileChooser& chooser_;
  const TreeView& tree_;
  std::uint32_t deepest_;
};

template <class IsMarked>
std::optional<Plan> PrimitivesPush::push_marked(std::uint32_t level, PlanReason reason,
                                                const FileOrder& order,
                                                const IsMarked& is_marked) const {
  std::vector<std::size_t> marked;  // in the level's run, where it is leveled
  for (const OrderedFile& ordered : order) {
    const FileLocation at = tree_.location_of(level, ordered);
    if (!is_marked(tree_.file_at(at))) break;
    if (moves_whole(level)) return push_runs(level, reason);
    marked.push_back(at.file);
  }
  return push_some(level, reason, marked);
}

}  // namespace lsmlab

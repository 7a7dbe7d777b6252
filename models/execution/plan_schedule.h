// Plans side by side: which of those that a policy wants may run while others do, and how the edit
// of one that ran beside others is fitted to the tree that it finds at its end. The one rule of the
// engine's threads and of the simulator's workers.
//
// What must hold for plans side by side, and why it does:
//
//   - No plan takes, moves or links what another one reads: inputs are busy until their edit, and
//     policies pass over busy files (models/policies/busy_test.cc).
//   - Files of one run share no keys. A merge may write anywhere between the keys of its inputs,
//     gaps included, so no two plans that run have one target level (may_start). A run whose last
//     idle files went deeper meanwhile is made anew by the merge that writes to it (fit_edit);
//     nobody else can have made one there.
//   - Of a key, newer versions stand above older ones. A plan takes all files of its target level
//     that overlap it, so its outputs pass nothing older on their way down. What arrives
//     meanwhile in a level that it takes files from is newer than these: it came from a memtable
//     or from a level above. Runs of one level stand by age, whichever of them was made first.
//   - Tombstones that a merge drops hide nothing. Whatever is older than its inputs stood in the
//     tree when it began: all that comes later comes from memtables. Other plans carry older data
//     deeper, within key ranges that TombstoneRule saw, or drop it; so its answers stay right,
//     whichever plan ends first.
//   - A flush is newer than all. As a run of its own in level 0 it may stand beside everything. A
//     place below level 0 is taken like any target level, asked for again when the flush is
//     written, and given up for level 0 where something is in the way (fit_edit).
//   - Slices are read by every merge of the file that they hang on. Links wait for files below to
//     be idle (may_start), and the one policy that links, LDC, begins nothing else meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "models/base/error.h"
#include "models/policies/policy.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

class PlanSchedule {
 public:
  /// The next plan of the policy, its inputs reserved: one that takes the pending flush, or one of
  /// the others. Nothing where it wants none that could run beside those that do. A flush that may
  /// not go below level 0 goes there.
  [[nodiscard]] std::optional<Plan> pick(const Policy& policy, TreeState& tree,
                                         bool takes_pending) const;
  /// A plan that was picked runs, until end() is called with the same.
  void begin(const Plan& plan);
  void end(const Plan& plan);
  [[nodiscard]] std::uint64_t running() const { return running_; }

 private:
  [[nodiscard]] bool may_start(const TreeView& tree, const Plan& plan) const;

  std::set<std::uint32_t> targets_;  // levels
  std::uint64_t running_ = 0;
};

/// Gives a flush or merge that ran beside others another target where its own is gone or taken.
/// Errors: an edit that does not fit the tree for another reason.
[[nodiscard]] Result<void> fit_edit(const TreeState& tree, const Plan& plan, TreeEdit& edit);

}  // namespace lsmlab

// Concurrent plans: which of the policy's plans may run while others run, and how the edit of a
// concurrent plan is fitted to the tree at its end. One rule for the engine's threads and the
// simulator's workers.
//
// What must hold for concurrent plans, and why it does:
//
//   - No plan takes, moves or links what another one reads. Inputs are busy until their edit is
//     applied, and policies skip busy files (models/policies/busy_test.cc).
//   - Files of one run share no keys. A merge may write anywhere between the keys of its inputs,
//     gaps included; therefore no two concurrent plans have the same target level (may_start). If
//     the last files of a run went deeper meanwhile, the merge or move whose files join the run
//     makes it again (fit_edit). No other plan can have made a run there.
//   - Newer versions of a key lie above older ones. A plan takes all files of its target level that
//     overlap it, so its outputs pass nothing older on their way down. Data that meanwhile arrives
//     in a level from which the plan takes files is newer: it came from a memtable or from a level
//     above. Runs of one level are ordered by age, not by when they were made.
//   - A merge drops a tombstone only if it hides nothing. Data older than the merge's inputs was
//     already in the tree when the merge began, because later data comes from memtables. Other
//     plans carry older data deeper, within key ranges that TombstoneRule saw, or drop it. So its
//     answers stay right, whichever plan ends first.
//   - A flush is newer than everything else. A new run in level 0 conflicts with no plan. A target
//     below level 0 is reserved like any target level, checked again when the flush is written, and
//     replaced by level 0 if something is in the way (fit_edit).
//   - Every merge of a file reads the slices that are linked to it. A link waits until the files
//     below are idle (may_start). LDC, the only policy that links, begins nothing else meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "models/base/error.h"
#include "models/policies/policy.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// Which plans an executor asks for.
enum class PlanWish {
  kFlush,   // that take the pending flush
  kOther,   // all others
  kLevel0,  // of those, the ones of level 0, whatever deeper levels want (Policy::pick_level0())
  kWhole,   // of a manual compaction (Policy::pick_whole())
};

class PlanSchedule {
 public:
  /// Returns the policy's next plan of that kind, with its inputs reserved. Nothing if the policy
  /// wants none that can run concurrently with the running ones. A flush that may not go below
  /// level 0 goes to level 0.
  [[nodiscard]] std::optional<Plan> pick(const Policy& policy, TreeState& tree,
                                         PlanWish wish) const;
  /// A manual compaction begins: for kWhole, the files of the present tree are old.
  void begin_whole(const TreeState& tree) { first_new_ = tree.next_file_id(); }
  [[nodiscard]] FileId first_new() const { return first_new_; }
  /// The picked plan begins to run. It runs until end() is called with the same plan.
  void begin(const Plan& plan);
  void end(const Plan& plan);
  [[nodiscard]] std::uint64_t running() const { return running_; }

 private:
  [[nodiscard]] bool may_start(const TreeView& tree, const Plan& plan) const;

  std::set<std::uint32_t> targets_;  // levels
  std::uint64_t running_ = 0;
  FileId first_new_;  // of the last manual compaction
};

/// Gives a flush, merge or move that ran concurrently another target if its own is gone or taken.
/// Errors: an edit that does not fit the tree for another reason.
[[nodiscard]] Result<void> fit_edit(const TreeState& tree, const Plan& plan, TreeEdit& edit);

}  // namespace lsmlab

// Concurrent plans: which of the policy's plans may run while others run, and how the edit of a
// concurrent plan is fitted to the tree at its end. One rule for the engine's threads and the
// simulator's workers.
//
// What must hold for concurrent plans, and why it does:
//
//   - No plan takes, moves or links what another one reads. Inputs are busy until their edit is
//     applied, and policies skip busy files (models/policies/busy_test.cc).
//   - Files of one run share no keys. A merge may write anywhere between the keys of its inputs,
//     gaps included; therefore two concurrent plans have the same target level only if no key lies
//     between the inputs of both, and the policy shares levels (Policy::shares_target_levels()). If
//     the last files of a run went deeper meanwhile, the merge or move whose files join the run
//     makes it again (fit_edit). No other plan can have made a run there: of those that share a
//     run, at most one has no input in it, and the inputs of the others keep it (may_start). Merges
//     of different runs of a level into one of their own, as within level 0, meet nowhere.
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
#include <limits>
#include <optional>
#include <vector>

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
  kManual,  // of a manual compaction (Policy::pick_manual())
};

class PlanSchedule {
 public:
  /// Returns the policy's next plan of that kind, with its inputs reserved. Nothing if the policy
  /// wants none that can run concurrently with the running ones. A flush that may not go below
  /// level 0 goes to level 0.
  [[nodiscard]] std::optional<Plan> pick(const Policy& policy, TreeState& tree,
                                         PlanWish wish) const;
  /// A manual compaction begins: for kManual, the files of the present tree are old.
  void begin_manual(const TreeState& tree, ManualScope scope) {
    manual_ = {scope, tree.next_file_id()};
  }
  [[nodiscard]] const ManualCompaction& manual() const { return manual_; }
  /// The picked plan begins to run. It runs until end() is called with the same plan.
  /// REQUIRES: the plan's inputs are in the tree.
  void begin(const TreeView& tree, const Plan& plan);
  void end(const Plan& plan);
  [[nodiscard]] std::uint64_t running() const { return running_; }

 private:
  // What a plan that has a level to itself, or shares it, keeps others from.
  struct Claim {
    OutputTarget target;
    std::optional<FileId> first_file;  // of the inputs, which no other plan has
    // From the first to the last key of the inputs; all keys for plans that share with none.
    KeyRange keys = {0, std::numeric_limits<std::uint64_t>::max()};
    bool has_input_in_run = false;
    bool merges_runs_of_level = false;  // into a new run in their place
  };
  [[nodiscard]] static Claim claim_of(const TreeView& tree, const Plan& plan);
  [[nodiscard]] static bool may_share(const Claim& one, const Claim& other);
  [[nodiscard]] bool may_start(const TreeView& tree, const Plan& plan, bool shares_levels) const;

  std::vector<Claim> claims_;  // of the running plans, but for flushes that make runs of level 0
  std::uint64_t running_ = 0;
  ManualCompaction manual_;  // the last one
};

/// Gives a flush, merge or move that ran concurrently another target if its own is gone or taken.
/// Errors: an edit that does not fit the tree for another reason.
[[nodiscard]] Result<void> fit_edit(const TreeState& tree, const Plan& plan, TreeEdit& edit);

}  // namespace lsmlab

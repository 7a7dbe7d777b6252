#include "models/execution/plan_schedule.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// A flush that makes a new run in level 0 conflicts with no other plan for level 0.
bool is_run_of_its_own(const Plan& plan) {
  const auto* flush = std::get_if<FlushPlan>(&plan.action);
  return flush != nullptr && !flush->target.run && flush->target.level == 0;
}

std::optional<FileId> first_file_of(const Plan& plan) {
  for (const PlanInput& input : plan_inputs(plan)) {
    if (!input.files.empty()) return input.files.front();
  }
  return std::nullopt;
}

bool has_run(const TreeView& tree, const OutputTarget& target) {
  if (target.level >= tree.levels().size()) return false;
  const std::vector<SortedRun>& runs = tree.levels()[target.level].runs;
  return std::any_of(runs.begin(), runs.end(),
                     [&](const SortedRun& run) { return run.id == target.run; });
}

// Hides the pending flush, and restores it even if picking throws because memory runs out.
class HiddenFlush {
 public:
  explicit HiddenFlush(TreeState& tree)
      : tree_(tree), flush_(tree.exchange_pending_flush(std::nullopt)) {}
  ~HiddenFlush() { static_cast<void>(tree_.exchange_pending_flush(std::move(flush_))); }
  HiddenFlush(const HiddenFlush&) = delete;
  HiddenFlush& operator=(const HiddenFlush&) = delete;

 private:
  TreeState& tree_;
  std::optional<PendingFlush> flush_;
};

}  // namespace

PlanSchedule::Claim PlanSchedule::claim_of(const TreeView& tree, const Plan& plan) {
  Claim claim;
  claim.target = plan_target(plan);
  claim.first_file = first_file_of(plan);
  const PlanKind kind = kind_of_plan(plan);
  if (takes_memtable(plan) || (kind != PlanKind::kMerge && kind != PlanKind::kMove)) return claim;
  claim.merges_runs_of_level = kind == PlanKind::kMerge && !claim.target.run;
  claim.keys = {std::numeric_limits<std::uint64_t>::max(), 0};
  for (const PlanInput& input : plan_inputs(plan)) {
    claim.has_input_in_run |= claim.target.run && input.run == *claim.target.run;
    claim.merges_runs_of_level &= input.level == claim.target.level;
    for (const FileId id : input.files) {
      const std::optional<FileLocation> at = tree.find_file(id);
      CHECK(at.has_value());
      const KeyRange& keys = tree.file_at(*at).keys;
      claim.keys.smallest = std::min(claim.keys.smallest, keys.smallest);
      claim.keys.largest = std::max(claim.keys.largest, keys.largest);
    }
  }
  return claim;
}

bool PlanSchedule::may_share(const Claim& one, const Claim& other) {
  if (one.merges_runs_of_level && other.merges_runs_of_level) return true;
  return one.target.run && one.target.run == other.target.run && !one.keys.overlaps(other.keys) &&
         (one.has_input_in_run || other.has_input_in_run);
}

bool PlanSchedule::may_start(const TreeView& tree, const Plan& plan, bool shares_levels) const {
  if (!is_run_of_its_own(plan)) {
    const std::uint32_t level = plan_target(plan).level;
    std::optional<Claim> claim;
    for (const Claim& other : claims_) {
      if (other.target.level != level) continue;
      if (!shares_levels) return false;
      if (!claim) claim = claim_of(tree, plan);
      if (!may_share(*claim, other)) return false;
    }
  }
  const auto* link = std::get_if<LinkPlan>(&plan.action);
  if (link == nullptr) return true;
  // A running merge took the slices of its inputs when it began, so the link must wait.
  return std::none_of(link->lower_files.begin(), link->lower_files.end(), [&](FileId id) {
    const std::optional<FileLocation> at = tree.find_file(id);
    return !at || tree.file_at(*at).busy;
  });
}

std::optional<Plan> PlanSchedule::pick(const Policy& policy, TreeState& tree, PlanWish wish) const {
  const bool takes_pending = wish == PlanWish::kFlush;
  std::optional<HiddenFlush> hidden;
  if (!takes_pending) hidden.emplace(tree);
  std::optional<Plan> plan = wish == PlanWish::kLevel0   ? policy.pick_level0(tree)
                             : wish == PlanWish::kManual ? policy.pick_manual(tree, manual_)
                                                         : policy.pick(tree);
  hidden.reset();
  if (!plan || takes_memtable(*plan) != takes_pending) return std::nullopt;
  auto* flush = std::get_if<FlushPlan>(&plan->action);
  // The pieces of a manual compaction follow one another.
  const bool shares_levels = wish != PlanWish::kManual && policy.shares_target_levels();
  // A target below level 0 is an optimisation only: writers should not wait for it.
  if (flush != nullptr && !may_start(tree, *plan, shares_levels)) {
    flush->target = {0, std::nullopt};
  }
  if (!may_start(tree, *plan, shares_levels) || !tree.reserve(*plan)) return std::nullopt;
  return plan;
}

void PlanSchedule::begin(const TreeView& tree, const Plan& plan) {
  ++running_;
  if (!is_run_of_its_own(plan)) claims_.push_back(claim_of(tree, plan));
}

void PlanSchedule::end(const Plan& plan) {
  CHECK(running_ > 0);
  --running_;
  if (is_run_of_its_own(plan)) return;
  const std::uint32_t level = plan_target(plan).level;
  const std::optional<FileId> first_file = first_file_of(plan);
  const auto at = std::find_if(claims_.begin(), claims_.end(), [&](const Claim& claim) {
    return claim.target.level == level && claim.first_file == first_file;
  });
  CHECK(at != claims_.end());
  claims_.erase(at);
}

Result<void> fit_edit(const TreeState& tree, const Plan& plan, TreeEdit& edit) {
  // Copies may have gone with the file that had them.
  std::erase_if(edit.trimmed, [&](FileId id) { return !tree.frozen_files().contains(id); });
  const Result<void> fits = tree.check(edit);
  if (fits || (edit.added.empty() && edit.moved.empty())) return fits;
  // While the plan ran, its target run may have disappeared. If a flush goes below level 0, files
  // in its way may have arrived. Nothing can get into the way of a merge or a move.
  OutputTarget& target = edit.added.empty() ? edit.moved.front().target : edit.added.front().target;
  if (std::holds_alternative<FlushPlan>(plan.action)) {
    target = {0, std::nullopt};
  } else {
    CHECK(target.run && !has_run(tree, target));
    target.run.reset();
  }
  return tree.check(edit);
}

}  // namespace lsmlab

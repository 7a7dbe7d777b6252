#include "models/tree/plan.h"

#include "models/base/check.h"

namespace lsmlab {

std::string_view reason_name(PlanReason reason) {
  switch (reason) {
    case PlanReason::kMemtableFull:
      return "memtable-full";
    case PlanReason::kDepthBound:
      return "depth-bound";
    case PlanReason::kStaticSchedule:
      return "static-schedule";
    case PlanReason::kSizeRatio:
      return "size-ratio";
    case PlanReason::kSortedRunCount:
      return "sorted-run-count";
    case PlanReason::kLevelSaturated:
      return "level-saturated";
    case PlanReason::kTotalSize:
      return "total-size";
    case PlanReason::kStaleFile:
      return "stale-file";
    case PlanReason::kSpaceAmplification:
      return "space-amplification";
    case PlanReason::kTombstoneAge:
      return "tombstone-age";
    case PlanReason::kTombstoneDensity:
      return "tombstone-density";
    case PlanReason::kSeeks:
      return "seeks";
    case PlanReason::kSliceCount:
      return "slice-count";
    case PlanReason::kLevel0Only:
      return "level0-only";
  }
  CHECK(false);
  return "";
}

std::optional<PlanReason> reason_of_name(std::string_view name) {
  for (auto number = 0; number <= static_cast<int>(PlanReason::kLevel0Only); ++number) {
    const auto reason = static_cast<PlanReason>(number);
    if (reason_name(reason) == name) return reason;
  }
  return std::nullopt;
}

std::vector<PlanInput> plan_inputs(const Plan& plan) {
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) return merge->inputs;
  if (const auto* move = std::get_if<MovePlan>(&plan.action)) return move->inputs;
  if (const auto* link = std::get_if<LinkPlan>(&plan.action)) return {link->upper};
  return {};
}

OutputTarget plan_target(const Plan& plan) {
  if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) return flush->target;
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) return merge->target;
  if (const auto* move = std::get_if<MovePlan>(&plan.action)) return move->target;
  return {std::get<LinkPlan>(plan.action).upper.level + 1, std::nullopt};
}

bool takes_memtable(const Plan& plan) {
  if (std::holds_alternative<FlushPlan>(plan.action)) return true;
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  return merge != nullptr && merge->takes_memtable;
}

}  // namespace lsmlab

#include "models/tree/plan.h"

namespace lsmlab {

std::optional<PlanReason> reason_of_name(std::string_view name) {
  for (const PlanReasonRow& row : kPlanReasons) {
    if (row.name == name) return row.reason;
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

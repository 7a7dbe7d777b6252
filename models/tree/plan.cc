#include "models/tree/plan.h"

#include <type_traits>

namespace lsmlab {
namespace {

using Action = decltype(Plan::action);
template <class Alternative, PlanKind kKind>
constexpr bool kIsOfKind =
    std::is_same_v<Alternative,
                   std::variant_alternative_t<static_cast<std::size_t>(kKind), Action>>;
static_assert(std::variant_size_v<Action> == kPlanKinds.size());
static_assert(kIsOfKind<FlushPlan, PlanKind::kFlush>);
static_assert(kIsOfKind<MergePlan, PlanKind::kMerge>);
static_assert(kIsOfKind<MovePlan, PlanKind::kMove>);
static_assert(kIsOfKind<LinkPlan, PlanKind::kLink>);
static_assert(kIsOfKind<DropPlan, PlanKind::kDrop>);
static_assert(kIsOfKind<ReferPlan, PlanKind::kRefer>);
static_assert(kIsOfKind<TrimPlan, PlanKind::kTrim>);

}  // namespace

std::optional<PlanKind> plan_kind_of_name(std::string_view name) {
  for (const PlanKindRow& row : kPlanKinds) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::optional<PlanReason> reason_of_name(std::string_view name) {
  for (const PlanReasonRow& row : kPlanReasons) {
    if (row.name == name) return row.reason;
  }
  return std::nullopt;
}

PlanKind kind_of_plan(const Plan& plan) { return static_cast<PlanKind>(plan.action.index()); }

std::vector<PlanInput> plan_inputs(const Plan& plan) {
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) return merge->inputs;
  if (const auto* move = std::get_if<MovePlan>(&plan.action)) return move->inputs;
  if (const auto* link = std::get_if<LinkPlan>(&plan.action)) return {link->upper};
  if (const auto* drop = std::get_if<DropPlan>(&plan.action)) return drop->inputs;
  if (const auto* refer = std::get_if<ReferPlan>(&plan.action)) return refer->inputs;
  return {};
}

OutputTarget plan_target(const Plan& plan) {
  if (const auto* flush = std::get_if<FlushPlan>(&plan.action)) return flush->target;
  if (const auto* merge = std::get_if<MergePlan>(&plan.action)) return merge->target;
  if (const auto* move = std::get_if<MovePlan>(&plan.action)) return move->target;
  if (const auto* refer = std::get_if<ReferPlan>(&plan.action)) return refer->target;
  if (const auto* drop = std::get_if<DropPlan>(&plan.action)) {
    return {drop->inputs.front().level, std::nullopt};
  }
  if (std::holds_alternative<TrimPlan>(plan.action)) return {0, std::nullopt};
  return {std::get<LinkPlan>(plan.action).upper.level + 1, std::nullopt};
}

bool takes_memtable(const Plan& plan) {
  if (std::holds_alternative<FlushPlan>(plan.action)) return true;
  const auto* merge = std::get_if<MergePlan>(&plan.action);
  return merge != nullptr && merge->takes_memtable;
}

MergePlan as_merge(const FlushPlan& flush) {
  MergePlan merge;
  merge.takes_memtable = true;
  merge.target = flush.target;
  merge.cut = flush.cut;
  merge.drops_tombstones = false;
  return merge;
}

}  // namespace lsmlab

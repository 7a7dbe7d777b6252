#include "models/policies/stack_policy.h"

#include <algorithm>

#include "models/base/check.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct Stack {
  std::vector<StackTable> tables;      // oldest first, the pending flush last
  std::vector<const SortedRun*> runs;  // parallel to tables; null for the pending flush
  std::uint64_t total_bytes = 0;
};

Stack stack_of(const TreeView& tree) {
  Stack stack;
  const auto push = [&stack](std::uint64_t bytes, std::uint64_t last_flush, std::size_t level,
                             const SortedRun* run) {
    stack.tables.push_back({bytes, last_flush, static_cast<std::uint32_t>(level)});
    stack.runs.push_back(run);
    stack.total_bytes += bytes;
  };
  for (std::size_t l = tree.levels().size(); l-- > 0;) {
    const std::vector<SortedRun>& runs = tree.levels()[l].runs;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      push(run->bytes().value(), run->flushes.last, l, &*run);
    }
  }
  if (tree.pending_flush()) {
    push(tree.pending_flush()->bytes.value(), tree.flush_count() + 1, 0, nullptr);
  }
  return stack;
}

std::vector<PlanInput> inputs_of(const Stack& stack, const std::vector<std::size_t>& positions) {
  std::vector<PlanInput> inputs;
  for (auto position = positions.rbegin(); position != positions.rend(); ++position) {
    const SortedRun* run = stack.runs[*position];
    if (run == nullptr) continue;
    PlanInput input{stack.tables[*position].level, run->id, {}};
    for (const File& file : run->files) input.files.push_back(file.id);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace

void FlushModeOption::declare(OptionTable& table) {
  table.choice<FlushMode>(
      "flush", flush, {{"eager", FlushMode::kEager}, {"separate", FlushMode::kSeparate}},
      "eager: a merge that follows at once takes the memtable as an input, so its data is written "
      "once; separate: the flush is first written as an SSTable of its own");
}

void DepthBoundOptions::declare_depth(OptionTable& table, const std::string& trade_off) {
  table.count("k", k, {1, 1024}, "SSTables",
              "largest number of SSTables at any time; " + trade_off);
}

StackDecision StaticPolicy::decide(const StackView& stack) const {
  std::uint16_t depth = 0;
  CHECK(static_depths(stack.flushes, {&depth, 1}));
  return StackDecision::leave(depth, stack.tables.size());
}

RunSetPolicy::Choice StackPolicy::choose(const StackView& stack) const {
  const StackDecision decision = decide(stack);
  Choice choice{decision.action, {}, decision.level};
  for (std::uint32_t i = 0; i < decision.count; ++i) choice.positions.push_back(decision.first + i);
  return choice;
}

std::optional<Plan> RunSetPolicy::pick(const TreeView& tree) const {
  const bool pending = tree.pending_flush().has_value();
  // If flushes continued during a merge, there may be more runs than allowed.
  const std::optional<std::uint64_t> runs_max = depth_max();
  const bool is_too_deep = runs_max && tree.run_count() > *runs_max;
  const bool merged_already = tree.last_merge_flush() == tree.flush_count() && !is_too_deep;
  if (!pending && (tree.flush_count() == 0 || (merged_already && !cascades()))) return std::nullopt;
  const Plan flush{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
  if (pending && flush_mode_ == FlushMode::kSeparate) return flush;

  const Stack stack = stack_of(tree);
  if (stack.tables.empty()) return std::nullopt;
  const Choice choice =
      choose({stack.tables, stack.total_bytes, tree.flush_count() + (pending ? 1 : 0)});
  if (choice.action == StackAction::kNone) return pending ? std::optional(flush) : std::nullopt;
  const bool takes_newest = choice.positions.back() + 1 == stack.tables.size();
  if (pending && (!takes_newest || choice.action == StackAction::kMove)) return flush;

  for (const std::size_t position : choice.positions) {
    if (stack.runs[position] == nullptr || !stack.runs[position]->busy()) continue;
    // A memtable does not wait until a running merge ends, because its writers would wait, too.
    return pending ? std::optional(flush) : std::nullopt;
  }
  const OutputTarget target{choice.level, std::nullopt};
  std::vector<PlanInput> inputs = inputs_of(stack, choice.positions);
  if (choice.action == StackAction::kMove) {
    return Plan{reason_, MovePlan{std::move(inputs), target}, {}};
  }
  MergePlan merge{pending, std::move(inputs), target};
  const bool takes_all = choice.positions.size() == stack.tables.size();
  merge.drops_tombstones = takes_all || !keeps_tombstones_beside_newer();
  return Plan{reason_, std::move(merge), {}};
}

std::optional<Plan> RunSetPolicy::pick_manual(const TreeView& tree,
                                              const ManualCompaction& /*manual*/) const {
  if (tree.run_count() < 2) return std::nullopt;
  std::vector<PlanInput> inputs;
  std::uint32_t oldest_level = 0;
  for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
    for (const SortedRun& run : tree.levels()[level].runs) {
      if (run.busy()) return std::nullopt;
      inputs.push_back(input_of(level, run, run.files));
      oldest_level = level;
    }
  }
  return Plan{
      PlanReason::kManual, MergePlan{false, std::move(inputs), {oldest_level, std::nullopt}}, {}};
}

}  // namespace lsmlab

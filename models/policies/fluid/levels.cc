#include "models/policies/fluid/levels.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct Arrival {
  std::vector<PlanInput> inputs;  // newest to oldest
  Uint128 bytes = 0;
  bool is_busy = false;

  void take(std::uint32_t level, const SortedRun& run) {
    inputs.push_back(input_of(level, run, run.files));
    bytes += run.bytes().value();
    is_busy = is_busy || run.busy();
  }
};

class FluidLevels {
 public:
  FluidLevels(const TreeView& tree, const FluidShape& shape, std::uint32_t deepest_min)
      : tree_(tree), shape_(shape), deepest_(fluid_deepest(tree, deepest_min)) {}

  [[nodiscard]] Plan take_memtable() const {
    const Plan alone{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    Arrival arrival;
    arrival.bytes = tree_.pending_flush()->bytes.value();
    const std::uint32_t target = bring_down(0, arrival);
    if (arrival.inputs.empty() || arrival.is_busy) return alone;
    return merge(true, std::move(arrival), target);
  }

  // REQUIRES: no flush is pending.
  [[nodiscard]] std::optional<Plan> settle() const {
    for (std::uint32_t level = 0; level < tree_.levels().size(); ++level) {
      const FluidLevel rule = shape_(level, deepest_);
      Arrival arrival;
      std::uint32_t target = level;
      if (exceeds(level, rule, 0)) {
        take_all(level, arrival);
        target = bring_down(level + 1, arrival);
      } else if (runs_of(level).size() > rule.runs_max) {
        for (std::size_t i = 0; i + rule.runs_max <= runs_of(level).size(); ++i) {
          arrival.take(level, runs_of(level)[i]);
        }
      }
      if (arrival.inputs.empty() || arrival.is_busy) continue;
      return merge(false, std::move(arrival), target);
    }
    return std::nullopt;
  }

 private:
  // Adds what the arrival meets to it, and returns the level where it stays.
  [[nodiscard]] std::uint32_t bring_down(std::uint32_t level, Arrival& arrival) const {
    for (;; ++level) {
      const FluidLevel rule = shape_(level, std::max(level, deepest_));
      const std::vector<SortedRun>& runs = runs_of(level);
      const bool has_room = runs.size() < rule.runs_max || !is_sealed(level, rule);
      if (has_room && !exceeds(level, rule, arrival.bytes)) {
        if (!runs.empty() && !is_sealed(level, rule)) arrival.take(level, runs.front());
        return level;
      }
      if (runs.empty()) return level;  // an arrival of more than the level may hold
      take_all(level, arrival);
    }
  }

  [[nodiscard]] Plan merge(bool takes_memtable, Arrival arrival, std::uint32_t target) const {
    const bool goes_down = arrival.inputs.front().level < target;
    const PlanReason reason = goes_down ? PlanReason::kLevelSaturated : PlanReason::kSortedRunCount;
    if (!takes_memtable && arrival.inputs.size() == 1) {
      return {reason, MovePlan{std::move(arrival.inputs), {target, std::nullopt}}, {}};
    }
    MergePlan plan;
    plan.takes_memtable = takes_memtable;
    plan.inputs = std::move(arrival.inputs);
    plan.target = {target, std::nullopt};
    return {reason, std::move(plan), {}};
  }

  void take_all(std::uint32_t level, Arrival& arrival) const {
    for (const SortedRun& run : runs_of(level)) arrival.take(level, run);
  }

  // The newest run of the level.
  [[nodiscard]] bool is_sealed(std::uint32_t level, const FluidLevel& rule) const {
    const std::vector<SortedRun>& runs = runs_of(level);
    return !runs.empty() && rule.run_units_max &&
           rule.units(runs.front().bytes().value()) >= *rule.run_units_max;
  }

  [[nodiscard]] bool exceeds(std::uint32_t level, const FluidLevel& rule, Uint128 more) const {
    return rule.units_max && rule.units(bytes_of(level) + more) > *rule.units_max;
  }

  [[nodiscard]] const std::vector<SortedRun>& runs_of(std::uint32_t level) const {
    static const std::vector<SortedRun> kNone;
    return level < tree_.levels().size() ? tree_.levels()[level].runs : kNone;
  }

  [[nodiscard]] Uint128 bytes_of(std::uint32_t level) const {
    Uint128 bytes = 0;
    for (const SortedRun& run : runs_of(level)) bytes += run.bytes().value();
    return bytes;
  }

  const TreeView& tree_;
  const FluidShape& shape_;
  std::uint32_t deepest_;
};

}  // namespace

std::uint64_t fluid_product(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(std::min(Uint128{a} * b, Uint128{kFluidUnitMax}));
}

std::uint32_t fluid_deepest(const TreeView& tree, std::uint32_t deepest_min) {
  return std::max(deepest_level(tree).value_or(0), deepest_min);
}

std::optional<Plan> pick_fluid(const TreeView& tree, const FluidShape& shape,
                               std::uint32_t deepest_min) {
  const FluidLevels levels(tree, shape, deepest_min);
  if (tree.pending_flush()) return levels.take_memtable();
  return levels.settle();
}

}  // namespace lsmlab

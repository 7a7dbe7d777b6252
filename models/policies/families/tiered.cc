// Tiered (merge-policies paper, Section 2; Fig. 1f). As soon as a tier holds B SSTables, they merge
// into one SSTable of the next tier. If one flush causes a cascade of merges, each merge writes its
// output. In the tree a tier is a level. With tombstone_threshold, as in Cassandra, an SSTable with
// many tombstones merges by itself when no tier is full. With gc_grace, merges keep young
// tombstones.
#include "models/policies/droppable_tombstones.h"
#include "models/policies/stack_policy.h"
#include "models/theory/merge_policy_costs.h"

namespace lsmlab {
namespace {

struct TieredOptions : FlushModeOption {
  std::uint64_t size_ratio = 10;
  DroppableTombstones droppable;
  void declare(OptionTable& table) {
    table.count("size_ratio", size_ratio, {2, 1024}, "SSTables a tier",
                "B: this many SSTables of a tier merge into one of the next; more: fewer "
                "rewrites, but more sorted runs for a read to visit");
    FlushModeOption::declare(table);
    droppable.declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return droppable.validate(); }
};

class Tiered final : public StackPolicy {
 public:
  explicit Tiered(const TieredOptions& options)
      : StackPolicy(options.flush, PlanReason::kSortedRunCount), size_ratio_(options.size_ratio) {}

  [[nodiscard]] StackDecision decide(const StackView& stack) const override {
    // Tier numbers do not fall towards the oldest SSTable. If flushes continue during a merge, any
    // tier may be full or more than full. The policy takes the deepest full tier, and in it the
    // oldest SSTables.
    const std::size_t depth = stack.tables.size();
    if (depth < size_ratio_) return StackDecision::none();
    const StackTable* const oldest = stack.tables.data();
    const StackTable* const newest = oldest + (size_ratio_ - 1);
    const std::size_t last = depth - size_ratio_;
    std::size_t first = stack.is_settled_below ? last : 0;
    while (first < last && oldest[first].level != newest[first].level) ++first;
    if (oldest[first].level != newest[first].level) return StackDecision::none();
    return StackDecision::merge(first, size_ratio_, oldest[first].level + 1);
  }
  [[nodiscard]] bool cascades() const override { return true; }

 private:
  std::uint64_t size_ratio_;
};

// The rule looks at ages, keys and tombstones, so it is none over a stack of sizes.
class TieredWithDroppable final : public Policy {
 public:
  explicit TieredWithDroppable(const TieredOptions& options)
      : tiered_(options), droppable_(options.droppable) {}

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    std::optional<Plan> plan = tiered_.pick(tree);
    if (plan || tree.pending_flush() || !droppable_.threshold) return plan;
    return droppable_.pick(tree);
  }
  [[nodiscard]] bool bounds_runs() const override { return tiered_.bounds_runs(); }
  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const override {
    return droppable_.options_that_need_keys();
  }
  [[nodiscard]] std::uint64_t gc_grace() const override { return droppable_.grace.writes; }

 private:
  Tiered tiered_;
  DroppableTombstones droppable_;
};

std::shared_ptr<const Policy> make_tiered(const TieredOptions& options) {
  if (!options.droppable.options_that_need_keys().empty())
    return std::make_shared<const TieredWithDroppable>(options);
  return std::make_shared<const Tiered>(options);
}

std::vector<RuleFidelity> tiered_fidelity() {
  const char* const kPaper = "Mao et al., VLDB Journal 2021 (merge-policies paper), Section 2";
  return {
      {"B SSTables of a tier merge into one of the next, in cascades", Fidelity::kExact, kPaper},
      {"Cassandra's tiers of similar sizes, and which of them merges", Fidelity::kNotModelled,
       "Cassandra 5.0.4, db/compaction/SizeTieredCompactionStrategy.java",
       "a tier is the number of merges behind an SSTable; cassandra-stcs has Cassandra's rules"},
      {"with tombstone_threshold, an SSTable with many droppable tombstones is merged by itself",
       Fidelity::kSimplified, "Cassandra 5.0.4, db/compaction/AbstractCompactionStrategy.java",
       "ages count operations; gc_grace_seconds is 0"},
  };
}

}  // namespace

PolicyFamily tiered_family() {
  PolicyFamily family = make_family<TieredOptions>(
      "tiered", "tiering: B SSTables of one tier merge into one SSTable of the next tier",
      "Mao et al., VLDB Journal 2021 (merge-policies paper), Section 2 (Cassandra's default, "
      "idealised); tombstone_threshold, gc_grace: Cassandra 5.0, AbstractCompactionStrategy.java",
      make_tiered);
  family.cost_model = tiered_model;
  family.fidelity = tiered_fidelity();
  family.is_idealised = true;
  return family;
}

}  // namespace lsmlab

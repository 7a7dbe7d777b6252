// Bigtable's default policy as the merge-policies paper describes it (Section 2, after Mathieu et
// al.). Below k SSTables, a flush becomes a new SSTable. At k SSTables, the memtable is merged with
// the i newest ones, where i is the smallest number after which every SSTable is larger than all
// newer ones together.
#include "models/policies/stack_policy.h"
#include "models/theory/merge_policy_costs.h"

namespace lsmlab {
namespace {

struct BigtableOptions : DepthBoundOptions {
  void declare(OptionTable& table) {
    declare_depth(table, "more: fewer rewrites, but more sorted runs for a read to visit");
    FlushModeOption::declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

class Bigtable final : public StackPolicy {
 public:
  explicit Bigtable(const BigtableOptions& options)
      : StackPolicy(options.flush, PlanReason::kDepthBound), k_(options.k) {}

  [[nodiscard]] StackDecision decide(const StackView& stack) const override {
    const std::size_t depth = stack.tables.size();
    if (depth <= k_) return StackDecision::none();
    // Whether a kept SSTable is larger than all newer ones together does not depend on which of
    // these are merged. So the search goes from the oldest: the first SSTable that fails the test
    // is the oldest input of the merge.
    std::uint64_t newer_bytes = stack.total_bytes;
    std::size_t keep = 0;
    for (; keep + 1 < k_; ++keep) {
      newer_bytes -= stack.tables[keep].bytes;
      if (stack.tables[keep].bytes <= newer_bytes) break;
    }
    return StackDecision::keep_oldest(keep, depth);
  }
  [[nodiscard]] std::optional<std::uint64_t> depth_max() const override { return k_; }

 private:
  std::uint64_t k_;
};

std::vector<RuleFidelity> bigtable_fidelity() {
  const char* const kPaper = "Mao et al., VLDB Journal 2021 (merge-policies paper), Section 2";
  return {
      {"at k SSTables, those are kept that are larger than all newer ones together",
       Fidelity::kExact, kPaper},
      {"a merge takes the memtable", Fidelity::kExact, kPaper},
      {"Bigtable's own code", Fidelity::kNotModelled, kPaper,
       "it is not public; this is the rule that the paper gives"},
  };
}

}  // namespace

PolicyFamily bigtable_family() {
  PolicyFamily family = make_family<BigtableOptions, Bigtable>(
      "bigtable",
      "Bigtable's default: keeps each SSTable larger than all newer ones together; at most k exist",
      "Mao et al., VLDB Journal 2021 (merge-policies paper), Section 2");
  family.cost_model = bounded_depth_model;
  family.fidelity = bigtable_fidelity();
  family.is_idealised = true;
  return family;
}

}  // namespace lsmlab

// AsterixDB's Constant policy before version 0.9.4 (merge-policies paper, Section 2). Below k
// SSTables, a flush becomes a new SSTable. At k SSTables, the memtable and all SSTables are merged
// into one.
#include "models/policies/stack_policy.h"
#include "models/theory/merge_policy_costs.h"

namespace lsmlab {
namespace {

struct ConstantOptions : DepthBoundOptions {
  void declare(OptionTable& table) {
    declare_depth(table,
                  "more: fewer rewrites; write amplification over n flushes is about n / 2k");
    FlushModeOption::declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

class Constant final : public StackPolicy {
 public:
  explicit Constant(const ConstantOptions& options)
      : StackPolicy(options.flush, PlanReason::kDepthBound), k_(options.k) {}

  [[nodiscard]] StackDecision decide(const StackView& stack) const override {
    const std::size_t depth = stack.tables.size();
    return depth <= k_ ? StackDecision::none() : StackDecision::keep_oldest(0, depth);
  }
  [[nodiscard]] std::optional<std::uint64_t> depth_max() const override { return k_; }

 private:
  std::uint64_t k_;
};

std::vector<RuleFidelity> constant_fidelity() {
  const char* const kPaper = "Mao et al., VLDB Journal 2021 (merge-policies paper), Section 2";
  return {
      {"at k SSTables, all are merged with the memtable", Fidelity::kExact, kPaper},
      {"AsterixDB's policy of this name since 0.9.4", Fidelity::kNotModelled,
       "ConstantMergePolicy.java, AsterixDB 02c3eb9f86", "it is binomial"},
  };
}

}  // namespace

PolicyFamily constant_family() {
  PolicyFamily family = make_family<ConstantOptions, Constant>(
      "constant", "merges all SSTables into one whenever there would be more than k",
      "Mao et al., VLDB Journal 2021 (merge-policies paper), Section 2 (AsterixDB before 0.9.4)");
  family.cost_model = constant_model;
  family.fidelity = constant_fidelity();
  family.is_idealised = true;
  return family;
}

}  // namespace lsmlab

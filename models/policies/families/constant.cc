// AsterixDB's Constant before 0.9.4 (merge-policies paper, Section 2): below k SSTables a flush
// becomes one more; at k, the memtable and all of them are merged into one.
#include "models/policies/stack_policy.h"
#include "models/theory/merge_policy_costs.h"

namespace lsmlab {
namespace {

struct ConstantOptions : DepthBoundOptions {
  void declare(OptionTable& table) {
    declare_depth(table, "write amplification grows as flushes / 2k");
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

}  // namespace

PolicyFamily constant_family() {
  PolicyFamily family = make_family<ConstantOptions, Constant>(
      "constant", "merge everything whenever there are more than k SSTables",
      "merge-policies paper, Section 2 (AsterixDB before 0.9.4)");
  family.cost_model = constant_model;
  return family;
}

}  // namespace lsmlab

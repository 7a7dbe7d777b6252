// MinLatency (merge-policies paper, Sections 2 and 3; Mathieu et al.): a static schedule with the
// smallest worst-case write amplification of all stack-based policies of depth k. After flush t it
// leaves B(m', k, t) SSTables, where m' = min{m : C(m+k, m) > t}.
#include "models/base/binomial_numbers.h"
#include "models/policies/stack_policy.h"
#include "models/theory/merge_policy_costs.h"

namespace lsmlab {
namespace {

struct MinLatencyOptions : DepthBoundOptions {
  void declare(OptionTable& table) {
    declare_depth(table,
                  "more: fewer rewrites; worst-case write amplification over n flushes is about k "
                  "n^(1/k) / e");
    FlushModeOption::declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

class MinLatency final : public StaticPolicy {
 public:
  explicit MinLatency(const MinLatencyOptions& options)
      : StaticPolicy(options.flush), k_(options.k) {}

  [[nodiscard]] bool static_depths(std::uint64_t first_flush,
                                   std::span<std::uint16_t> depths) const override {
    // The code does not compute m': B(m, k, t) is equal for all m >= m'.
    StackDepths walk(k_, first_flush);
    for (std::uint16_t& depth : depths) {
      depth = static_cast<std::uint16_t>(walk.depth());
      walk.advance();
    }
    return true;
  }
  [[nodiscard]] std::optional<std::uint64_t> depth_max() const override { return k_; }

 private:
  std::uint64_t k_;
};

std::vector<RuleFidelity> min_latency_fidelity() {
  const char* const kPaper =
      "Mao et al., VLDB Journal 2021 (merge-policies paper), Sections 2 and 3";
  return {
      {"how many SSTables there are after each flush", Fidelity::kExact, kPaper},
      {"a merge takes the memtable", Fidelity::kExact, kPaper},
  };
}

}  // namespace

PolicyFamily min_latency_family() {
  PolicyFamily family = make_family<MinLatencyOptions, MinLatency>(
      "min-latency",
      "static schedule by flush number: smallest worst-case write amplification with k SSTables",
      "Mao et al., VLDB Journal 2021 (merge-policies paper), Sections 2 and 3");
  family.cost_model = min_latency_model;
  family.fidelity = min_latency_fidelity();
  family.is_idealised = true;
  return family;
}

}  // namespace lsmlab

// MinLatency (merge-policies paper, Sections 2 and 3; Mathieu et al.): a static schedule of least
// worst-case write amplification among stack-based policies of depth k. After flush t, B(m', k, t)
// SSTables are left, where m' = min{m : C(m+k, m) > t}.
#include "models/base/binomial_numbers.h"
#include "models/policies/stack_policy.h"
#include "models/theory/merge_policy_costs.h"

namespace lsmlab {
namespace {

struct MinLatencyOptions : DepthBoundOptions {
  void declare(OptionTable& table) {
    declare_depth(table, "worst-case write amplification is about k n^(1/k) / e");
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
    // m' is not needed: B(m, k, t) is the same for every m that it may be.
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

}  // namespace

PolicyFamily min_latency_family() {
  PolicyFamily family = make_family<MinLatencyOptions, MinLatency>(
      "min-latency", "static schedule of least worst-case write amplification",
      "merge-policies paper, Sections 2 and 3");
  family.cost_model = min_latency_model;
  return family;
}

}  // namespace lsmlab

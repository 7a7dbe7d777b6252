// Binomial (merge-policies paper, Sections 2 and 3; Mathieu et al.): a static schedule. Up to about
// 4^k flushes it also keeps the mean number of SSTables near log2(t) / 2. After that it behaves
// like MinLatency. After flush t there are
//   i = 1 + B(m', min(m', k) - 1, t - T_k(m'-1) - 1) SSTables, m' = min{m : T_k(m) >= t},
//   T_k(m) = sum over i = 1..m of C(i + min(i, k) - 1, i).
#include <algorithm>

#include "models/base/binomial_numbers.h"
#include "models/policies/stack_policy.h"
#include "models/theory/merge_policy_costs.h"

namespace lsmlab {
namespace {

struct BinomialOptions : DepthBoundOptions {
  void declare(OptionTable& table) {
    declare_depth(table,
                  "more: fewer rewrites; n flushes reach k SSTables only if n exceeds about 4^k");
    FlushModeOption::declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

class Binomial final : public StaticPolicy {
 public:
  explicit Binomial(const BinomialOptions& options) : StaticPolicy(options.flush), k_(options.k) {
    // T_k(m) for m <= k; above k, T_k(m) = T_k(k) - C(2k, k) + C(m+k, k).
    constexpr Uint128 kLimit = Uint128{1} << 63;
    Uint128 total = 0;
    phase_ends_.push_back(0);
    for (std::uint64_t m = 1; m <= k_ && total < kLimit; ++m) {
      total += binomial_coefficient(2 * m - 1, m);
      phase_ends_.push_back(static_cast<std::uint64_t>(std::min(total, kLimit)));
    }
    if (phase_ends_.back() < kLimit) {
      late_offset_ =
          static_cast<std::uint64_t>(binomial_coefficient(2 * k_, k_)) - phase_ends_.back();
    }
  }

  [[nodiscard]] bool static_depths(std::uint64_t first_flush,
                                   std::span<std::uint16_t> depths) const override {
    while (!depths.empty()) {
      const std::size_t done = first_flush > phase_ends_.back() ? late_depths(first_flush, depths)
                                                                : phase_depths(first_flush, depths);
      first_flush += done;
      depths = depths.subspan(done);
    }
    return true;
  }
  [[nodiscard]] std::optional<std::uint64_t> depth_max() const override { return k_; }

 private:
  // After phase k: phase m' ends at C(m'+k, k) - late_offset_. So the flushes before phase m' are
  // counted by the largest binomial coefficient C(a, k) below t + late_offset_. It is the first
  // term of the representation of t + late_offset_ - 1, whose other terms are those of the
  // definition.
  [[nodiscard]] std::size_t late_depths(std::uint64_t t, std::span<std::uint16_t> depths) const {
    StackDepths walk(k_, t + late_offset_ - 1);
    for (std::uint16_t& depth : depths) {
      depth = static_cast<std::uint16_t>(walk.depth());
      walk.advance();
    }
    return depths.size();
  }

  // Computes depths up to the end of the phase that contains t.
  [[nodiscard]] std::size_t phase_depths(std::uint64_t t, std::span<std::uint16_t> depths) const {
    const auto phase = std::lower_bound(phase_ends_.begin(), phase_ends_.end(), t);
    const auto m = static_cast<std::uint64_t>(phase - phase_ends_.begin());
    const std::size_t count = std::min<std::uint64_t>(depths.size(), *phase - t + 1);
    StackDepths walk(m - 1, t - *(phase - 1) - 1);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) walk.advance();
      depths[i] = static_cast<std::uint16_t>(1 + walk.depth());
    }
    return count;
  }

  std::uint64_t k_;
  std::vector<std::uint64_t> phase_ends_;  // T_k(0), T_k(1), ... while m <= k
  std::uint64_t late_offset_ = 0;          // C(2k, k) - T_k(k)
};

std::vector<RuleFidelity> binomial_fidelity() {
  const char* const kPaper =
      "Mao et al., VLDB Journal 2021 (merge-policies paper), Sections 2 and 3";
  return {
      {"how many SSTables there are after each flush", Fidelity::kExact, kPaper},
      {"a merge takes the memtable", Fidelity::kExact, kPaper},
      {"AsterixDB writes a flush before it merges it", Fidelity::kSimplified,
       "ConstantMergePolicy.java, AsterixDB 02c3eb9f86", "with flush=separate"},
  };
}

}  // namespace

PolicyFamily binomial_family() {
  PolicyFamily family = make_family<BinomialOptions, Binomial>(
      "binomial",
      "static schedule by flush number: near-optimal writes with about log2(n)/2 SSTables while n "
      "<= 4^k",
      "Mao et al., VLDB Journal 2021 (merge-policies paper), Sections 2 and 3");
  family.cost_model = binomial_model;
  family.fidelity = binomial_fidelity();
  family.is_idealised = true;
  return family;
}

}  // namespace lsmlab

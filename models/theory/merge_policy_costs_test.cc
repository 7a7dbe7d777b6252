#include "models/theory/merge_policy_costs.h"

#include <algorithm>
#include <set>
#include <string>

#include "models/base/binomial_numbers.h"
#include "models/theory/floor.h"
#include "testing/catch.h"
#include "testing/oracles/stack_oracle.h"

namespace lsmlab::merge_policy_costs_test {
namespace {

using oracle::OracleParameters;
using oracle::StackOracle;

StackOracle oracle_of(const std::string& policy, std::uint64_t k_or_ratio) {
  OracleParameters parameters;
  parameters.k = k_or_ratio;
  parameters.size_ratio = k_or_ratio;
  return {policy, parameters};
}

// The largest number of writes of any of the first 1, 2, ..., `flushes` flushes. Only one flush at
// a time has a size, so that the bytes written count its writes; a static policy ignores sizes.
std::vector<std::uint64_t> most_writes(const std::string& policy, std::uint64_t k,
                                       std::uint64_t flushes) {
  std::vector<std::uint64_t> most(flushes + 1, 0);
  for (std::uint64_t counted = 1; counted <= flushes; ++counted) {
    StackOracle stack = oracle_of(policy, k);
    for (std::uint64_t t = 1; t <= flushes; ++t) {
      stack.flush(t == counted ? 1 : 0);
      most[t] = std::max(most[t], static_cast<std::uint64_t>(stack.bytes_written()));
    }
  }
  return most;
}

// Compares with the literal policy after each of `flushes` flushes of one byte. The oracle is
// eager; a separate flush is written once more by the merge that follows it.
template <class Cost>
void require_as_simulated(const std::string& policy, std::uint64_t k_or_ratio,
                          std::uint64_t flushes, const Cost& cost) {
  StackOracle stack = oracle_of(policy, k_or_ratio);
  Uint128 runs = 0;
  Uint128 merging_flushes = 0;
  for (std::uint64_t t = 1; t <= flushes; ++t) {
    const std::uint64_t merges = stack.merges();
    stack.flush(1);
    runs += stack.tables().size();
    if (stack.merges() > merges) ++merging_flushes;
    INFO(policy << " " << k_or_ratio << " flush " << t);
    const UniformCost eager = cost(t, k_or_ratio, FlushMode::kEager);
    REQUIRE(eager.flushes == t);
    REQUIRE(eager.sizes_written == stack.bytes_written());
    REQUIRE(eager.sorted_runs_sum == runs);
    const UniformCost separate = cost(t, k_or_ratio, FlushMode::kSeparate);
    REQUIRE(separate.sizes_written == stack.bytes_written() + merging_flushes);
    REQUIRE(separate.sorted_runs_sum == runs);
  }
}

double value_of(const std::vector<CostFigure>& figures, const std::string& name) {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const CostFigure& figure) { return figure.name() == name; });
  INFO(name);
  REQUIRE(found != figures.end());
  return found->value;
}

bool has(const std::vector<CostFigure>& figures, const std::string& name) {
  return std::any_of(figures.begin(), figures.end(),
                     [&](const CostFigure& figure) { return figure.name() == name; });
}

TEST_CASE("the worst cases are the most that any flush is written, after every flush") {
  for (std::uint64_t k = 1; k <= 5; ++k) {
    const std::uint64_t flushes = k == 1 ? 40 : 130;
    const std::vector<std::uint64_t> min_latency = most_writes("min-latency", k, flushes);
    const std::vector<std::uint64_t> binomial = most_writes("binomial", k, flushes);
    for (std::uint64_t n = 1; n <= flushes; ++n) {
      INFO("k " << k << " n " << n);
      REQUIRE(min_latency_writes_max(n, k) == min_latency[n]);
      REQUIRE(binomial_writes_max(n, k) == binomial[n]);
    }
  }
}

TEST_CASE("MinLatency's worst case is m up to C(m+k, k) - 1 flushes, which then cost m k / (k+1)") {
  for (std::uint64_t k = 1; k <= 10; ++k) {
    for (std::uint64_t m = 1; m <= 30; ++m) {
      const auto n = static_cast<std::uint64_t>(binomial_coefficient(m + k, k)) - 1;
      INFO("k " << k << " m " << m);
      REQUIRE(min_latency_writes_max(n, k) == m);
      REQUIRE(min_latency_writes_max(n + 1, k) == m + 1);
      REQUIRE(uniform_floor(n, k) * (k + 1) == Uint128{m} * k * (Uint128{n} + 1));
    }
  }
}

TEST_CASE("Binomial's worst case is the definition's sum, for many flushes too") {
  for (const std::uint64_t k : {1u, 2u, 3u, 6u, 10u, 40u}) {
    Uint128 total = 0;  // T_k(m)
    for (std::uint64_t m = 1; m <= 60; ++m) {
      total += binomial_coefficient(m + std::min(m, k) - 1, m);
      if (total >= kModelFlushesMax) break;
      const auto n = static_cast<std::uint64_t>(total);
      INFO("k " << k << " m " << m);
      REQUIRE(binomial_writes_max(n, k) == m);
      REQUIRE(binomial_writes_max(n + 1, k) == m + 1);
    }
  }
  REQUIRE(binomial_writes_max(kModelFlushesMax, 1) == kModelFlushesMax);
  REQUIRE(binomial_writes_max(kModelFlushesMax, 1024) == 33);
}

TEST_CASE("Binomial writes and keeps about log2(n) / 2 in the small-n regime") {
  REQUIRE(small_regime_flushes(6) == 4096);
  REQUIRE(small_regime_flushes(63) == Uint128{1} << 126);
  REQUIRE(small_regime_flushes(64) == Uint128{1} << 127);
  REQUIRE(binomial_small_regime(4096) == 6);
  StackOracle stack = oracle_of("binomial", 8);
  double runs = 0;
  for (std::uint64_t n = 1; n <= 4096; ++n) {
    stack.flush(1);
    runs += static_cast<double>(stack.tables().size());
    const double about = binomial_small_regime(n);
    const auto flushes = static_cast<double>(n);
    INFO("n " << n);
    REQUIRE(static_cast<double>(stack.bytes_written()) / flushes ==
            Approx(about + 0.75).margin(0.75));
    REQUIRE(runs / flushes == Approx(about + 0.5).margin(0.5));
  }
}

TEST_CASE("Constant's closed form is its simulation") {
  for (const std::uint64_t k : {1u, 2u, 4u, 7u}) {
    require_as_simulated("constant", k, 300, constant_cost);
  }
  const UniformCost cost = constant_cost(1000, 4, FlushMode::kEager);
  REQUIRE(cost.write_flushed() == 125.5);
  REQUIRE(cost.read_mean() == 2.5);
  // O(t/k): n / 2k.
  REQUIRE(constant_cost(1'000'000, 10, FlushMode::kEager).write_flushed() ==
          Approx(1e6 / 20).epsilon(1e-4));
}

TEST_CASE("Tiered's closed form is its simulation") {
  for (const std::uint64_t ratio : {2u, 3u, 4u, 10u}) {
    require_as_simulated("tiered", ratio, 300, tiered_cost);
  }
}

TEST_CASE("Tiered with B = 2 keeps the paper's mean numbers of runs") {
  // Section 5, Fig. 12: 8.15 for 100,000 flushes and 9.88 for 1,000,000.
  REQUIRE(tiered_cost(100'000, 2, FlushMode::kEager).read_mean() == Approx(8.15).margin(0.005));
  REQUIRE(tiered_cost(1'000'000, 2, FlushMode::kEager).read_mean() == Approx(9.88).margin(0.0051));
}

TEST_CASE("Tiered writes less and keeps more with B, Leveled the other way round") {
  // Sections 4.3.1 and 4.3.2, n = 24,000.
  std::uint64_t last = 0;
  for (const std::uint64_t ratio : {4u, 8u, 16u, 32u}) {
    const UniformCost tiered = tiered_cost(24'000, ratio, FlushMode::kEager);
    const UniformCost leveled = leveled_cost(24'000, ratio);
    INFO("B " << ratio);
    REQUIRE(tiered.write_flushed() < leveled.write_flushed());
    REQUIRE(tiered.read_mean() > leveled.read_mean());
    if (last != 0) {
      const UniformCost tiered_before = tiered_cost(24'000, last, FlushMode::kEager);
      const UniformCost leveled_before = leveled_cost(24'000, last);
      REQUIRE(tiered.sizes_written < tiered_before.sizes_written);
      REQUIRE(tiered.sorted_runs_sum > tiered_before.sorted_runs_sum);
      REQUIRE(leveled.sizes_written > leveled_before.sizes_written);
      REQUIRE(leveled.sorted_runs_sum < leveled_before.sorted_runs_sum);
    }
    last = ratio;
  }
}

TEST_CASE("Leveled's closed form is the rule, level by level") {
  for (const std::uint64_t ratio : {2u, 3u, 9u}) {
    std::vector<std::uint64_t> sstables(1, 0);
    Uint128 written = 0;
    Uint128 runs = 0;
    for (std::uint64_t n = 1; n <= 500; ++n) {
      ++written;
      std::uint64_t capacity = ratio;
      for (std::size_t level = 0;; ++level, capacity *= ratio) {
        if (level == sstables.size()) sstables.push_back(0);
        written += 1 + ratio;
        if (++sstables[level] <= capacity) break;
        --sstables[level];
      }
      runs += 1 + sstables.size();
      // Fig. 1g: 2, 4 and 5 SSTables before the 12th flush.
      if (ratio == 2 && n == 11) REQUIRE(sstables == std::vector<std::uint64_t>{2, 4, 5});
      const UniformCost cost = leveled_cost(n, ratio);
      INFO("B " << ratio << " n " << n);
      REQUIRE(cost.sizes_written == written);
      REQUIRE(cost.sorted_runs_sum == runs);
    }
  }
}

TEST_CASE("Leveled keeps the paper's mean numbers of runs, and writes 3 to 4 times the floor") {
  // Section 5, Fig. 12. The third value, 10.53 for a million flushes, results with B = 4; the text
  // says 9.
  REQUIRE(leveled_cost(100'000, 9).read_mean() == Approx(6.25).margin(0.005));
  REQUIRE(leveled_cost(100'000, 6).read_mean() == Approx(7.33).margin(0.005));
  REQUIRE(leveled_cost(1'000'000, 4).read_mean() == Approx(10.53).margin(0.005));
  REQUIRE(leveled_cost(1'000'000, 9).read_mean() < 7.5);
  const auto over_floor = [](std::uint64_t ratio, std::uint64_t k) {
    return leveled_cost(100'000, ratio).write_flushed() /
           value_of(bounded_depth_figures(100'000, k), "write_flushed_floor");
  };
  for (const double times : {over_floor(9, 6), over_floor(6, 7)}) {
    REQUIRE(times > 3);
    REQUIRE(times < 4);
  }
}

TEST_CASE("the largest inputs do not overflow") {
  const std::uint64_t n = kModelFlushesMax;
  REQUIRE(constant_cost(n, 1, FlushMode::kEager).sizes_written ==
          Uint128{n} * (Uint128{n} + 1) / 2);
  // n = 2^62: every tier writes once more. Each digit is 1 for half of the numbers, and the last
  // digit for n only.
  const UniformCost tiered = tiered_cost(n, 2, FlushMode::kEager);
  REQUIRE(tiered.sizes_written == Uint128{n} * 63 - n / 2);
  REQUIRE(tiered.sorted_runs_sum == Uint128{n} / 2 * 62 + 1);
  REQUIRE(tiered_cost(n, ~std::uint64_t{0}, FlushMode::kEager).sorted_runs_sum ==
          Uint128{n} * (Uint128{n} + 1) / 2);
  REQUIRE(leveled_cost(n, ~std::uint64_t{0}).sorted_runs_sum == Uint128{n} * 2);
}

TEST_CASE("merges take as long as their bytes, and a little each") {
  const MergeTimeModel disk{1 / 100e6, 0.005};
  REQUIRE(merge_seconds(disk, 2'000'000'000, 40) == Approx(20.2).epsilon(1e-14));
  REQUIRE(merge_seconds({1 / 100e6, 0}, Uint128{1} << 70, 40) ==
          Approx(0x1p70 / 100e6).epsilon(1e-14));
}

TEST_CASE("figures of bounded depth stand in order") {
  for (const std::uint64_t n : {1u, 16u, 1000u, 100'000u}) {
    const std::vector<CostFigure> min_latency = min_latency_figures(n, 6);
    const double floor = value_of(min_latency, "write_flushed_floor");
    INFO("n " << n);
    REQUIRE(floor <= value_of(min_latency, "write_flushed_max"));
    REQUIRE(floor <= value_of(binomial_figures(n, 6), "write_flushed_max"));
    REQUIRE(floor <= value_of(constant_figures(n, 6, FlushMode::kEager), "write_flushed"));
  }
  REQUIRE(value_of(bounded_depth_figures(100'000, 6), "write_flushed_floor") ==
          Approx(14.549).margin(0.0005));
  const std::vector<CostFigure> constant = constant_figures(16, 4, FlushMode::kEager);
  REQUIRE(value_of(constant, "write_flushed") == 2.5);
  REQUIRE(value_of(constant, "read_mean") == 2.5);
  REQUIRE(value_of(constant, "read_max") == 4);
  REQUIRE(value_of(constant, "small_regime_flushes") == 256);
  REQUIRE(value_of(constant, "worst_case_bound") == worst_case_bound(16, 4));
  REQUIRE(value_of(constant, "space_transient_max") == 2);
  REQUIRE(value_of(min_latency_figures(3002, 5), "write_flushed_max") == 10);
}

TEST_CASE("Binomial's estimate is given in the small-n regime only") {
  REQUIRE(value_of(binomial_figures(256, 4), "write_flushed_about") == 4);
  REQUIRE(value_of(binomial_figures(256, 4), "read_mean_about") == 4);
  REQUIRE(!has(binomial_figures(257, 4), "write_flushed_about"));
  REQUIRE(!has(binomial_figures(257, 4), "read_mean_about"));
}

TEST_CASE("orders of growth: what Tiered writes Leveled reads, and the reverse") {
  const std::vector<CostFigure> tiered = tiered_figures(4096, 8, FlushMode::kEager);
  REQUIRE(value_of(tiered, "write_flushed_order") == 4);
  REQUIRE(value_of(tiered, "read_mean_order") == 32);
  REQUIRE(value_of(tiered, "write_flushed") == 5 - 1.0 / 8);
  REQUIRE(value_of(tiered_figures(4096, 8, FlushMode::kSeparate), "write_flushed") == 5);
  const std::vector<CostFigure> leveled = leveled_figures(4096, 8);
  REQUIRE(value_of(leveled, "write_flushed_order") == 32);
  REQUIRE(value_of(leveled, "read_mean_order") == 4);
  REQUIRE(value_of(leveled, "read_mean") == leveled_cost(4096, 8).read_mean());
  REQUIRE(value_of(leveled, "write_flushed") == leveled_cost(4096, 8).write_flushed());
}

TEST_CASE("every figure of a merge policy has a name of its own, a unit and a source") {
  const FlushMode eager = FlushMode::kEager;
  for (const std::vector<CostFigure>& figures :
       {bounded_depth_figures(100, 4), min_latency_figures(100, 4), binomial_figures(100, 4),
        constant_figures(100, 4, eager), tiered_figures(100, 4, eager), leveled_figures(100, 4)}) {
    std::set<std::string> names;
    for (const CostFigure& figure : figures) {
      INFO(figure.name());
      REQUIRE(names.insert(figure.name()).second);
      REQUIRE(!figure.unit().empty());
      REQUIRE(figure.source.find("merge-policies paper, ") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace lsmlab::merge_policy_costs_test

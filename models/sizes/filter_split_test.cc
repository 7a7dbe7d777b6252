#include "models/sizes/filter_split.h"

#include <cmath>
#include <numeric>
#include <random>

#include "testing/catch.h"
#include "testing/oracles/mini_store.h"

namespace lsmlab::filter_split_test {
namespace {

constexpr double kLn2Squared = 0.480453013918201;

double rate_sum(const std::vector<double>& bits) {
  double sum = 0;
  for (const double each : bits) sum += std::exp(-each * kLn2Squared);
  return sum;
}

TEST_CASE("levels that grow tenfold get the bits of Monkey's closed form") {
  // T = 10, L = 4, h = 10 (policies.md, section 5). The closed form sums the levels as if there
  // were infinitely many above, so the test adds ever smaller levels until it holds.
  std::vector<std::uint64_t> levels;
  std::uint64_t entries = 1000;
  for (int level = 0; level < 12; ++level) levels.push_back(entries *= 10);
  const std::vector<double> bits = monkey_bits(levels, 10);
  REQUIRE(bits[8] == Approx(23.85).margin(0.005));
  REQUIRE(bits[9] == Approx(19.05).margin(0.005));
  REQUIRE(bits[10] == Approx(14.26).margin(0.005));
  REQUIRE(bits[11] == Approx(9.47).margin(0.005));
  REQUIRE(rate_sum({bits.begin() + 8, bits.end()}) == Approx(0.011756).margin(5e-7));
  // Four levels alone meet the budget exactly, so they get slightly more bits.
  const std::vector<std::uint64_t> four{1000, 10'000, 100'000, 1'000'000};
  REQUIRE(rate_sum(monkey_bits(four, 10)) == Approx(0.011756).epsilon(0.002));
}

TEST_CASE("the split keeps the budget, and no shift between two runs improves it") {
  const std::uint64_t seed = 7;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> runs(1 + random() % 8);
    for (std::uint64_t& run : runs) run = 1 + (random() >> (40 + random() % 20));
    const double mean_bits = static_cast<double>(random() % 12'000) / 1000;
    const std::vector<double> bits = monkey_bits(runs, mean_bits);
    double used = 0;
    double entries = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      REQUIRE(bits[i] >= 0);
      used += bits[i] * static_cast<double>(runs[i]);
      entries += static_cast<double>(runs[i]);
    }
    REQUIRE(used == Approx(mean_bits * entries).margin(1e-6 * entries));
    for (std::size_t from = 0; from < runs.size(); ++from) {
      const double moved = std::min(0.01, bits[from]) * static_cast<double>(runs[from]);
      for (std::size_t to = 0; to < runs.size(); ++to) {
        if (from == to) continue;
        std::vector<double> shifted = bits;
        shifted[from] -= moved / static_cast<double>(runs[from]);
        shifted[to] += moved / static_cast<double>(runs[to]);
        REQUIRE(rate_sum(shifted) >= rate_sum(bits) - 1e-9);
      }
    }
  }
}

TEST_CASE("runs that are too large for the budget have no filter") {
  const std::vector<std::uint64_t> runs{10, 1'000'000};
  const std::vector<double> bits = monkey_bits(runs, 0.0001);
  REQUIRE(bits[1] == 0);
  REQUIRE(bits[0] == Approx(0.0001 * 1'000'010 / 10));
  const std::vector<double> none = monkey_bits(runs, 0);
  REQUIRE(none[0] == Approx(0).margin(1e-9));
}

// Monkey's AutotuneFilters, literally: all bits begin in one filter, and steps that halve move them
// between filters while that lowers the sum of the rates.
std::vector<double> autotuned_literally(const std::vector<double>& entries, double bits_per_key) {
  std::vector<double> bits(entries.size(), 0);
  bits[0] = bits_per_key * std::accumulate(entries.begin(), entries.end(), 0.0);
  const auto rate = [&](std::size_t run, double run_bits) {
    return std::exp(-run_bits / entries[run] * kLn2Squared);
  };
  for (double step = bits[0]; step >= 1;) {
    bool has_moved = false;
    for (std::size_t to = 0; to < bits.size(); ++to) {
      for (std::size_t from = 0; from < bits.size(); ++from) {
        if (to == from || bits[from] < step) continue;
        const double before = rate(to, bits[to]) + rate(from, bits[from]);
        if (rate(to, bits[to] + step) + rate(from, bits[from] - step) >= before) continue;
        bits[to] += step;
        bits[from] -= step;
        has_moved = true;
      }
    }
    if (!has_moved) step /= 2;
  }
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] /= entries[i];
  return bits;
}

TEST_CASE("bits of full levels are those of Monkey's AutotuneFilters, in whole bits") {
  for (const double mean_bits : {1.0, 5.0, 10.0}) {
    const std::vector<LevelCapacity> levels{
        {4'000, 4}, {0, 1}, {10'000, 1}, {100'000, 1}, {1'000'000, 1}};
    const std::vector<std::uint32_t> bits = autotune_bits(levels, mean_bits);
    const std::vector<double> expected =
        autotuned_literally({1'000, 1'000, 1'000, 1'000, 10'000, 100'000, 1'000'000}, mean_bits);
    INFO("bits per key " << mean_bits);
    REQUIRE(bits.size() == levels.size());
    REQUIRE(bits[1] == 0);
    REQUIRE(std::abs(bits[0] - expected[0]) <= 0.55);
    for (std::size_t level = 2; level < levels.size(); ++level) {
      REQUIRE(std::abs(bits[level] - expected[level + 2]) <= 0.55);
    }
  }
}

TEST_CASE("with filter_split=autotune an output's bits depend on its level alone") {
  testing::MiniStore store;
  StoreOptions options;
  options.filter_split = FilterSplit::kAutotune;
  const std::vector<LevelCapacity> levels{{4'000, 4}, {10'000, 1}, {100'000, 1}};
  const auto bits_at = [&](std::uint32_t level) {
    const Plan plan{PlanReason::kMemtableFull, FlushPlan{{level, {}}}, {}};
    return output_format(options, store.tree, plan, Entries(5), levels).filter_millibits_per_key;
  };
  // No deeper level is in use: the first has all bits.
  REQUIRE(bits_at(0) == 10'000);
  REQUIRE(bits_at(1) == 1'000 * autotune_bits(std::span(levels).first(2), 10)[1]);
  REQUIRE(bits_at(2) == 1'000 * autotune_bits(levels, 10)[2]);
}

TEST_CASE("a plan's outputs have the bits of the run that they join") {
  testing::MiniStore store;
  StoreOptions options;
  options.bits_per_key = Decimal(10, 1);
  options.filter_split = FilterSplit::kMonkey;
  const Plan flush{PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}};
  REQUIRE(output_format(options, store.tree, flush, Entries(5)).filter_millibits_per_key == 10'000);
  for (std::uint64_t key = 0; key < 100; ++key) store.put(key);
  store.flush();
  const auto millibits_of = [](const std::vector<std::uint64_t>& runs) {
    return static_cast<std::uint32_t>(monkey_bits(runs, 10).front() * 1000 + 0.5);
  };
  const std::vector<std::uint64_t> flushed{5, 100};
  REQUIRE(output_format(options, store.tree, flush, Entries(5)).filter_millibits_per_key ==
          millibits_of(flushed));
  for (std::uint64_t key = 0; key < 20; ++key) store.put(key);
  store.flush();
  for (std::uint64_t key = 0; key < 3; ++key) store.put(key);
  store.flush();
  MergePlan merge;
  merge.inputs = {store.whole_run(0, 0), store.whole_run(0, 1)};
  merge.target = {0, {}};
  const Plan newest{PlanReason::kSizeRatio, merge, {}};
  const std::vector<std::uint64_t> merged{23, 100};
  REQUIRE(output_format(options, store.tree, newest, Entries(0)).filter_millibits_per_key ==
          millibits_of(merged));
  options.filter_split = FilterSplit::kUniform;
  REQUIRE(output_format(options, store.tree, newest, Entries(0)).filter_millibits_per_key ==
          10'000);
}

}  // namespace
}  // namespace lsmlab::filter_split_test

// The adaptive controller of cassandra-ucs, compared with a rewriting of its rule over plain
// numbers.
#include "models/policies/cassandra/ucs_adaptation.h"

#include <cmath>

#include "models/base/random.h"
#include "models/policies/cassandra/ucs_scaling.h"
#include "testing/catch.h"

namespace lsmlab::ucs_adaptation_test {
namespace {

using Ws = std::vector<std::int64_t>;

std::pair<std::uint64_t, std::uint64_t> amplification(std::uint64_t data, std::uint64_t flush,
                                                      std::int64_t w) {
  const UcsAmplification found = ucs_amplification(data, flush, w);
  return {found.read, found.write};
}

TEST_CASE("ucs: scaling parameters are read and written in Cassandra's forms") {
  REQUIRE(parse_ucs_scaling("T4") == 2);
  REQUIRE(parse_ucs_scaling("L10") == -8);
  REQUIRE(parse_ucs_scaling("N") == 0);
  REQUIRE(parse_ucs_scaling("L2") == 0);
  REQUIRE(parse_ucs_scaling("-8") == -8);
  REQUIRE(parse_ucs_scaling("+3") == 3);
  for (const char* bad : {"", "T1", "L0", "T", "X4", "4.5", "T99999", "--3"}) {
    INFO(bad);
    REQUIRE(!parse_ucs_scaling(bad));
  }
  REQUIRE(parse_ucs_scalings("T4:L10:N") == Ws{2, -8, 0});
  REQUIRE(!parse_ucs_scalings("T4:"));
  REQUIRE(ucs_scalings_text({2, -8, 0, 0, 0}) == "T4:L10:N");
  REQUIRE(ucs_scalings_text({-1}) == "L3");
  REQUIRE(ucs_scaling(0).threshold == 2);
  REQUIRE(ucs_scaling(2).threshold == 4);
  REQUIRE(ucs_scaling(-2).threshold == 2);
  REQUIRE(ucs_scaling(-2).fanout == 4);
}

// 16 flushes of data: T4 has 3 runs in each of two levels, and writes each byte in three levels.
TEST_CASE("ucs: what scaling parameters promise, by hand") {
  REQUIRE(amplification(16, 1, 2) == std::pair<std::uint64_t, std::uint64_t>{6, 3});
  REQUIRE(amplification(17, 1, 2) == std::pair<std::uint64_t, std::uint64_t>{7, 3});
  REQUIRE(amplification(63, 1, 2) == std::pair<std::uint64_t, std::uint64_t>{9, 3});
  REQUIRE(amplification(64, 1, 2) == std::pair<std::uint64_t, std::uint64_t>{9, 4});
  // L4: one run in each level, rewritten three times, and once for what the last level holds.
  REQUIRE(amplification(16, 1, -2) == std::pair<std::uint64_t, std::uint64_t>{3, 7});
  REQUIRE(amplification(48, 1, -2) == std::pair<std::uint64_t, std::uint64_t>{3, 9});
  REQUIRE(amplification(16, 1, 0) == std::pair<std::uint64_t, std::uint64_t>{4, 5});
  // Less than a flush.
  REQUIRE(amplification(5, 10, 2) == std::pair<std::uint64_t, std::uint64_t>{0, 1});
  REQUIRE(amplification(5, 10, -2) == std::pair<std::uint64_t, std::uint64_t>{1, 1});
}

UcsLoad load_of(double lookups, double blocks, std::uint64_t data = 1'600) {
  return {lookups, blocks, data, 100};
}

Ws all(std::int64_t w) { return Ws(kUcsLevelsMax, w); }

TEST_CASE("ucs: reads make level 0 leveled, writes make it tiered") {
  const UcsAdaptationOptions options;
  // All that counts is the number of runs: two with L5 to L12, of which L5 writes least.
  REQUIRE(adapted_scalings(all(2), load_of(1'000, 0), options)[0] == -3);
  // Only what is written counts. From 17 runs on there is one level.
  REQUIRE(adapted_scalings(all(2), load_of(0, 1'000), options)[0] == 15);
  REQUIRE(adapted_scalings(all(2), load_of(0, 1'000), options)[1] == 2);
}

TEST_CASE("ucs: a change must save the threshold's share of the cost") {
  UcsAdaptationOptions options;
  const UcsLoad load = load_of(0, 1'000);
  // T4 writes each byte four times with the flush, T17 twice: half is saved.
  options.threshold = Decimal(50, 100);
  REQUIRE(adapted_scalings(all(2), load, options)[0] == 15);
  options.threshold = Decimal(51, 100);
  REQUIRE(adapted_scalings(all(2), load, options) == all(2));
}

TEST_CASE("ucs: deeper levels follow level 0 one by one") {
  const UcsAdaptationOptions options;
  const UcsLoad load = load_of(0, 1'000);
  Ws now = all(2);
  for (std::size_t level = 0; level < kUcsLevelsMax; ++level) {
    now = adapted_scalings(now, load, options);
    REQUIRE(now[level] == 15);
    if (level + 1 < kUcsLevelsMax) REQUIRE(now[level + 1] == 2);
  }
  REQUIRE(adapted_scalings(now, load, options) == all(15));
}

TEST_CASE("ucs: nothing changes without operations") {
  REQUIRE(adapted_scalings(all(2), load_of(0, 0), UcsAdaptationOptions()) == all(2));
}

TEST_CASE("ucs: multipliers weigh lookups and writes") {
  UcsAdaptationOptions options;
  const UcsLoad load = load_of(1'000, 1'000);
  options.read_multiplier = Decimal(1000, 1);
  REQUIRE(adapted_scalings(all(2), load, options)[0] < 0);
  options.read_multiplier = Decimal(0, 1);
  REQUIRE(adapted_scalings(all(2), load, options)[0] == 15);
}

// The costs again, in floating point as Controller.java has them, but with levels counted by
// division.
double cost_again(const UcsLoad& load, std::int64_t w) {
  const double fanout = w < 0 ? 2.0 - static_cast<double>(w) : 2.0 + static_cast<double>(w);
  const double threshold = w <= 0 ? 2.0 : fanout;
  double rest = static_cast<double>(load.data_bytes) / static_cast<double>(load.flush_bytes);
  double levels = 0;
  for (; rest >= fanout; rest /= fanout) ++levels;
  const double units = std::ceil(rest - 1e-12);
  const double read = levels * (threshold - 1) + (w < 0 ? 1 : std::max(0.0, units - 1));
  const double written = w < 0 ? levels * (fanout - 1) + units : levels + 1;
  return load.lookups * read + load.blocks_written * (1 + written);
}

TEST_CASE("ucs: a plain rewriting chooses the same scaling parameter") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    INFO("seed " << seed);
    SplitMix64 random(seed);
    const UcsLoad load =
        load_of(static_cast<double>(random.below(2'000)),
                static_cast<double>(1 + random.below(2'000)), 50 + random.below(200'000));
    UcsAdaptationOptions options;
    options.w_min = random.below(2) == 0 ? "-10" : "L4";
    options.w_max = random.below(2) == 0 ? "36" : "T9";
    const std::int64_t now = static_cast<std::int64_t>(random.below(20)) - 8;
    const std::int64_t least = parse_ucs_scaling(options.w_min).value();
    const std::int64_t most = parse_ucs_scaling(options.w_max).value();
    // What the best of them saves, and whether that is enough.
    double best = cost_again(load, now);
    for (std::int64_t w = least; w <= most; ++w) best = std::min(best, cost_again(load, w));
    const Ws next = adapted_scalings(all(now), load, options);
    const double saved = cost_again(load, now) - best;
    if (saved == 0 || saved < 0.15 * cost_again(load, now)) {
      REQUIRE(next[0] == now);
      continue;
    }
    REQUIRE(next[0] != now);
    REQUIRE(cost_again(load, next[0]) == Approx(best));
    REQUIRE(next[0] >= least);
    REQUIRE(next[0] <= most);
    // Of equals: the largest below 0, otherwise the least.
    for (std::int64_t w = least; w <= most; ++w) {
      if (std::abs(cost_again(load, w) - best) > 1e-9 * best) continue;
      REQUIRE((w < 0 ? next[0] < 0 && w <= next[0] : next[0] <= w));
    }
  }
}

TEST_CASE("ucs: options of the adaptive controller that Cassandra refuses are errors") {
  UcsAdaptationOptions options;
  REQUIRE(options.validate().empty());
  options.w_min = "X";
  REQUIRE(options.validate().size() == 1);
  options.w_min = "36";
  REQUIRE(options.validate()[0].find("is not below") != std::string::npos);
  options = {};
  options.threshold = Decimal(0, 1);
  REQUIRE(options.validate()[0] == "adaptive_threshold=0 is not above 0");
}

}  // namespace
}  // namespace lsmlab::ucs_adaptation_test

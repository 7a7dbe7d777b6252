// Costs by hand, and the choice against all options of the grid.
#include "models/theory/delete_aware_adaptation.h"

#include <cmath>
#include <vector>

#include "models/base/random.h"
#include "testing/catch.h"

namespace lsmlab::delete_aware_adaptation_test {
namespace {

// 10,000 entries of 10 bytes, memtables and blocks of 100 bytes, one run in level 0, and a level of
// 1,000 bytes above the deepest.
AdaptedStore small_store() {
  AdaptedStore store;
  store.size_ratio = 10;
  store.memtable_bytes = 100;
  store.block_bytes = 100;
  store.level0_runs = 1;
  store.level_bytes = {1'000};
  store.deepest_used = 2;
  store.entries = 10'000;
  store.entry_bytes = 10;
  return store;
}

AdaptedStore random_store(SplitMix64& random, bool keeps_ranges) {
  AdaptedStore store;
  store.size_ratio = static_cast<double>(2 + random.below(15));
  store.memtable_bytes = static_cast<double>(1'000 + random.below(100'000));
  store.block_bytes = static_cast<double>(512 + random.below(8'192));
  store.level0_runs = static_cast<double>(1 + random.below(8));
  double bytes = store.memtable_bytes * store.level0_runs;
  for (std::uint64_t levels = random.below(5); levels > 0; --levels) {
    store.level_bytes.push_back(random.below(4) == 0 ? 0 : bytes);
    bytes *= store.size_ratio;
  }
  store.deepest_used = static_cast<std::uint32_t>(1 + store.level_bytes.size());
  store.keeps_size_trigger = random.below(2) == 0;
  store.entry_bytes = static_cast<double>(20 + random.below(1'000));
  store.entries = std::ceil(bytes / store.entry_bytes);
  store.tombstones = std::floor(store.entries * static_cast<double>(random.below(20)) / 100);
  store.filter_bits = static_cast<double>(random.below(16));
  if (keeps_ranges) store.range_bytes = store.block_bytes;
  return store;
}

Traffic random_traffic(SplitMix64& random) {
  Traffic traffic;
  traffic.lookups = random.below(1'000);
  traffic.scans = random.below(traffic.lookups + 1);
  traffic.writes = 1 + random.below(1'000);
  traffic.deletes = random.below(traffic.writes + 1);
  return traffic;
}

double mean_cost(const AdaptedStore& store, const Traffic& traffic, const AdaptedOptions& options) {
  const auto count = [](std::uint64_t operations) { return static_cast<double>(operations); };
  const AdaptedCost cost =
      adapted_cost(store, count(traffic.deletes) / count(traffic.writes), options);
  return (count(traffic.lookups - traffic.scans) * cost.lookup_blocks +
          count(traffic.scans) * cost.scan_blocks + count(traffic.writes) * cost.update_blocks) /
         count(traffic.lookups + traffic.writes);
}

TEST_CASE("costs of a delete-aware store without deletes, by hand") {
  const AdaptedCost by_size = adapted_cost(small_store(), 0, {0, 0});
  // A byte is written once and 10 times on its way to level 1, then once and 100 times: 112 times
  // 10 bytes, in blocks of 100.
  REQUIRE(by_size.update_blocks == Approx(11.2));
  REQUIRE(by_size.lookup_blocks == Approx(3));  // three runs, no filters
  REQUIRE(by_size.scan_blocks == Approx(3));
  REQUIRE(by_size.filter_bits == 0);
  // No deletes, no merges by deletes: level 1 grows to the size of level 2.
  const AdaptedCost by_deletes = adapted_cost(small_store(), 0, {1, 0});
  REQUIRE(by_deletes.update_blocks == Approx((1 + 1'000 + 1 + 1) / 10.0));
  AdaptedStore kept = small_store();
  kept.keeps_size_trigger = true;
  REQUIRE(adapted_cost(kept, 0, {1, 0}).update_blocks == by_size.update_blocks);
}

TEST_CASE("costs of a delete-aware store with deletes, by hand") {
  // Level 1 may hold one memtable of tombstones, which are half of its entries: 200 bytes.
  const AdaptedCost cost = adapted_cost(small_store(), 0.5, {1, 0});
  REQUIRE(cost.update_blocks == Approx((1 + 2 + 1 + 500) / 10.0));
  // Level 0 has 5 tombstones and level 1 has 10; each hides an entry.
  REQUIRE(cost.scan_blocks == Approx(3 * 10'030 / 10'000.0));
  // By size, level 1 has 50.
  REQUIRE(adapted_cost(small_store(), 0.5, {0, 0}).scan_blocks == Approx(3 * 10'110 / 10'000.0));
  // A lower level has a tenth of the limit, so less than the one above: it passes on what comes.
  AdaptedStore two = small_store();
  two.level_bytes = {1'000, 10'000};
  two.deepest_used = 3;
  REQUIRE(adapted_cost(two, 0.5, {10, 0}).update_blocks ==
          Approx((1 + 20 + 1 + 200 / 2'000.0 + 1 + 50) / 10.0));
  // A level that nothing comes to costs nothing, but halves no limit.
  two.level_bytes = {0, 10'000};
  REQUIRE(adapted_cost(two, 0.5, {10, 0}).update_blocks == Approx((1 + 2 + 1 + 500) / 10.0));
}

TEST_CASE("a level takes all data where nothing but deletes moves it on") {
  AdaptedStore store = small_store();
  store.level_bytes = {1'000, 10'000, 200'000, 2'000'000};
  store.deepest_used = 1;
  const AdaptedCost by_deletes = adapted_cost(store, 0, {1, 0});
  REQUIRE(by_deletes.update_blocks == Approx((1 + 1'000) / 10.0));
  REQUIRE(by_deletes.lookup_blocks == Approx(2));
  // By size it goes on until level 3 can hold it.
  const AdaptedCost by_size = adapted_cost(store, 0, {0, 0});
  REQUIRE(by_size.update_blocks == Approx((1 + 10 + 1 + 10 + 1 + 10) / 10.0));
  REQUIRE(by_size.lookup_blocks == Approx(4));
}

TEST_CASE("filters of a delete-aware store have the memory that its kept ranges leave") {
  AdaptedStore store = small_store();
  store.filter_bits = 10;
  store.range_bytes = 100;
  const AdaptedCost as_configured = adapted_cost(store, 0, {0, 100});
  REQUIRE(as_configured.filter_bits == Approx(10));
  REQUIRE(as_configured.lookup_blocks == Approx(3 * std::pow(0.5, 10 * std::log(2.0))));
  // 1,000 ranges of 16 bytes become 500: 64,000 bits for 10,000 keys.
  REQUIRE(adapted_cost(store, 0, {0, 200}).filter_bits == Approx(16.4));
}

TEST_CASE("kept ranges drop a tombstone whose key no deeper level holds") {
  AdaptedStore store = small_store();
  store.range_bytes = 100;
  // A thousandth of the data is in level 0: so many of its tombstones have a key that is not below,
  // and one in ten of those, as many as a range has entries, lies between the ranges.
  REQUIRE(adapted_cost(store, 0.5, {0, 100}).scan_blocks ==
          Approx(3 * (10'000 + 10 + 100 * 0.9999) / 10'000.0).epsilon(1e-12));
}

TEST_CASE("the cheapest options of a delete-aware store are those of the whole grid") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  SplitMix64 random(seed);
  std::uint64_t changed = 0;
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    const bool keeps_ranges = random.below(2) == 0;
    const AdaptedStore store = random_store(random, keeps_ranges);
    const Traffic traffic = random_traffic(random);
    const AdaptedOptions now{std::ldexp(1.0, static_cast<int>(random.below(6)) - 2),
                             store.range_bytes};
    const Adaptation found = cheapest_options(store, traffic, now);
    double least = mean_cost(store, traffic, now);
    REQUIRE(static_cast<double>(found.costs.mean_before) == Approx(least * 1e6).margin(1));
    for (int power = -7; power <= 10; ++power) {
      const double base = power == -7 ? 0 : std::ldexp(1.0, power);
      double range = store.block_bytes;
      for (int doubled = 0; doubled < (keeps_ranges ? 9 : 1); ++doubled, range *= 2) {
        least = std::min(least, mean_cost(store, traffic, {base, keeps_ranges ? range : 0}));
      }
    }
    REQUIRE(static_cast<double>(found.costs.mean) == Approx(least * 1e6).margin(1));
    const AdaptedOptions chosen{static_cast<double>(found.tuning.del_ratio_base_millionths) / 1e6,
                                static_cast<double>(found.tuning.range_bytes.value())};
    REQUIRE(mean_cost(store, traffic, chosen) * 1e6 ==
            Approx(static_cast<double>(found.costs.mean)).margin(1));
    REQUIRE(found.measured == traffic);
    changed += found.costs.mean < found.costs.mean_before ? 1 : 0;
  }
  REQUIRE(changed > 100);
}

TEST_CASE("options that no others beat stay as they are") {
  AdaptedStore store = small_store();
  store.keeps_size_trigger = true;
  // Without deletes every base merges by size, and costs the same.
  const Adaptation same = cheapest_options(store, {10, 90, 0, 0}, {3, 0});
  REQUIRE(same.tuning.del_ratio_base_millionths == 3'000'000);
  REQUIRE(same.costs.mean == same.costs.mean_before);
  REQUIRE(unchanged_options(store, {10, 90, 0, 0}, {3, 0}) == same);
}

}  // namespace
}  // namespace lsmlab::delete_aware_adaptation_test

#include "sim/ranges/placed_keys.h"

#include <cmath>

#include "testing/catch.h"

namespace lsmlab::placed_keys_test {
namespace {

constexpr std::uint64_t kStep = PlacedKeys::kStep;

OperationWorkload sequential_load(const std::string& more) {
  const auto spec = parse_spec("load:entries=100K,insert_distribution=sequential," + more);
  REQUIRE(spec.has_value());
  Result<OperationWorkload> workload = make_operation_workload(spec.value());
  REQUIRE(workload.has_value());
  return std::move(workload).value();
}

double between(const RangeContents& contents, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t share =
      contents.shares_below(end).entries - contents.shares_below(begin).entries;
  return static_cast<double>(part_of(total_entries(contents.classes), share)) / kCountUnits;
}

TEST_CASE("placed keys: inserts lie densely behind the keys that updates hit") {
  auto population = KeyPopulation::make(sequential_load("update_fraction=50%"));
  REQUIRE(population.has_value());
  KeyPopulation& keys = population.value();
  PlacedKeys placed;
  keys.begin_phase(0);
  keys.write(1'000, 0, 0);
  const RangeContents first = placed.take_memtable(keys, 16);
  REQUIRE(first.keys == KeyRange{0, 999 * kStep});
  REQUIRE(total_entries(first.classes) == fixed_count(1'000));
  keys.write(500, 100, 0);
  REQUIRE(placed.inserts_of_open(keys) == KeyRange{1'000 * kStep, 1'500 * kStep - 1});
  const RangeContents second = placed.take_memtable(keys, 16);
  REQUIRE(second.classes.size() == 1);
  REQUIRE(second.keys.largest == 1'499 * kStep);
  REQUIRE(second.keys.smallest < 20 * kStep);
  REQUIRE(std::abs(between(second, 1'000 * kStep, 1'500 * kStep) - 500) < 1);
  // The others updated keys of this memtable, or keys that it has already.
  const double updates = between(second, 0, 1'000 * kStep);
  REQUIRE(updates > 70);
  REQUIRE(updates < 90);
  REQUIRE(std::abs(between(second, 0, 500 * kStep) - updates / 2) < 2);
  const KeyRange none = placed.inserts_of_open(keys);
  REQUIRE(none.smallest > none.largest);
}

TEST_CASE("placed keys: keys of a range are those inserted there that live") {
  auto population = KeyPopulation::make(sequential_load("delete_fraction=20%"));
  REQUIRE(population.has_value());
  KeyPopulation& keys = population.value();
  PlacedKeys placed;
  keys.begin_phase(0);
  keys.write(10'000, 0, 0);
  static_cast<void>(placed.take_memtable(keys, 16));
  const auto live = [&](std::uint64_t begin, std::uint64_t end) {
    return static_cast<double>(placed.keys_between(begin * kStep, end * kStep)) / kCountUnits;
  };
  REQUIRE(live(0, 10'000) == 10'000);
  REQUIRE(live(9'000, 20'000) == 1'000);
  REQUIRE(live(20'000, 30'000) == 0);
  REQUIRE(placed.keys_between(0, kStep / 2) == static_cast<std::int64_t>(kCountUnits / 2));
  keys.write(0, 0, 1'000);
  static_cast<void>(placed.take_memtable(keys, 16));
  REQUIRE(std::abs(live(0, 10'000) - 9'000) < 1);
  REQUIRE(std::abs(live(2'000, 4'000) - 1'800) < 20);
  keys.write(10'000, 0, 0);
  const RangeContents grown = placed.take_memtable(keys, 16);
  REQUIRE(grown.keys.smallest == 10'000 * kStep);
  REQUIRE(std::abs(live(0, 10'000) - 9'000) < 100);
  REQUIRE(std::abs(live(0, 20'000) - 19'000) < 1);
}

}  // namespace
}  // namespace lsmlab::placed_keys_test

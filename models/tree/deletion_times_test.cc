#include "models/tree/deletion_times.h"

#include <algorithm>
#include <map>
#include <random>

#include "testing/catch.h"

namespace lsmlab::deletion_times_test {
namespace {

std::vector<std::uint64_t> random_writes(std::mt19937_64& random, std::size_t count) {
  const std::uint64_t spread = std::uint64_t{1} << (random() % 40);
  const std::uint64_t begin = random() % 1'000'000;
  std::vector<std::uint64_t> writes;
  for (std::size_t i = 0; i < count; ++i) writes.push_back(begin + random() % spread);
  return writes;
}

TEST_CASE("deletion times do not depend on the order of tombstones, and have the finest blocks") {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    std::vector<std::uint64_t> writes = random_writes(random, 1 + random() % 500);
    DeletionTimes times;
    for (const std::uint64_t write : writes) times.add(write);
    std::sort(writes.begin(), writes.end());
    DeletionTimes other;
    for (const std::uint64_t write : writes) other.add(write);
    REQUIRE(times == other);
    REQUIRE(times.tombstones() == writes.size());
    REQUIRE(DeletionTimes::are_sound(times.shift(), times.blocks()));
    std::map<std::uint64_t, std::uint64_t> finer;
    for (const std::uint64_t write : writes) {
      if (times.shift() > 0) ++finer[write >> (times.shift() - 1)];
    }
    if (times.shift() > 0) REQUIRE(finer.size() > DeletionTimes::kBlocksMax);
  }
}

TEST_CASE("tombstones until a write are counted to within their block") {
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 100; ++trial) {
    CAPTURE(trial);
    const std::vector<std::uint64_t> writes = random_writes(random, 1 + random() % 300);
    DeletionTimes times;
    for (const std::uint64_t write : writes) times.add(write);
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t until = writes[random() % writes.size()] + random() % 3 - 1;
      const auto in_block = [&](std::uint64_t write) {
        return write >> times.shift() == until >> times.shift();
      };
      const auto exact =
          std::count_if(writes.begin(), writes.end(), [&](auto write) { return write <= until; });
      const auto same = std::count_if(writes.begin(), writes.end(), in_block);
      const auto counted = static_cast<std::ptrdiff_t>(times.until(until));
      REQUIRE(std::abs(counted - exact) <= same);
      if (times.shift() == 0) REQUIRE(counted == exact);
    }
    REQUIRE(times.until(~std::uint64_t{0}) == writes.size());
  }
}

TEST_CASE("the write until which there are so many tombstones is the first one") {
  std::mt19937_64 random(13);
  for (int trial = 0; trial < 100; ++trial) {
    CAPTURE(trial);
    const std::vector<std::uint64_t> writes = random_writes(random, 1 + random() % 300);
    DeletionTimes times;
    for (const std::uint64_t write : writes) times.add(write);
    for (std::uint64_t wanted = 1; wanted <= writes.size(); ++wanted) {
      const std::uint64_t at = times.reached_at(wanted);
      REQUIRE(times.until(at) >= wanted);
      if (at > 0) REQUIRE(times.until(at - 1) < wanted);
    }
    REQUIRE(times.reached_at(0) == 0);
  }
}

TEST_CASE("blocks that no histogram has are refused") {
  const auto sound = DeletionTimes::are_sound;
  REQUIRE(sound(0, {}));
  REQUIRE(sound(3, {{1, 5}, {2, 1}}));
  REQUIRE_FALSE(sound(64, {{0, 1}}));
  REQUIRE_FALSE(sound(3, {{1, 0}}));
  REQUIRE_FALSE(sound(3, {{2, 1}, {1, 1}}));
  REQUIRE_FALSE(sound(3, {{2, 1}, {2, 1}}));
  REQUIRE_FALSE(sound(4, {{std::uint64_t{1} << 60, 1}}));
  std::vector<DeletionTimes::Block> many;
  for (std::uint64_t i = 0; i <= DeletionTimes::kBlocksMax; ++i) many.push_back({i, 1});
  REQUIRE_FALSE(sound(0, many));
  many.pop_back();
  REQUIRE(sound(0, many));
}

TEST_CASE("a tombstone is ripe when gc_grace writes came after it") {
  REQUIRE(ripe_until(100, 30) == 70);
  REQUIRE(ripe_until(30, 30) == 0);
  REQUIRE(ripe_until(10, 30) == 0);
}

}  // namespace
}  // namespace lsmlab::deletion_times_test

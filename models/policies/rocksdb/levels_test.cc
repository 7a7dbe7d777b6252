// Targets and scores of levels; cases from RocksDB 7.8.3's version_set_test.cc.
#include "models/policies/rocksdb/levels.h"

#include <algorithm>
#include <random>

#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::levels_test {
namespace {

struct TargetCase {
  std::string name;
  RocksdbShape shape;
  std::vector<std::uint64_t> level_bytes;
  std::uint32_t base_level;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> max_bytes;  // by level
};

// Version 6.11.4's version_set_test.cc, MaxBytesForLevelDynamicWithLargeL0_1 to 3.
TEST_CASE("targets of levels grew with level 0 up to version 7.4") {
  RocksdbShape shape{6, 40000, 5, 2, true};
  const auto targets_of = [&](std::uint64_t level0, std::size_t files) {
    return rocksdb_targets(shape, {level0, 0, 8000, 40000, 200000, 1286250}, files);
  };
  for (const RocksdbVersion version : {RocksdbVersion::k6_12, RocksdbVersion::k7_4}) {
    shape.version = version;
    shape.level_base = 40000;
    const RocksdbTargets large = targets_of(30000, 3);
    REQUIRE(large.base_level == 2);
    REQUIRE(large.multiplier == 5.0);
    REQUIRE(large.max_bytes[2] == 40000);
    REQUIRE(large.max_bytes[3] == 51450);
    REQUIRE(large.max_bytes[4] == 257250);
    shape.level_base = 10000;
    for (const std::size_t files : {3u, 6u}) {
      const RocksdbTargets larger = targets_of(30000, files);
      REQUIRE(larger.base_level == 2);
      REQUIRE(larger.multiplier > 3.4);
      REQUIRE(larger.multiplier < 3.6);
      REQUIRE(larger.max_bytes[2] == 30000);
      REQUIRE(larger.max_bytes[3] > 100000);
      REQUIRE(larger.max_bytes[3] < 110000);
      REQUIRE(larger.max_bytes[4] > 360000);
      REQUIRE(larger.max_bytes[4] < 370000);
    }
  }
  shape.version = RocksdbVersion::k7_8;
  REQUIRE(targets_of(30000, 3).max_bytes[2] == 10290);
}

TEST_CASE("the score of level 0 depends on the version") {
  const auto score_of = [&](RocksdbVersion version, std::uint64_t level0_file) {
    const DrawnTree tree({{0, 1, 10, 90, level0_file},
                          {0, 2, 10, 90, level0_file},
                          {5, 3, 10, 90, 4000},
                          {6, 4, 10, 90, 50000}});
    RocksdbShape shape{7, 100, 10, 4, true};
    shape.level_base = 500;
    shape.version = version;
    for (const LevelScore& score : RocksdbLevels(tree.view(), shape).scores()) {
      if (score.level == 0) return score.score;
    }
    return 0.0;
  };
  // The target of the base level is 600 bytes, because level 0 is larger than level_base
  // (multiplier 9.13).
  REQUIRE(score_of(RocksdbVersion::k6_12, 300) == 600.0 / 500.0);
  REQUIRE(score_of(RocksdbVersion::k7_4, 300) == 600.0 / 500.0);
  REQUIRE(score_of(RocksdbVersion::k7_8, 300) > 10.0);
  // A burst: the target is 60,000, and the multiplier 50,000 / 60,000.
  REQUIRE(score_of(RocksdbVersion::k6_12, 30000) == 60000.0 / 500.0);
  REQUIRE(score_of(RocksdbVersion::k7_4, 30000) > 0.833);
  REQUIRE(score_of(RocksdbVersion::k7_4, 30000) < 0.834);
}

// version_set_test.cc, VersionStorageInfoTest; six levels.
TEST_CASE("targets of levels are RocksDB's") {
  const RocksdbShape by_five{6, 1000, 5, 4, true};
  const std::uint64_t g = std::uint64_t{1'000'000'000};
  const std::vector<TargetCase> cases{
      {"MaxBytesForLevelStatic",
       {6, 10, 5, 4, false},
       {0, 0, 0, 0, 100, 100},
       1,
       {{1, 10}, {2, 50}, {3, 250}, {4, 1250}}},
      {"MaxBytesForLevelDynamic_1", by_five, {0, 0, 0, 0, 0, 500}, 5, {}},
      {"MaxBytesForLevelDynamic_2", by_five, {0, 0, 0, 0, 0, 1050}, 4, {{4, 1000}}},
      {"MaxBytesForLevelDynamic_3", by_five, {0, 0, 0, 0, 550, 1050}, 4, {{4, 1000}}},
      {"MaxBytesForLevelDynamic_4", by_five, {0, 0, 0, 550, 550, 1050}, 3, {{4, 1005}, {3, 1000}}},
      {"MaxBytesForLevelDynamic_5",
       by_five,
       {0, 10, 0, 550, 550, 1050},
       1,
       {{4, 25125}, {3, 5025}, {2, 1005}, {1, 1000}}},
      {"MaxBytesForLevelDynamicLotsOfData",
       {6, 100, 2, 4, true},
       {50, 50, 500, 500, 1700, 500},
       1,
       {{4, 800}, {3, 400}, {2, 200}, {1, 100}}},
      {"MaxBytesForLevelDynamicLargeLevel",
       {6, 10 * g, 10, 4, true},
       {50, 0, 0, 32 * g, 500 * g, 3000 * g},
       2,
       {{5, 3000 * g}, {4, 300 * g}, {3, 30 * g}, {2, 10 * g}}},
      {"MaxBytesForLevelDynamicWithLargeL0_1",
       {6, 40000, 5, 2, true},
       {30000, 0, 8000, 40000, 200000, 1286250},
       2,
       {{2, 40000}, {3, 51450}, {4, 257250}}},
      {"MaxBytesForLevelDynamicWithLargeL0_2",
       {6, 10000, 5, 4, true},
       {30000, 0, 20000, 53000, 258000, 1286250},
       1,
       {{1, 10000}, {2, 10290}, {3, 51450}, {4, 257250}}},
  };
  for (const TargetCase& c : cases) {
    const RocksdbTargets targets = rocksdb_targets(c.shape, c.level_bytes);
    INFO(c.name);
    REQUIRE(targets.base_level == c.base_level);
    for (const auto& [level, bytes] : c.max_bytes) REQUIRE(targets.max_bytes[level] == bytes);
  }
}

TEST_CASE("with dynamic levels the data on its way down lowers a score") {
  // MaxBytesForLevelDynamicWithLargeL0_2: level 0 comes first by size alone, then level 4, although
  // levels 2 and 3 exceed their targets by more.
  const DrawnTree tree({{0, 11, 1, 2, 10000},
                        {0, 12, 1, 2, 10000},
                        {0, 13, 1, 2, 10000},
                        {5, 4, 1, 2, 1286250},
                        {4, 5, 1, 2, 258000},
                        {3, 6, 1, 2, 53000},
                        {2, 7, 1, 2, 20000}});
  const std::vector<LevelScore> scores =
      RocksdbLevels(tree.view(), {6, 10000, 5, 4, true}).scores();
  REQUIRE(scores.size() == 5);
  REQUIRE(scores[0].level == 0);
  REQUIRE(scores[0].score == 30.0);  // 30000 over the base level's 10000, times 10
  REQUIRE(scores[1].level == 4);
  // 30000 bytes in level 0; levels 2 and 3 exceed their targets by 9710 and 1550.
  REQUIRE(scores[1].score == 258000.0 / (257250.0 + 41260.0) * 10.0);
}

// Version 8.4.4's version_set_test.cc, DrainUnnecessaryLevel.
TEST_CASE("from version 8.4 on dynamic levels that the data does not need drain, the upper first") {
  const DrawnTree tree(
      {{5, 1, 1, 2, 2000}, {4, 2, 1, 2, 200}, {3, 3, 1, 2, 100}, {1, 4, 1, 2, 10}});
  RocksdbShape shape{6, 1000, 10, 4, true};
  const auto scores_of = [&] { return RocksdbLevels(tree.view(), shape).scores(); };
  REQUIRE(scores_of().front().score < 1);
  shape.version = RocksdbVersion::k8_4;
  const std::vector<LevelScore> scores = scores_of();
  REQUIRE(RocksdbLevels(tree.view(), shape).base_level() == 1);
  REQUIRE(scores[0].level == 1);
  REQUIRE(scores[0].score == 10.0 * (1.001 + 0.001 * 2));
  REQUIRE(scores[1].level == 3);
  REQUIRE(scores[1].score == 10.0 * 1.001);
  REQUIRE(scores[2].score < 1);  // level 4: 200 bytes, and the data needs 101 or more there
  shape.dynamic_levels = false;
  REQUIRE(scores_of().front().score < 1);
}

TEST_CASE("from version 8.11 on merges are behind at an eighth of the deepest level") {
  const auto bytes = [](RocksdbVersion version, const std::vector<DrawnFile>& files) {
    const DrawnTree tree(files);
    RocksdbShape shape{7, 100, 10, 4, true};
    shape.version = version;
    return RocksdbLevels(tree.view(), shape).behind_bytes();
  };
  const std::vector<DrawnFile> files{{0, 1, 1, 9, 50}, {5, 2, 1, 9, 900}, {6, 3, 1, 9, 8000}};
  REQUIRE(bytes(RocksdbVersion::k8_7, files) == 0);
  REQUIRE(bytes(RocksdbVersion::k8_11, files) == 1000);
  REQUIRE(bytes(RocksdbVersion::k9_8, files) == 1000);
  const std::vector<DrawnFile> small{{0, 1, 1, 9, 50}, {6, 3, 1, 9, 800}};
  REQUIRE(bytes(RocksdbVersion::k9_6, small) == 100);
  REQUIRE(bytes(RocksdbVersion::k9_8, small) == 200);
  // Of level 0, only the oldest file is bottommost.
  REQUIRE(bytes(RocksdbVersion::k8_11, {{0, 1, 1, 9, 80}, {0, 2, 1, 9, 40}}) == 5);
  REQUIRE(bytes(RocksdbVersion::k9_8, {}) == 0);
}

// CalculateBaseBytes read level by level: a level is needed if it would hold more than level_base /
// ratio when the levels below it fit the largest one. Only levels down to the first with data
// count.
TEST_CASE("the levels that drain are those that would be too small") {
  std::mt19937_64 random(5);
  std::size_t draining = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    RocksdbShape shape{static_cast<std::uint32_t>(3 + random() % 5), 100 + random() % 5000,
                       2 + random() % 9, 4, true};
    shape.version = RocksdbVersion::k8_4;
    std::vector<std::uint64_t> bytes(shape.levels, 0);
    for (std::uint64_t& level : bytes) {
      if (random() % 2 == 0) level = random() % (std::uint64_t{1} << (1 + random() % 20));
    }
    const std::uint64_t largest = *std::max_element(bytes.begin() + 1, bytes.end());
    std::optional<std::uint32_t> expected;
    for (std::uint32_t level = 1; level + 1 < shape.levels; ++level) {
      if (std::all_of(bytes.begin() + 1, bytes.begin() + level + 1,
                      [](std::uint64_t of_level) { return of_level == 0; })) {
        continue;
      }
      std::uint64_t fits = largest;
      for (std::uint32_t below = level; below + 1 < shape.levels; ++below) fits /= shape.size_ratio;
      if (fits <= shape.level_base / shape.size_ratio) expected = level;
    }
    const RocksdbTargets targets = rocksdb_targets(shape, bytes);
    REQUIRE(targets.unneeded_upto == expected);
    if (expected) ++draining;
  }
  REQUIRE(draining > 500);
}

}  // namespace
}  // namespace lsmlab::levels_test

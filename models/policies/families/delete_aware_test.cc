// Picks of delete-aware on hand-made and on random trees. Values of 100 bytes and memtables of 1000
// bytes make the deletion rate of a level a tenth of its tombstones.
#include <array>
#include <cstdint>
#include <vector>

#include "models/base/random.h"
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::delete_aware_test {
namespace {

const std::string kStore = "buffer=1000,level_base=1000,file_size=1000";

std::string with(const std::string& more) { return kStore + "," + more; }

// A file of ten entries.
DrawnFile file_of(std::uint32_t level, std::uint64_t id, std::uint64_t smallest,
                  std::uint64_t largest, std::uint64_t tombstones, std::uint64_t bytes = 100) {
  return {level, id, smallest, largest, bytes, {}, 10, tombstones, 1000};
}

void check(const std::vector<PickCase>& cases) { check_picks("delete-aware", cases); }

std::vector<DrawnFile> random_files(SplitMix64& random) {
  std::vector<DrawnFile> files;
  std::uint64_t id = 1;
  for (std::uint64_t count = random.below(3); count > 0; --count) {
    const std::uint64_t smallest = random.below(500);
    files.push_back(file_of(0, id++, smallest, smallest + random.below(500), random.below(5)));
  }
  for (std::uint32_t level = 1; level < 5; ++level) {
    std::uint64_t key = random.below(50);
    for (std::uint64_t count = random.below(6); count > 0; --count) {
      const std::uint64_t largest = key + random.below(100);
      files.push_back(
          file_of(level, id++, key, largest, random.below(10), 1 + random.below(3'000)));
      key = largest + 1 + random.below(50);
    }
  }
  return files;
}

// The level from 1 on with the greatest rate in relation to its limit, if that is at least 1: in
// integers, for limits of 0.5 / 10^(level-1) and rates of tombstones / 10.
std::optional<std::uint32_t> level_by_deletes(const std::vector<DrawnFile>& files) {
  std::array<std::uint64_t, 7> tombstones{};
  for (const DrawnFile& file : files) tombstones.at(file.level) += file.tombstones;
  std::optional<std::uint32_t> best;
  std::uint64_t most = 0;
  std::uint64_t inverse_limit = 1;
  for (std::uint32_t level = 1; level < 6; ++level, inverse_limit *= 10) {
    const std::uint64_t score = tombstones.at(level) * inverse_limit;  // in fifths
    if (score >= 5 && score > most) {
      most = score;
      best = level;
    }
  }
  return best;
}

TEST_CASE("delete-aware merges the level whose deletion rate exceeds its limit most") {
  check({
      {"an empty tree wants nothing", kStore, {}, {}, "nothing"},
      {"a rate below the limit of 1", kStore, {file_of(1, 1, 0, 9, 9)}, {}, "nothing"},
      {"a rate of 1", kStore, {file_of(1, 1, 0, 9, 10)}, {}, "move L1 1 to L2"},
      {"the limit of level 2 is a tenth of that of level 1",
       kStore,
       {file_of(1, 1, 0, 9, 9), file_of(2, 2, 0, 9, 1)},
       {},
       "move L2 2 to L3"},
      {"level 1 is further above its limit than level 2",
       with("del_ratio_base=0.1"),
       {file_of(1, 1, 0, 9, 10), file_of(2, 2, 20, 29, 0), file_of(3, 3, 0, 9, 0)},
       {},
       "move L1 1 to L2"},
      {"a level without tombstones stays, however large it is",
       kStore,
       {file_of(1, 1, 0, 9, 0, 1'000'000)},
       {},
       "nothing"},
      {"size_trigger=kept: it does not",
       with("size_trigger=kept"),
       {file_of(1, 1, 0, 9, 0, 2'000)},
       {},
       "move L1 1 to L2"},
      {"size_trigger=kept: level 2 by deletes before level 1 by size",
       with("size_trigger=kept"),
       {file_of(1, 1, 0, 9, 0, 2'000), file_of(2, 2, 0, 9, 9)},
       {},
       "move L2 2 to L3"},
      {"level 0 counts its files as before",
       with("l0_trigger=2"),
       {file_of(0, 1, 0, 9, 10), file_of(0, 2, 0, 9, 10), file_of(1, 3, 0, 9, 0)},
       {},
       "merge L0 1,2 + L1 3 to L1"},
      {"tombstones that are on their way do not count",
       kStore,
       {file_of(1, 1, 0, 9, 6), file_of(1, 2, 20, 29, 6)},
       {1},
       "nothing"},
  });
}

TEST_CASE("delete-aware takes the level that an exact comparison of all rates gives") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  SplitMix64 random(seed);
  std::uint64_t picked = 0;
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    const std::vector<DrawnFile> files = random_files(random);
    const DrawnTree tree(files);
    // Level 0 is never due.
    const auto plan =
        pick_of("delete-aware", with("del_ratio_base=0.5,l0_trigger=100"), tree.view());
    const auto expected = level_by_deletes(files);
    REQUIRE(plan.has_value() == expected.has_value());
    if (!plan) continue;
    INFO(plan_text(plan));
    REQUIRE(plan_inputs(*plan).front().level == *expected);
    ++picked;
  }
  REQUIRE(picked > 200);
}

TEST_CASE("delete-aware merges by size until trigger_after operations are done") {
  DrawnTree tree({file_of(1, 1, 0, 9, 5), file_of(2, 2, 0, 9, 0, 20'000)});
  const std::string options = with("trigger_after=5,del_ratio_base=0.5");
  REQUIRE(plan_text(pick_of("delete-aware", options, tree.view())) == "move L2 2 to L3");
  tree.state().advance_now(Instant(4));
  REQUIRE(plan_text(pick_of("delete-aware", options, tree.view())) == "move L2 2 to L3");
  tree.state().advance_now(Instant(5));
  REQUIRE(plan_text(pick_of("delete-aware", options, tree.view())) == "merge L1 1 + L2 2 to L2");
}

TEST_CASE("delete-aware with del_ratio_base=0 decides as rocksdb-leveled") {
  const std::uint64_t seed = GENERATE(4U, 5U, 6U);
  CAPTURE(seed);
  SplitMix64 random(seed);
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    const DrawnTree tree(random_files(random));
    for (const char* size_trigger : {"replaced", "kept"}) {
      const std::string of_deletes =
          fmt::format("del_ratio_base=0,size_trigger={},l0_trigger=2", size_trigger);
      REQUIRE(plan_text(pick_of("delete-aware", with(of_deletes), tree.view())) ==
              plan_text(pick_of("rocksdb-leveled", with("l0_trigger=2"), tree.view())));
    }
  }
}

}  // namespace
}  // namespace lsmlab::delete_aware_test

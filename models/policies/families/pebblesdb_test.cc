// Picks of pebblesdb on hand-made trees.
#include <algorithm>

#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::pebblesdb_test {
namespace {

const std::string kNoGuards = "guard_bits=60,guard_bits_step=0,file_size=1GiB";

// Files of a level that do not overlap, from id on.
std::vector<DrawnFile> level_of(std::uint32_t level, std::uint64_t id, std::size_t count,
                                std::uint64_t bytes = 10) {
  std::vector<DrawnFile> files;
  for (std::size_t i = 0; i < count; ++i, ++id) {
    files.push_back({level, id, i * 100, i * 100 + 99, bytes, {}, 8});
  }
  return files;
}

std::vector<DrawnFile> joined(const std::vector<std::vector<DrawnFile>>& parts) {
  std::vector<DrawnFile> files;
  for (const auto& part : parts) files.insert(files.end(), part.begin(), part.end());
  return files;
}

TEST_CASE("pebblesdb merges the first level whose score is 1 and at least the next level's") {
  check_picks("pebblesdb",
              {
                  {"one file of level 0", kNoGuards, level_of(0, 1, 1), {}, "nothing"},
                  {"two", kNoGuards, level_of(0, 1, 2), {}, "merge L0 1,2 to L1"},
                  {"two files of a guard may stay", kNoGuards, level_of(1, 1, 2), {}, "nothing"},
                  {"three are merged down, and the next level's stay as they are",
                   kNoGuards,
                   joined({level_of(1, 1, 3), level_of(2, 11, 2)}),
                   {},
                   "merge L1 1,2,3 to L2"},
                  {"level 0 goes first as long as level 1's score is 1",
                   kNoGuards,
                   joined({level_of(0, 1, 2), level_of(1, 11, 3)}),
                   {},
                   "merge L0 1,2 to L1"},
                  {"above 1, level 1 does",
                   kNoGuards,
                   joined({level_of(0, 1, 2), level_of(1, 11, 4)}),
                   {},
                   "merge L1 11,12,13,14 to L2"},
                  {"level 2 has a higher score than level 1",
                   kNoGuards,
                   joined({level_of(1, 1, 3), level_of(2, 11, 4)}),
                   {},
                   "merge L2 11,12,13,14 to L3"},
                  {"a guard's bytes: 2 * file_size in level 1",
                   "guard_bits=60,guard_bits_step=0,file_size=10",
                   level_of(1, 1, 2),
                   {},
                   "merge L1 1,2 to L2"},
                  {"a byte less",
                   "guard_bits=60,guard_bits_step=0,file_size=11",
                   level_of(1, 1, 2),
                   {},
                   "nothing"},
                  {"level 0 merges into level 1, so that neither may be taken",
                   kNoGuards,
                   joined({level_of(0, 1, 3), level_of(1, 11, 4)}),
                   {1},
                   "nothing"},
                  {"a busy level 1 keeps level 2 from adding nothing, but level 3 is free",
                   kNoGuards,
                   joined({level_of(1, 1, 3), level_of(3, 11, 3)}),
                   {1},
                   "merge L3 11,12,13 to L4"},
                  {"files of the deepest level that do not overlap stay",
                   kNoGuards,
                   level_of(6, 1, 9),
                   {},
                   "nothing"},
              });
}

const MergePlan& merge_in(const std::optional<Plan>& plan) {
  REQUIRE(plan.has_value());
  return std::get<MergePlan>(plan->action);
}

TEST_CASE("pebblesdb has a guard for every 2^bits entries, and cuts outputs at the next level's") {
  const std::string options = "guard_bits=13,guard_bits_step=2,file_size=1GiB";
  std::vector<DrawnFile> files{{0, 1, 0, ~std::uint64_t{0}, 10, {}, 1 << 13},
                               {0, 2, 0, ~std::uint64_t{0}, 10, {}, 1 << 13}};
  const MergePlan level1 = merge_in(pick_of("pebblesdb", options, DrawnTree(files).view()));
  REQUIRE(level1.cut.file_begins->size() == (2 << 13) >> 11);
  REQUIRE(std::is_sorted(level1.cut.file_begins->begin(), level1.cut.file_begins->end()));
  for (DrawnFile& file : files) file.level = 2;
  files[1].smallest = std::uint64_t{1} << 63;
  files[0].largest = files[1].smallest - 1;
  // The two files of level 2 reach over its guards: all guards of level 1 are guards of level 2.
  const MergePlan level3 =
      merge_in(pick_of("pebblesdb", "guard_bits=13,guard_bits_step=2,file_size=1GiB,l0_trigger=99",
                       DrawnTree(joined({files, level_of(1, 21, 3)})).view()));
  REQUIRE(plan_text(Plan{PlanReason::kSortedRunCount, level3, {}}) ==
          "merge L1 21,22,23 + L2 1,2 to L2");
  constexpr std::size_t kGuards = ((2 << 13) + 24) >> 9;
  REQUIRE(level3.cut.file_begins->size() == kGuards);
  for (const std::uint64_t guard : *level1.cut.file_begins) {
    REQUIRE(
        std::binary_search(level3.cut.file_begins->begin(), level3.cut.file_begins->end(), guard));
  }
}

TEST_CASE("pebblesdb refuses guards that the deepest level could not have") {
  REQUIRE_FALSE(make_policy(parse_spec("pebblesdb:guard_bits=12").value()).has_value());
  REQUIRE(make_policy(parse_spec("pebblesdb:guard_bits=13").value()).has_value());
}

}  // namespace
}  // namespace lsmlab::pebblesdb_test

// Picks of rocksdb-universal on hand-made trees.
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::rocksdb_universal_test {
namespace {

std::optional<Plan> pick(const std::string& options, const TreeState& tree) {
  return pick_of("rocksdb-universal", options, tree);
}

void check(const std::vector<PickCase>& cases) { check_picks("rocksdb-universal", cases); }

// Files 1, 2, ... of level 0 with these sizes, newest first; then one file per level.
std::vector<DrawnFile> runs(
    const std::vector<std::uint64_t>& level0,
    const std::vector<std::pair<std::uint32_t, std::uint64_t>>& levels = {}) {
  std::vector<DrawnFile> files;
  for (const std::uint64_t bytes : level0) files.push_back({0, files.size() + 1, 10, 90, bytes});
  for (const auto& [level, bytes] : levels) {
    files.push_back({level, files.size() + 1, 10, 90, bytes});
  }
  return files;
}

TEST_CASE("rocksdb-universal picks for space, then by size ratio, then by count") {
  check({
      {"fewer runs than the trigger", "", runs({1, 1, 1}), {}, "nothing"},
      {"300% of the oldest above it: everything goes to the last level",
       "",
       runs({1, 1, 1, 1}),
       {},
       "merge L0 1,2,3,4 to L6"},
      {"just 200%", "", runs({50, 50, 100}, {{6, 100}}), {}, "merge L0 1,2,3 + L6 4 to L6"},
      {"just below; 50, 50, 99 are alike, and 100 is alike to their sum",
       "",
       runs({50, 50, 99}, {{6, 100}}),
       {},
       "merge L0 1,2,3 + L6 4 to L6"},
      {"three alike, the next far larger: right above it",
       "",
       runs({10, 10, 10}, {{6, 100}}),
       {},
       "merge L0 1,2,3 to L5"},
      {"above the next run that there is",
       "",
       runs({10, 10, 10}, {{3, 100}, {6, 1000}}),
       {},
       "merge L0 1,2,3 to L2"},
      {"the next run is level 1: level 0 it is",
       "",
       runs({10, 10, 10}, {{1, 100}, {6, 1000}}),
       {},
       "merge L0 1,2,3 to L0"},
      {"1% more is alike: 100 and 101, and 201 is more than 102",
       "",
       runs({100, 101, 102}, {{6, 100000}}),
       {},
       "merge L0 1,2,3 to L5"},
      {"2% more is not; 102 and 103 are alike",
       "",
       runs({100, 102, 103}, {{6, 100000}}),
       {},
       "merge L0 2,3 to L5"},
      {"a level is a run: 30 and 20 above 20",
       "",
       runs({30}, {{3, 20}, {4, 20}, {6, 10000}}),
       {},
       "merge L0 1 + L3 2 + L4 3 to L5"},
      {"nothing is alike, and four runs may stay",
       "",
       runs({1, 10, 100}, {{6, 10000}}),
       {},
       "nothing"},
      {"six runs: the three newest make it four",
       "",
       runs({1, 10, 100, 1000, 10000}, {{6, 1000000}}),
       {},
       "merge L0 1,2,3 to L0"},
  });
}

TEST_CASE("rocksdb-universal has widths and a second stop style") {
  check({
      {"at most two",
       "max_merge_width=2",
       runs({10, 10, 10}, {{6, 100}}),
       {},
       "merge L0 1,2 to L0"},
      {"two are too few", "min_merge_width=3", runs({10, 10, 50}, {{6, 1000}}), {}, "nothing"},
      {"similar-size compares neighbours: 30 is not like 10",
       "stop_style=similar-size",
       runs({10, 10, 30}, {{6, 1000}}),
       {},
       "merge L0 1,2 to L0"},
      {"and total-size does not take it either; 20 it would",
       "",
       runs({10, 10, 20}, {{6, 1000}}),
       {},
       "merge L0 1,2,3 to L5"},
      {"a smaller neighbour is not similar",
       "stop_style=similar-size",
       runs({100, 10, 10}, {{6, 10000}}),
       {},
       "merge L0 2,3 to L5"},
  });
}

TEST_CASE("rocksdb-universal leaves busy runs alone") {
  check({
      {"only idle runs count", "", runs({1, 1, 1, 1}), {4}, "nothing"},
      {"the oldest is busy: no merge for space, and none past it",
       "",
       runs({1, 1, 1, 1, 1}),
       {5},
       "merge L0 1,2,3,4 to L0"},
      {"a busy run parts the others",
       "l0_trigger=3",
       runs({1, 1, 1, 1}, {{6, 1000}}),
       {2},
       "merge L0 3,4 to L5"},
      {"the newest are busy: the rest may go for space",
       "l0_trigger=2",
       runs({9, 9, 9}),
       {1},
       "merge L0 2,3 to L6"},
  });
}

TEST_CASE("rocksdb-universal drops tombstones only at the bottom") {
  const auto drops = [](const std::vector<DrawnFile>& files, const std::string& options = "") {
    const DrawnTree tree(files);
    const auto plan = pick(options, tree.view());
    REQUIRE(plan.has_value());
    return std::get<MergePlan>(plan->action).drops_tombstones;
  };
  const std::vector<DrawnFile> level0{{0, 1, 10, 20, 10}, {0, 2, 10, 20, 10}, {0, 3, 10, 20, 10}};
  const auto with = [&](const DrawnFile& file) {
    std::vector<DrawnFile> files = level0;
    files.push_back(file);
    return files;
  };
  REQUIRE(drops(with({6, 4, 10, 20, 10})));    // takes all data
  REQUIRE(!drops(with({6, 4, 15, 16, 100})));  // level 6 is no input and overlaps
  REQUIRE(drops(with({6, 4, 30, 40, 100})));   // level 6 is no input and does not overlap
  REQUIRE(!drops(with({1, 4, 30, 40, 100})));  // an output in level 0 has older data below
}

TEST_CASE("rocksdb-universal cuts what lies below level 0") {
  const auto plan = pick("file_size=1M", DrawnTree(runs({10, 10, 10}, {{6, 100}})).view());
  REQUIRE(std::get<MergePlan>(plan->action).cut.file_bytes == Bytes(1'000'000));
  REQUIRE(plan->reason == PlanReason::kSizeRatio);
  const auto count = pick("", DrawnTree(runs({1, 10, 100, 1000, 10000}, {{6, 1000000}})).view());
  REQUIRE(!std::get<MergePlan>(count->action).cut.file_bytes);
  REQUIRE(count->reason == PlanReason::kSortedRunCount);
  const auto flat = pick("levels=1", DrawnTree(runs({1, 1, 1, 1})).view());
  REQUIRE(plan_text(flat) == "merge L0 1,2,3,4 to L0");
  REQUIRE(flat->reason == PlanReason::kSpaceAmplification);
  REQUIRE(std::get<MergePlan>(flat->action).drops_tombstones);
}

TEST_CASE("rocksdb-universal refuses options that contradict each other") {
  const auto named = make_policy(
      parse_spec("rocksdb-universal:min_merge_width=4,max_merge_width=3,levels=1,file_size=1M")
          .value());
  REQUIRE(!named.has_value());
  REQUIRE(named.error().message.find("max_merge_width must be") != std::string::npos);
  REQUIRE(named.error().message.find("file_size does not apply") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::rocksdb_universal_test

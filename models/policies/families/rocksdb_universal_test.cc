// Picks of rocksdb-universal on hand-made trees.
#include <tuple>

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

TEST_CASE("from version 8.7 on rocksdb-universal leaves small new files out of merges for space") {
  const auto files = runs({1, 1, 50, 50}, {{6, 50}});
  check({
      {"none up to 8.6", "version=8.4", files, {}, "merge L0 1,2,3,4 + L6 5 to L6"},
      {"two of a byte each", "version=8.7", files, {}, "merge L0 3,4 + L6 5 to L6"},
      {"newer versions too", "version=9.6", files, {}, "merge L0 3,4 + L6 5 to L6"},
      {"a merge of two has room before writers stop",
       "version=8.7,max_merge_width=2",
       files,
       {},
       "merge L0 1,2,3,4 + L6 5 to L6"},
      {"writers stop at one run more",
       "version=8.7,max_merge_width=2,level0_stop_runs=6",
       files,
       {},
       "merge L0 2,3,4 + L6 5 to L6"},
      {"the idle runs below a busy one merge",
       "version=8.7,l0_trigger=2",
       runs({40, 9, 40, 60}, {{6, 50}}),
       {2},
       "merge L0 3,4 + L6 5 to L6"},
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

// Files 1, 2, ... of these levels and keys, of 10 bytes each; the newest first.
std::vector<DrawnFile> placed(
    const std::vector<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>>& places) {
  std::vector<DrawnFile> files;
  for (const auto& [level, smallest, largest] : places) {
    files.push_back({level, files.size() + 1, smallest, largest, 10});
  }
  return files;
}

TEST_CASE("rocksdb-universal moves files that share no keys, where the option allows it") {
  const char* const kMoves = "allow_trivial_move=true,l0_trigger=2";
  const auto by_level = placed({{0, 30, 39}, {0, 20, 29}, {6, 10, 19}});
  check({
      {"off by default", "l0_trigger=2", by_level, {}, "merge L0 1,2 + L6 3 to L6"},
      {"files of the level that they go to stay", kMoves, by_level, {}, "move L0 1,2 to L6"},
      {"one shared key is enough for a merge",
       kMoves,
       placed({{0, 30, 39}, {0, 20, 30}, {6, 10, 19}}),
       {},
       "merge L0 1,2 + L6 3 to L6"},
      {"a file of level 0 shares a key with the level",
       kMoves,
       placed({{0, 30, 39}, {0, 20, 29}, {6, 10, 20}}),
       {},
       "merge L0 1,2 + L6 3 to L6"},
      {"ranges of levels may lie within each other, if those of files do not",
       kMoves,
       placed({{0, 30, 39}, {5, 20, 29}, {6, 10, 19}, {6, 50, 59}}),
       {},
       "move L0 1 + L5 2 to L6"},
      {"a file of level 0 that stays shares a key with one that goes",
       "allow_trivial_move=true,l0_trigger=3,max_merge_width=2",
       {{0, 1, 30, 39, 10}, {0, 2, 20, 29, 10}, {0, 3, 15, 20, 100}, {6, 4, 10, 12, 10000}},
       {},
       "merge L0 1,2 to L0"},
      {"within level 0 nothing moves",
       "allow_trivial_move=true,l0_trigger=3",
       {{0, 1, 30, 39, 10}, {0, 2, 20, 29, 10}, {0, 3, 10, 19, 1000}, {6, 4, 0, 9, 100000}},
       {},
       "merge L0 1,2 to L0"},
      {"from deeper levels, level 0 does not matter",
       "allow_trivial_move=true,l0_trigger=3",
       {{0, 1, 10, 39, 1}, {3, 2, 20, 29, 10}, {4, 3, 30, 39, 10}, {6, 4, 10, 40, 10000}},
       {},
       "move L3 2 + L4 3 to L5"},
  });
  check({{"level 0 overlaps, but the pick is deeper: busy level 0 files do not stop it",
          "allow_trivial_move=true,l0_trigger=2",
          placed({{0, 10, 40}, {0, 10, 40}, {3, 20, 29}, {4, 30, 39}}),
          {1, 2},
          "move L3 3 + L4 4 to L6"}});
}

TEST_CASE("rocksdb-universal merges the cheapest part for space, if it may") {
  // Level 5 has 240 bytes over 300 in level 6; parts end above 100 bytes.
  const std::string options =
      "incremental=true,l0_trigger=2,max_size_amplification_percent=50,"
      "file_size=50,max_compaction_bytes=200";
  const std::vector<DrawnFile> files{{5, 1, 10, 19, 60}, {5, 2, 20, 29, 60}, {5, 3, 40, 49, 60},
                                     {5, 4, 60, 69, 60}, {6, 5, 10, 14, 70}, {6, 6, 15, 29, 70},
                                     {6, 7, 40, 44, 30}, {6, 8, 60, 79, 130}};
  const auto with = [&](const DrawnFile& file) {
    std::vector<DrawnFile> more{file};
    more.insert(more.end(), files.begin(), files.end());
    return more;
  };
  check({
      {"file 1 has 140 bytes below its 60, file 2 has 70, files 3 and 4 have 160 below 120",
       options,
       files,
       {},
       "merge L5 2 + L6 6 to L6"},
      {"a file above that lies within the part joins",
       options,
       with({4, 9, 22, 25, 10}),
       {},
       "merge L4 9 + L5 2 + L6 6 to L6"},
      {"one that reaches beyond it does not",
       options,
       with({4, 9, 22, 35, 10}),
       {},
       "merge L5 2 + L6 6 to L6"},
      {"larger parts: the whole second last run has 300 bytes below 240, the limit",
       "incremental=true,l0_trigger=2,max_size_amplification_percent=50,max_compaction_bytes=2000",
       files,
       {},
       "merge L5 1,2,3,4 + L6 5,6,7,8 to L6"},
      {"level 0 cannot be split",
       options,
       runs({60, 60}, {{6, 100}}),
       {},
       "merge L0 1,2 + L6 3 to L6"},
      {"off by default",
       "l0_trigger=2,max_size_amplification_percent=50",
       files,
       {},
       "merge L5 1,2,3,4 + L6 5,6,7,8 to L6"},
  });
}

TEST_CASE("in the incremental mode outputs end where files of the next run do") {
  const auto cut = [](const std::string& options) {
    const auto plan =
        pick("file_size=100" + options, DrawnTree(runs({10, 10, 10}, {{6, 500}})).view());
    REQUIRE(plan_text(plan) == "merge L0 1,2,3 to L5");
    return std::get<MergePlan>(plan->action).cut;
  };
  REQUIRE(cut(",incremental=true").grandparents == GrandparentRule::kCompactionLimit);
  REQUIRE(cut(",incremental=true").grandparent_bytes_max == Bytes(150));
  REQUIRE(cut(",incremental=true").file_bytes == Bytes(200));
  REQUIRE(cut("").grandparents == GrandparentRule::kIgnored);
  REQUIRE(cut("").file_bytes == Bytes(100));
}

TEST_CASE("rocksdb-universal keeps more runs with max_read_amp") {
  const auto six = runs({1, 10, 100, 1000, 10000}, {{6, 1000000}});
  check({
      {"six runs may stay", "max_read_amp=6", six, {}, "nothing"},
      {"five may: the two newest merge", "max_read_amp=5", six, {}, "merge L0 1,2 to L0"},
      // A memtable of 1, then runs of 1.01, 2.03, ... 947,211 and 1,903,895 bytes: 22 of them.
      {"as many as the largest run makes likely", "max_read_amp=0,buffer=1", six, {}, "nothing"},
      // 250,000, 252,500, 507,525, 1,020,125: four.
      {"a larger memtable: four may stay",
       "max_read_amp=0,buffer=250000",
       six,
       {},
       "merge L0 1,2,3 to L0"},
      {"a largest run of a memtable: one",
       "max_read_amp=0,buffer=1000000",
       six,
       {},
       "merge L0 1,2,3,4,5 + L6 6 to L6"},
      {"merges by size begin at l0_trigger",
       "max_read_amp=9",
       runs({10, 10, 10}, {{6, 100}}),
       {},
       "merge L0 1,2,3 to L5"},
      {"no estimate for similar sizes: the trigger",
       "max_read_amp=0,buffer=1,stop_style=similar-size",
       six,
       {},
       "merge L0 1,2,3 to L0"},
  });
}

TEST_CASE("rocksdb-universal merges all runs when a file is too old") {
  const auto plan_at = [](std::uint64_t now, const std::vector<std::uint64_t>& busy,
                          const std::vector<std::uint64_t>& created) {
    std::vector<DrawnFile> files = runs({1, 10}, {{6, 1000}});
    for (std::size_t i = 0; i < created.size(); ++i) files[i].created = created[i];
    DrawnTree tree(files);
    for (const std::uint64_t id : busy) tree.set_busy(id);
    tree.state().advance_now(Instant(now));
    const auto plan = pick("periodic_age=100", tree.view());
    if (plan) REQUIRE(plan->reason == PlanReason::kPeriodic);
    return plan_text(plan);
  };
  REQUIRE(plan_at(1000, {}, {950, 920, 900}) == "nothing");
  REQUIRE(plan_at(1000, {}, {950, 920, 899}) == "merge L0 1,2 + L6 3 to L6");
  REQUIRE(plan_at(1000, {}, {950, 10, 900}) == "merge L0 1,2 + L6 3 to L6");
  REQUIRE(plan_at(1000, {1}, {950, 10, 900}) == "merge L0 2 + L6 3 to L6");
  REQUIRE(plan_at(1000, {2}, {10, 950, 900}) == "nothing");  // only the oldest is free: not due
  REQUIRE(plan_at(1000, {2}, {950, 950, 10}) == "merge L6 3 to L6");
  REQUIRE(plan_at(1000, {3}, {10, 950, 900}) == "nothing");
}

TEST_CASE("files of RocksDB's deeper levels may be larger") {
  const auto bytes = [](const std::string& options, const std::vector<DrawnFile>& files) {
    const auto plan =
        pick("file_size=1000,file_size_multiplier=3" + options, DrawnTree(files).view());
    return std::get<MergePlan>(plan->action).cut.file_bytes;
  };
  REQUIRE(bytes("", runs({1, 1, 1, 1})) == Bytes(1000 * 243));  // level 6: 3^5
  REQUIRE(bytes("", runs({10, 10, 10}, {{3, 100}, {6, 1000}})) == Bytes(3000));
  REQUIRE(bytes("", runs({10, 10, 10}, {{2, 100}, {6, 1000}})) == Bytes(1000));
  REQUIRE(!bytes("", runs({10, 10, 10}, {{1, 100}, {6, 1000}})));  // level 0 is not cut
  REQUIRE(bytes(",levels=64", runs({1, 1, 1, 1})) == Bytes(std::uint64_t{1} << 62));
}

TEST_CASE("rocksdb-universal refuses options that contradict each other") {
  const auto named = make_policy(
      parse_spec("rocksdb-universal:min_merge_width=4,max_merge_width=3,levels=1,file_size=1M,"
                 "max_read_amp=3,file_size_multiplier=2")
          .value());
  REQUIRE(!named.has_value());
  REQUIRE(named.error().message.find("max_merge_width must be") != std::string::npos);
  REQUIRE(named.error().message.find("max_read_amp must be 0 or") != std::string::npos);
  REQUIRE(named.error().message.find("file_size_multiplier does not") != std::string::npos);
  REQUIRE(named.error().message.find("file_size does not apply") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::rocksdb_universal_test

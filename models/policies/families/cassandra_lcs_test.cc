// Picks of cassandra-lcs on hand-made trees, each with its reason.
#include <algorithm>

#include "models/policies/cassandra/leveled.h"
#include "testing/pick_on.h"
#include "testing/tree_reader.h"

namespace lsmlab::cassandra_lcs_test {
namespace {

using testing::TreeReader;

// SSTables of 100 bytes: level 1 may hold 300, level 2 900.
const char* const kSpec = "cassandra-lcs:sstable_size=100,fanout_size=3,min_sstable_size=0";

struct LcsCase {
  const char* why;
  std::string tree;
  std::string plan;
  const char* more = "";
};

void check(const std::vector<LcsCase>& cases) {
  for (const LcsCase& c : cases) {
    INFO(c.why << "\n" << c.tree);
    TreeReader reader(c.tree);
    const auto policy = testing::policy_of_text(std::string(kSpec) + c.more);
    REQUIRE(testing::plan_text(testing::pick_on(*policy, reader.tree())) == c.plan);
  }
}

// The rounds that LevelRounds packs: of level 1, 2, ...
std::uint64_t packed(const std::vector<std::uint64_t>& rounds) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) all += rounds[i] << (8 * i);
  return all;
}

// What a merge into level 2 makes of no rounds: every other level was left out once.
const std::string kInto2 = " cursor L0=" + std::to_string(packed({1, 0, 1, 1, 1, 1, 1, 1}));

TEST_CASE("A level has a high score above 1.001 times its target") {
  REQUIRE_FALSE(has_high_score(1001, 1000));
  REQUIRE(has_high_score(1002, 1000));
  REQUIRE_FALSE(has_high_score(~std::uint64_t{0} / 1001 * 1000, ~std::uint64_t{0} / 1000 * 1000));
}

TEST_CASE("cassandra-lcs pushes the next SSTable of a level above its target down") {
  const std::string first = "level-saturated merge L1:1 L2:5 -> L2 run cursor L1=45" + kInto2;
  const std::string third = "level-saturated merge L1:3 L2:5 -> L2 run cursor L1=49" + kInto2;
  const std::string alone = "level-saturated merge L1:4 -> L2 run cursor L1=69" + kInto2;
  const std::string moved = "level-saturated move L1:4 -> L2 run cursor L1=69" + kInto2;
  const std::string files = " 0-9:76 20-29:75 40-49:75 60-69:75\n2: 5-45:10";
  check({
      {"an empty tree", "", "nothing"},
      {"a score of 1 is enough room", "1: 0-9:75 20-29:75 40-49:75 60-69:75\n2: 5-45:10",
       "nothing"},
      {"301 of 300 are more than 1.001 of it", "1:" + files, first},
      {"the next SSTable begins above the last key of the last merge", "1@29:" + files, third},
      {"not at it", "1@40:" + files, alone},
      {"beyond the last the first is next", "1@60:" + files, first},
      {"one that overlaps nothing may move, if it is allowed to", "1@49:" + files, moved,
       ",single_sstable_uplevel=true"},
      {"what running merges take does not count for the score",
       "1: 0-9:76,busy 20-29:75 40-49:75 60-69:75\n2: 5-45:10", "nothing"},
      {"nor may it be taken, and the next one is",
       "1: 0-9:200 20-29:200 60-69:10\n2: 5-25:10,busy 65-66:10",
       "level-saturated merge L1:3 L2:5 -> L2 run cursor L1=69" + kInto2},
      {"the deeper level goes first", "1: 0-9:400\n2: 0-9:500 20-29:500\n3: 0-5:1",
       "level-saturated merge L2:2 L3:4 -> L3 run cursor L2=9 cursor L0=" +
           std::to_string(packed({1, 1, 0, 1, 1, 1, 1, 1}))},
  });
}

TEST_CASE("cassandra-lcs merges level 0 within itself until it is as large as an SSTable") {
  check({
      {"one SSTable stays", "0: 0-9:20", "nothing"},
      {"even if it is large, and nothing is below it", "0: 0-9:200", "nothing"},
      {"two merge among themselves", "0: 0-9:20 / 5-14:20",
       "level0-only merge L0:1 L0:2 -> L0 new"},
      {"also if they do not overlap", "0: 0-9:20 / 50-59:20",
       "level0-only merge L0:1 L0:2 -> L0 new"},
      {"together they are an SSTable, and all merge with level 1",
       "0: 0-9:50 / 30-39:50\n1: 5-6:10 15-16:10 39-45:10 50-60:10",
       "total-size merge L0:1 L0:2 L1:3,4,5 -> L1 run"},
      {"one that is large merges with what it overlaps", "0: 0-9:100\n1: 5-6:10",
       "total-size merge L0:1 L1:2 -> L1 run"},
      {"at most max_threshold, the oldest", "0: 0-9:50 / 0-9:50 / 0-9:50",
       "total-size merge L0:2 L0:3 -> L1 new", ",max_threshold=2,min_threshold=2"},
      {"beside a merge of level 0 those that overlap none of its SSTables",
       "0: 40-49:20 / 20-29:20 / 5-9:20 / 0-9:20,busy", "level0-only merge L0:1 L0:2 -> L0 new"},
      {"nor its range", "0: 40-49:20 / 20-29:20 / 60-69:20,busy / 0-9:20,busy", "nothing"},
      {"not while an overlapped SSTable of level 1 is busy",
       "0: 0-9:60 / 0-9:60\n1: 5-6:10,busy 8-9:10", "nothing"},
      {"a level above its target goes first", "0: 0-9:60 / 0-9:60\n1: 5-6:301\n2: 5-6:1",
       "level-saturated merge L1:3 L2:4 -> L2 run cursor L1=6" + kInto2},
  });
}

// Level 0 of `count` SSTables of 2 bytes that have a key range of their own each.
std::string many(int count, const std::string& last = "") {
  std::string text = "0:";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{} {}-{}:2{}", i == 0 ? "" : " /", i * 10, i * 10 + 5,
                        i + 1 == count ? last : "");
  }
  return text + "\n";
}

TEST_CASE("cassandra-lcs merges level 0 by size when it is behind") {
  const auto plan_of_level0 = [](int count, const std::string& level1, const char* more) {
    TreeReader reader(many(count) + level1);
    const auto policy = testing::policy_of_text(std::string(kSpec) + more);
    const auto plan = testing::pick_on(*policy, reader.tree());
    REQUIRE(plan);
    return std::pair(std::string(reason_name(plan->reason)), plan_inputs(*plan).size());
  };
  using Picked = std::pair<std::string, std::size_t>;
  const std::string full = "1: 0-9:301\n";
  REQUIRE(plan_of_level0(32, full, "") == Picked("level-saturated", 1));
  REQUIRE(plan_of_level0(33, full, "") == Picked("sorted-run-count", 32));
  REQUIRE(plan_of_level0(33, full, ",max_threshold=8") == Picked("sorted-run-count", 8));
  // Without a level above its target level 0 goes on as always.
  REQUIRE(plan_of_level0(33, "1: 0-9:300\n", "") == Picked("level0-only", 32));
}

TEST_CASE("A tier of level 0 merges if nothing else can beside the merge that runs") {
  // The busy SSTable overlaps all others, so none of them may merge with level 1.
  std::string text = "0: 0-400:2,busy";
  for (int i = 0; i < 32; ++i) text += fmt::format(" / {}-{}:2", i * 10, i * 10 + 5);
  TreeReader reader(text);
  const auto policy = testing::policy_of_text(kSpec);
  const auto plan = testing::pick_on(*policy, reader.tree());
  REQUIRE(plan);
  REQUIRE(plan->reason == PlanReason::kSortedRunCount);
  REQUIRE(plan_inputs(*plan).size() == 32);
  TreeReader fewer(text.substr(0, text.rfind(" /")));
  REQUIRE_FALSE(testing::pick_on(*policy, fewer.tree()));
}

TEST_CASE("A merge into level 1 takes what holds older data of its keys") {
  // SSTable 2 holds flushes 1 to 9, and the SSTables 3 and 4 were flushed between.
  const auto plan_with = [&](KeyRange keys, const std::vector<std::uint64_t>& busy) {
    TreeState tree;
    const auto add = [&](std::uint64_t id, KeyRange range, FlushSpan flushes) {
      File file;
      file.id = FileId(id);
      file.keys = range;
      file.bytes = Bytes(120);
      file.flushes = flushes;
      TreeEdit edit;
      edit.added.push_back({{0, std::nullopt}, {file}});
      REQUIRE(tree.apply(edit).has_value());
      if (std::find(busy.begin(), busy.end(), id) == busy.end()) return;
      const SortedRun& run = tree.levels()[0].runs.back();
      REQUIRE(tree.reserve({PlanReason::kStaticSchedule,
                            MovePlan{{{0, run.id, {file.id}}}, {1, std::nullopt}},
                            {}})
                  .has_value());
    };
    add(1, {0, 9}, {10, 10});
    add(2, keys, {1, 9});
    add(3, {0, 9}, {6, 6});
    add(4, {0, 9}, {5, 5});
    const auto policy =
        testing::policy_of_text(std::string(kSpec) + ",max_threshold=2,min_threshold=2");
    return testing::plan_text(testing::pick_on(*policy, tree));
  };
  REQUIRE(plan_with({5, 19}, {}) == "total-size merge L0:2 L0:3 L0:4 -> L1 new");
  REQUIRE(plan_with({10, 19}, {}) == "total-size merge L0:3 L0:4 -> L1 new");
  REQUIRE(plan_with({5, 19}, {2}) == "nothing");
}

TEST_CASE("cassandra-lcs takes an SSTable of a starved level along") {
  // Level 3 was left out 25 times, and this merge is the 26th.
  const auto tree = [](std::uint64_t rounds, const std::string& deep) {
    return fmt::format("0@{}:\n1: 10-20:400\n2: 5-12:10 18-30:10\n{}", packed({0, 9, rounds}),
                       deep);
  };
  const auto picked = [&](std::uint64_t rounds, const std::string& deep) {
    TreeReader reader(tree(rounds, deep));
    const auto policy = testing::policy_of_text(kSpec);
    return testing::plan_text(testing::pick_on(*policy, reader.tree()));
  };
  const auto after = [&](std::uint64_t rounds) {
    return " -> L2 run cursor L1=30 cursor L0=" +
           std::to_string(packed({1, 0, rounds, 1, 1, 1, 1, 1}));
  };
  const std::string merge = "level-saturated merge L1:1 L2:2,3";
  REQUIRE(picked(24, "3: 6-7:10 15-30:10") == merge + after(25));
  REQUIRE(picked(25, "3: 6-7:10 15-30:10") == merge + " L3:4" + after(26));
  // It must lie within the keys of the merge, 5 to 30, and be idle.
  REQUIRE(picked(25, "3: 1-7:10 15-31:10") == merge + after(26));
  REQUIRE(picked(25, "3: 6-7:10,busy 15-30:10") == merge + " L3:5" + after(26));
  REQUIRE(picked(255, "3: 6-7:10") == merge + " L3:4" + after(255));
  // Only the deepest level counts, and level 3 must not hold keys of what leaves level 4.
  REQUIRE(picked(25, "3: 6-7:10\n4: 6-7:10") == merge + after(26));
  const auto deeper = [&](const std::string& deep) {
    TreeReader reader(
        fmt::format("0@{}:\n1: 10-20:400\n2: 5-12:10 18-30:10\n{}", packed({0, 0, 0, 30}), deep));
    const auto policy = testing::policy_of_text(kSpec);
    const std::string text = testing::plan_text(testing::pick_on(*policy, reader.tree()));
    return text.substr(0, text.find(" ->"));
  };
  REQUIRE(deeper("3: 15-16:10\n4: 6-7:10") == merge + " L4:5");
  REQUIRE(deeper("3: 7-8:10\n4: 6-7:10") == merge);
  // A level that is pushed down into an empty one does not take itself along.
  TreeReader last(fmt::format("0@{}:\n1: 10-20:200 30-40:200", packed({30})));
  REQUIRE(testing::plan_text(testing::pick_on(*testing::policy_of_text(kSpec), last.tree())) ==
          "level-saturated merge L1:1 -> L2 new cursor L1=20 cursor L0=" +
              std::to_string(packed({31, 0, 1, 1, 1, 1, 1, 1})));
}

TEST_CASE("With nothing else to do an SSTable with many tombstones merges by itself") {
  const char* const rule = ",tombstone_threshold=20%,tombstone_compaction_interval=100";
  const auto picked = [&](const std::string& text, const std::string& more = "") {
    TreeReader reader(text);
    reader.tree().advance_now(Instant(100));
    const auto policy = testing::policy_of_text(std::string(kSpec) + rule + more);
    return testing::plan_text(testing::pick_on(*policy, reader.tree()));
  };
  // From the deepest level up, the largest share first.
  REQUIRE(picked("1: 0-9:10,n=10,t=9\n2: 20-29:10,n=10,t=3 30-39:10,n=10,t=4") ==
          "tombstone-density merge L2:3 -> L2 run cursor L2=39");
  REQUIRE(picked("1: 0-9:10,n=10,t=9\n2: 20-29:10,n=10,t=2") ==
          "tombstone-density merge L1:1 -> L1 run cursor L1=9");
  REQUIRE(picked("0: 0-9:10,n=10,t=9") == "tombstone-density merge L0:1 -> L0 run");
  // One that is too young, busy, or overlapped by others is passed over.
  REQUIRE(picked("2: 20-29:10,n=10,t=3 30-39:10,n=10,t=4,c=1") ==
          "tombstone-density merge L2:1 -> L2 run cursor L2=29");
  REQUIRE(picked("2: 20-29:10,n=10,t=3 30-39:10,n=10,t=4,busy") ==
          "tombstone-density merge L2:1 -> L2 run cursor L2=29");
  REQUIRE(picked("1: 0-5:5 6-25:5\n2: 5-9:10,n=10,t=9 20-29:10,n=10,t=4") == "nothing");
  REQUIRE(picked("1: 0-5:5 6-25:5\n2: 5-9:10,n=10,t=9 20-29:10,n=10,t=6") ==
          "tombstone-density merge L2:4 -> L2 run cursor L2=29");
  REQUIRE(picked("1: 0-5:5 6-25:5\n2: 5-9:10,n=10,t=9", ",unchecked_tombstone_compaction=true") ==
          "tombstone-density merge L2:3 -> L2 run cursor L2=9");
}

TEST_CASE("With gc_grace the SSTable with the largest share of old tombstones merges by itself") {
  // Tombstones of the writes up to 150 may go.
  const auto picked = [&](const std::string& deep) {
    TreeReader reader("0: 90-99:10,q=1,l=200\n2:" + deep);
    reader.tree().advance_now(Instant(100));
    const auto policy = testing::policy_of_text(
        std::string(kSpec) +
        ",tombstone_threshold=20%,tombstone_compaction_interval=100,gc_grace=50");
    return testing::plan_text(testing::pick_on(*policy, reader.tree()));
  };
  const std::string three_old = " 20-29:10,n=10,l=160,d=100x3+160x7";
  REQUIRE(picked(three_old + " 30-39:10,n=10,l=160,d=140x4") ==
          "tombstone-density merge L2:3 -> L2 run cursor L2=39");
  REQUIRE(picked(three_old + " 30-39:10,n=10,l=170,d=160x9") ==
          "tombstone-density merge L2:2 -> L2 run cursor L2=29");
  REQUIRE(picked(" 20-29:10,n=10,l=160,d=100x2+160x8 30-39:10,n=10,l=170,d=160x9") == "nothing");
  REQUIRE(picked(" 20-29:10,n=10,l=160,d=100x2+151x8 30-39:10,n=10,l=170,d=150x3+160x7") ==
          "tombstone-density merge L2:3 -> L2 run cursor L2=39");
}

TEST_CASE("Overlapping files of a level count one by one, or as one where they are many") {
  // A file with tombstones only that is older than the file over it: 70 files do not let it go.
  DroppableTombstones rule;
  rule.threshold = Decimal(1, 5);
  rule.interval = 1;
  for (const int count : {60, 70}) {
    std::string text = "1:";
    for (int i = 0; i < count; ++i) text += fmt::format(" {}-{}:1,q=50,l=60", i * 10, i * 10 + 3);
    TreeReader reader(text + "\n2: 0-1000:10,n=10,t=10,q=1,l=9");
    reader.tree().advance_now(Instant(100));
    const SortedRun& run = reader.tree().levels()[2].runs[0];
    REQUIRE(rule.is_worth_merging(reader.tree(), run, run.files[0]) == true);
    rule.threshold = Decimal(1, 2);
    // 60 files leave 0.76 of the keys, 70 as one leave 0.3.
    REQUIRE(rule.is_worth_merging(reader.tree(), run, run.files[0]) == (count == 60));
    rule.threshold = Decimal(1, 5);
  }
}

TEST_CASE("LevelRounds counts each level to 255") {
  TreeState tree;
  for (std::uint64_t merges = 1; merges <= 300; ++merges) {
    LevelRounds rounds(tree);
    rounds.count(merges % 2 == 0 ? 2 : 1);
    TreeEdit edit;
    edit.cursors.push_back(rounds.update());
    REQUIRE(tree.apply(edit).has_value());
    REQUIRE(LevelRounds(tree).is_starved(8) == (merges > 25));
    REQUIRE_FALSE(LevelRounds(tree).is_starved(1));
    REQUIRE_FALSE(LevelRounds(tree).is_starved(2));
  }
  REQUIRE(tree.levels()[0].cursor == packed({1, 0, 255, 255, 255, 255, 255, 255}));
}

TEST_CASE("cassandra-lcs refuses sizes and fan-outs that make no levels") {
  for (const char* text : {"sstable_size=0", "fanout_size=1", "bucket_low=1", "max_threshold=3"}) {
    CAPTURE(text);
    for (const char* family : {"cassandra-lcs:", "scylla-lcs:"}) {
      REQUIRE(!make_policy(parse_spec(std::string(family) + text).value()).has_value());
    }
  }
  LcsOptions large;
  large.sstable_size = Bytes(std::uint64_t{1} << 50);
  REQUIRE(large.capacity(8) == std::uint64_t{1} << 62);
}

}  // namespace
}  // namespace lsmlab::cassandra_lcs_test

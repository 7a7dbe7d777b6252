// Picks of rocksdb-leveled on hand-made trees. Cases with a name in quotation marks come from
// RocksDB 7.8.3's compaction_picker_test.cc. Where its keys do not rise or are not unique in a
// level, other keys replace them.
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::rocksdb_leveled_test {
namespace {

std::optional<Plan> pick(const std::string& options, const TreeState& tree) {
  return pick_of("rocksdb-leveled", options, tree);
}

void check(const std::vector<PickCase>& cases) { check_picks("rocksdb-leveled", cases); }

constexpr std::uint64_t kMillion = 1'000'000;
constexpr std::uint64_t kBillion = 1'000'000'000;
// RocksDB's own defaults, except the priority, as in its tests.
const char* const kBySize = "priority=by-compensated-size,level_base=256MiB,file_size=64MiB";

std::string by_size(const std::string& more) { return std::string(kBySize) + "," + more; }

TEST_CASE("rocksdb-leveled picks by level size, statically") {
  check({
      {"an empty tree wants nothing", kBySize, {}, {}, "nothing"},
      {"'Single': one file of two in level 0",
       by_size("l0_trigger=2"),
       {{0, 1, 1, 9}},
       {},
       "nothing"},
      {"'Level0Trigger': both overlap",
       by_size("l0_trigger=2"),
       {{0, 1, 150, 200}, {0, 2, 200, 250}},
       {},
       "merge L0 1,2 to L1"},
      {"'Level1Trigger': nothing below, so it moves",
       kBySize,
       {{1, 66, 150, 200, kBillion}},
       {},
       "move L1 66 to L2"},
      {"'Level1Trigger2': file 88 would take file 8 along",
       "priority=by-compensated-size,level_base=256MiB,file_size=10G",
       {{1, 66, 150, 200, kBillion + 1},
        {1, 88, 201, 300, kBillion},
        {2, 6, 150, 179, kBillion},
        {2, 7, 180, 220, kBillion},
        {2, 8, 221, 300, kBillion}},
       {},
       "merge L1 66 + L2 6,7 to L2"},
      {"'LevelMaxScore': level 2 has the highest score, file 7 the most bytes",
       "priority=by-compensated-size,level_base=10MiB,file_size=10M",
       {{0, 1, 150, 200, kMillion},
        {1, 66, 150, 200, 6 * kMillion},
        {1, 88, 201, 300, 6 * kMillion},
        {2, 6, 150, 179, 60 * kMillion},
        {2, 7, 180, 220, 60 * kMillion + 1},
        {2, 8, 221, 300, 60 * kMillion},
        {3, 26, 150, 170, 260 * kMillion},
        {3, 27, 171, 179, 260 * kMillion},
        {3, 28, 191, 220, 260 * kMillion},
        {3, 29, 221, 300, 260 * kMillion}},
       {},
       "merge L2 7 + L3 28 to L3"},
      {"level 0 is due by its bytes before it has four files",
       kBySize,
       {{0, 1, 150, 200, 300 * kMillion}, {1, 2, 160, 170}},
       {},
       "merge L0 1 + L1 2 to L1"},
  });
}

TEST_CASE("rocksdb-leveled compacts level 0 to the base level") {
  const std::string options =
      "priority=by-compensated-size,l0_trigger=2,level_base=200,dynamic_levels=true,file_size="
      "64MiB";
  check({
      {"'Level0TriggerDynamic': an empty tree fills from the last level",
       options,
       {{0, 1, 150, 200}, {0, 2, 200, 250}},
       {},
       "merge L0 1,2 to L6"},
      {"'Level0TriggerDynamic2'",
       options,
       {{0, 1, 150, 200}, {0, 2, 200, 250}, {6, 3, 200, 250, 300}},
       {},
       "merge L0 1,2 to L5"},
      {"'Level0TriggerDynamic3'",
       options,
       {{0, 1, 150, 200}, {0, 2, 200, 250}, {6, 3, 200, 250, 300}, {6, 4, 300, 350, 3000}},
       {},
       "merge L0 1,2 to L4"},
      {"'Level0TriggerDynamic4'",
       options,
       {{0, 1, 150, 200},
        {0, 2, 200, 250},
        {6, 3, 200, 250, 300},
        {6, 4, 300, 350, 3000},
        {4, 5, 150, 180, 3},
        {4, 6, 181, 300, 3},
        {4, 7, 400, 450, 3}},
       {},
       "merge L0 1,2 + L4 5,6 to L4"},
      {"'LevelTriggerDynamic4': file 5 overlaps nothing",
       "l0_trigger=2,level_base=200,dynamic_levels=true,file_size=64MiB",
       {{0, 1, 150, 200},
        {6, 2, 200, 250, 300},
        {6, 3, 300, 350, 3000},
        {6, 4, 400, 450, 3},
        {5, 5, 150, 180, 300},
        {5, 6, 181, 350, 500},
        {5, 7, 400, 450, 200}},
       {},
       "move L5 5 to L6"},
  });
}

TEST_CASE("from version 8.4 on rocksdb-leveled drains levels that the data does not need") {
  const std::string options = "level_base=1000,dynamic_levels=true,file_size=64MiB";
  const std::vector<DrawnFile> files{
      {1, 4, 10, 20, 10}, {3, 3, 10, 20, 100}, {5, 2, 10, 20, 200}, {6, 1, 10, 20, 2000}};
  check({
      {"no level is due by its size", options, files, {}, "nothing"},
      {"the uppermost moves down first", options + ",version=8.4", files, {}, "move L1 4 to L2"},
      {"where it is busy, the next one drains",
       options + ",version=9.6",
       files,
       {4},
       "move L3 3 to L4"},
      {"level 5 is needed",
       options + ",version=8.4",
       {{5, 2, 10, 20, 200}, {6, 1, 10, 20, 2000}},
       {},
       "nothing"},
      {"a level 0 that is due goes first, to the base level",
       options + ",version=8.4,l0_trigger=1",
       {{0, 5, 10, 20, 2000}, {1, 4, 10, 20, 10}, {6, 1, 10, 20, 2000}},
       {},
       "merge L0 5 + L1 4 to L1"},
  });
}

TEST_CASE("rocksdb-leveled prefers files with little below") {
  check({
      {"'CompactionPriMinOverlapping1': file 8 overlaps nothing",
       "level_base=10MiB,file_size=100G",
       {{2, 6, 150, 179, 50 * kMillion},
        {2, 7, 180, 220, 50 * kMillion},
        {2, 8, 321, 400, 50 * kMillion},
        {2, 9, 721, 800, 50 * kMillion},
        {3, 26, 150, 170, 260 * kMillion},
        {3, 27, 171, 179, 260 * kMillion},
        {3, 28, 191, 220, 260 * kMillion},
        {3, 29, 221, 300, 260 * kMillion},
        {3, 30, 750, 900, 260 * kMillion}},
       {},
       "move L2 8 to L3"},
      {"'CompactionPriMinOverlapping2': 520 MB under file 7, 521 MB under the others",
       "level_base=10MiB,file_size=10M",
       {{2, 6, 150, 175, 60 * kMillion},
        {2, 7, 176, 200, 60 * kMillion},
        {2, 8, 201, 300, 60 * kMillion},
        {3, 25, 100, 110, 261 * kMillion},
        {3, 26, 150, 170, 261 * kMillion},
        {3, 27, 171, 179, 260 * kMillion},
        {3, 28, 191, 220, 260 * kMillion},
        {3, 29, 221, 300, 261 * kMillion},
        {3, 30, 321, 400, 261 * kMillion}},
       {},
       "merge L2 7 + L3 27,28 to L3"},
      {"'CompactionPriMinOverlapping3': as much below as file 7, and larger itself",
       "level_base=10M,file_size=64MiB",
       {{2, 6, 150, 167, 60 * kMillion},
        {2, 7, 168, 169, 60 * kMillion},
        {2, 8, 201, 300, 61 * kMillion},
        {3, 26, 160, 165, 260 * kMillion},
        {3, 27, 166, 170, 260 * kMillion},
        {3, 28, 180, 400, 260 * kMillion},
        {3, 29, 401, 500, 260 * kMillion}},
       {},
       "merge L2 8 + L3 28 to L3"},
      {"tombstones make a file count for more (ComputeCompensatedSizes): 60 + 4 * 10 over 30 below",
       "level_base=10,file_size=1M",
       {{2, 6, 150, 159, 60, {}, 10, 10, 0},
        {2, 7, 160, 169, 60, {}, 1, 0, 10},
        {3, 26, 150, 155, 30, {}, 3, 0, 30},
        {3, 27, 160, 165, 30, {}, 3, 0, 30}},
       {},
       "merge L2 6 + L3 26 to L3"},
  });
}

TEST_CASE("rocksdb-leveled takes the file with the oldest writes first") {
  const std::vector<DrawnFile> files{{1, 1, 10, 19, 100, {5, 40}},
                                     {1, 2, 20, 29, 100, {9, 20}},
                                     {2, 3, 10, 11, 1},
                                     {2, 4, 20, 21, 1}};
  check({
      {"its newest write is 20",
       "priority=oldest-largest-seq-first,level_base=150,file_size=1M",
       files,
       {},
       "merge L1 2 + L2 4 to L2"},
      {"its oldest write is 5",
       "priority=oldest-smallest-seq-first,level_base=150,file_size=1M",
       files,
       {},
       "merge L1 1 + L2 3 to L2"},
  });
}

TEST_CASE("files that a bottommost merge wrote are the oldest for rocksdb-leveled") {
  const auto drawn = [](Zeroed zeroed) {
    DrawnFile last{1, 2, 20, 29, 100, {9, 50}};
    last.zeroed = zeroed;
    return std::vector<DrawnFile>{
        {1, 1, 10, 19, 100, {5, 40}}, last, {2, 3, 10, 11, 1}, {2, 4, 20, 21, 1}};
  };
  const std::string newest = "priority=oldest-largest-seq-first,level_base=150,file_size=1M";
  const std::string oldest = "priority=oldest-smallest-seq-first,level_base=150,file_size=1M";
  check({
      {"its newest write is 40", newest, drawn(Zeroed::kNone), {}, "merge L1 1 + L2 3 to L2"},
      {"an entry keeps its number", newest, drawn(Zeroed::kSome), {}, "merge L1 1 + L2 3 to L2"},
      {"all numbers are 0", newest, drawn(Zeroed::kAll), {}, "merge L1 2 + L2 4 to L2"},
      {"a number is 0", oldest, drawn(Zeroed::kSome), {}, "merge L1 2 + L2 4 to L2"},
  });
}

TEST_CASE("rocksdb-leveled zeroes sequence numbers where nothing older lies below the output") {
  const auto zeroes = [](const std::string& priority, const DrawnFile& below) {
    const DrawnTree tree({{1, 1, 10, 19, 200, {5, 40}}, {2, 2, 15, 25, 10, {1, 2}}, below});
    const auto plan = pick("level_base=150,file_size=1M,priority=" + priority, tree.view());
    return std::get<MergePlan>(plan.value().action).zeroes_sequences;
  };
  const DrawnFile beside{3, 3, 26, 30, 10};
  const DrawnFile under{3, 3, 25, 30, 10};
  for (const char* const priority : {"oldest-largest-seq-first", "oldest-smallest-seq-first"}) {
    REQUIRE(zeroes(priority, beside));
    REQUIRE(!zeroes(priority, under));
  }
  REQUIRE(!zeroes("min-overlapping-ratio", beside));  // which looks at no number
}

struct RoundRobinCase {
  std::string reason;
  std::optional<std::uint64_t> cursor;
  std::string max_compaction_bytes;
  std::string expected;
  std::uint64_t next_cursor;
};

TEST_CASE("rocksdb-leveled goes round a level by its cursor") {
  const std::vector<DrawnFile> files{
      {2, 6, 150, 199, 500},  {2, 7, 200, 249, 500},  {2, 8, 300, 600, 500},
      {2, 9, 700, 800, 500},  {2, 10, 850, 950, 500}, {3, 26, 130, 165, 600},
      {3, 27, 166, 170, 600}, {3, 28, 270, 340, 600}, {3, 29, 401, 500, 600},
      {3, 30, 601, 800, 600}, {3, 31, 830, 890, 600}};
  const std::vector<RoundRobinCase> cases{
      {"'CompactionPriMultipleFilesRoundRobin1': 1300 bytes are to go", 199, "100M",
       "merge L2 7,8,9 + L3 28,29,30 to L3", 850},
      {"'CompactionPriMultipleFilesRoundRobin2': past the end, from the first; a third file would "
       "pass the limit",
       1000, "2500", "merge L2 6,7 + L3 26,27 to L3", 300},
      {"'CompactionPriMultipleFilesRoundRobin3': the level ends", 700, "1M",
       "merge L2 9,10 + L3 30,31 to L3", 150},
      {"no cursor: from the first", std::nullopt, "2500", "merge L2 6,7 + L3 26,27 to L3", 300},
  };
  for (const RoundRobinCase& c : cases) {
    DrawnTree tree(files);
    if (c.cursor) tree.set_cursor(2, *c.cursor);
    const auto plan =
        pick("priority=round-robin,level_base=120,file_size=1M,max_compaction_bytes=" +
                 c.max_compaction_bytes,
             tree.view());
    INFO(c.reason);
    REQUIRE(plan_text(plan) == c.expected);
    REQUIRE(plan->cursors.size() == 1);
    REQUIRE(plan->cursors[0].level == 2);
    REQUIRE(plan->cursors[0].key == c.next_cursor);
  }
}

TEST_CASE("round robin takes the oldest file of level 0, though none overlap") {
  check({{"file 3 is the oldest",
          "priority=round-robin,l0_trigger=3,level_base=10M,file_size=1M",
          {{0, 1, 10, 19, 9, {7, 9}}, {0, 2, 20, 29, 9, {4, 6}}, {0, 3, 30, 39, 9, {1, 3}}},
          {},
          "move L0 3 to L1"}});
}

TEST_CASE("round robin waits for the file whose turn it is, and splits at the cursor below") {
  const std::vector<DrawnFile> files{
      {1, 1, 10, 19, 100}, {1, 2, 20, 29, 100}, {2, 3, 10, 18, 1}, {2, 4, 20, 28, 1}};
  const std::string options = "priority=round-robin,level_base=150,file_size=1M";
  DrawnTree tree(files);
  tree.set_cursor(2, 15);
  const auto plan = pick(options, tree.view());
  REQUIRE(plan_text(plan) == "merge L1 1 + L2 3 to L2");
  REQUIRE(std::get<MergePlan>(plan->action).cut.split_key == 15);
  tree.set_busy(1);
  tree.set_busy(3);
  REQUIRE(plan_text(pick("priority=round-robin,level_base=50,file_size=1M", tree.view())) ==
          "nothing");
}

TEST_CASE("rocksdb-leveled cuts outputs by target size and grandparents") {
  const std::vector<DrawnFile> files{{1, 1, 10, 19, 100}, {2, 2, 10, 18, 1}};
  const auto cut = [&](const std::string& options) {
    return std::get<MergePlan>(pick(options, DrawnTree(files).view())->action).cut;
  };
  const OutputCut dynamic = cut("level_base=50,file_size=1M");
  REQUIRE(dynamic.file_bytes == Bytes(kMillion));
  REQUIRE(dynamic.measure == CutMeasure::kStoredBlocks);
  REQUIRE(dynamic.grandparents == GrandparentRule::kDynamicFileSize);
  REQUIRE(dynamic.grandparent_bytes_max == Bytes(25 * kMillion));
  REQUIRE(cut("level_base=50,file_size=1M,dynamic_file_size=false").grandparents ==
          GrandparentRule::kCompactionLimit);
  REQUIRE(cut("level_base=50,file_size=1M,version=9.0").grandparents ==
          GrandparentRule::kDynamicFileSize);
  for (const char* old : {"version=6.12", "version=7.4"}) {
    INFO(old);
    const std::string options = std::string("level_base=50,file_size=1M,") + old;
    REQUIRE(cut(options).grandparents == GrandparentRule::kCompactionLimit);
    REQUIRE(cut(options + ",dynamic_file_size=true").grandparents ==
            GrandparentRule::kDynamicFileSize);
  }
  // RocksDB has not looked up grandparents of files that it meant to move.
  const auto plan = pick(
      "l0_trigger=2,level_base=10M,max_compaction_bytes=5000,file_size=64MiB",
      DrawnTree(
          {{0, 1, 15, 29, 3000}, {0, 2, 10, 19, 3000}, {1, 3, 50, 59, 10}, {2, 4, 10, 12, 3000}})
          .view());
  REQUIRE(std::get<MergePlan>(plan->action).cut.grandparents == GrandparentRule::kIgnored);
}

TEST_CASE("policies on top of rocksdb-leveled cut outputs as their version does") {
  const DrawnTree tree({{1, 1, 10, 19, 100}, {2, 2, 10, 18, 1}});
  const auto rule = [&](const std::string& family, const std::string& more) {
    const auto plan = pick_of(family, "level_base=50,file_size=1M" + more, tree.view());
    return std::get<MergePlan>(plan->action).cut.grandparents;
  };
  REQUIRE(rule("silk", "") == GrandparentRule::kCompactionLimit);
  REQUIRE(rule("silk", ",version=7.8") == GrandparentRule::kDynamicFileSize);
  const std::string by_size = ",size_trigger=kept";
  REQUIRE(rule("delete-aware", by_size) == GrandparentRule::kDynamicFileSize);
  REQUIRE(rule("delete-aware", by_size + ",version=7.4") == GrandparentRule::kCompactionLimit);
}

TEST_CASE("rocksdb-leveled flushes first and refuses what is out of range") {
  DrawnTree tree({});
  tree.state().begin_flush({Bytes(1), Entries(1), {0, 9}});
  REQUIRE(plan_text(pick("", tree.view())) == "flush");
  const auto fault = [](const std::string& options) {
    const auto named = make_policy(parse_spec("rocksdb-leveled:" + options).value());
    return named ? "" : named.error().message;
  };
  REQUIRE(fault("priority=fifo").find("priority") != std::string::npos);
  REQUIRE(fault("levels=1").find("levels") != std::string::npos);
  REQUIRE(fault("ttl=0").find("ttl") != std::string::npos);
}

TEST_CASE("options of the store that have no effect on a policy are refused") {
  const auto error = [](const char* text) {
    const auto made = make_policy(parse_spec(text).value());
    return made ? std::string() : made.error().message;
  };
  REQUIRE(error("rocksdb-leveled:pre_remove=blocks,range_bytes=64KiB").empty());
  REQUIRE(error("rocksdb-leveled:range_bytes=4KiB").empty());
  REQUIRE(error("rocksdb-leveled:range_bytes=64KiB").find("only pre_remove=blocks") !=
          std::string::npos);
  REQUIRE(error("rocksdb-leveled:pre_remove=blocks,table_format=rocksdb").find("table_format") !=
          std::string::npos);
  REQUIRE(error("rocksdb-leveled:filter_split=autotune").empty());
  REQUIRE(error("tiered:filter_split=autotune").find("capacities") != std::string::npos);
}

TEST_CASE("rocksdb-leveled counts the levels of file_size_multiplier from its base level") {
  const auto bytes = [](const std::string& options, const std::vector<DrawnFile>& files) {
    const auto plan = pick_of("rocksdb-leveled", "file_size=10,file_size_multiplier=2," + options,
                              DrawnTree(files).view());
    return std::get<MergePlan>(plan->action).cut.file_bytes;
  };
  const std::vector<DrawnFile> upper{{1, 1, 10, 90, 500}, {2, 2, 10, 90, 1}};
  REQUIRE(bytes("level_base=100", upper) == Bytes(20));
  const std::vector<DrawnFile> lower{{3, 1, 10, 90, 500000}, {4, 2, 10, 90, 1}};
  REQUIRE(bytes("level_base=100", lower) == Bytes(80));
  // The last level is 1000 bytes: level 5 is the base level of 100.
  const std::vector<DrawnFile> dynamic{{5, 1, 10, 90, 500}, {6, 2, 10, 90, 1000}};
  REQUIRE(bytes("level_base=100,dynamic_levels=true", dynamic) == Bytes(10));
  // 10,000 bytes: level 4 is the base level, and the merge goes to the second level below it.
  const std::vector<DrawnFile> deep{{5, 1, 10, 90, 5000}, {6, 2, 10, 90, 10000}};
  REQUIRE(bytes("level_base=100,dynamic_levels=true", deep) == Bytes(20));
}

}  // namespace
}  // namespace lsmlab::rocksdb_leveled_test

// Picks of rocksdb-leveled on hand-made trees: moves, growth, busy files, merges within level 0.
// Cases with a name in quotation marks come from RocksDB 7.8.3's compaction_picker_test.cc.
#include "models/policies/rocksdb/leveled_picker.h"

#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::leveled_picker_test {
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

TEST_CASE("rocksdb-leveled moves files that nothing below overlaps") {
  const std::string two = "level_base=1000,file_size=64MiB,max_compaction_bytes=10000001";
  const std::vector<DrawnFile> eight{
      {2, 1, 100, 150, 3000}, {2, 2, 151, 200, 3001}, {2, 3, 301, 350, 3000},
      {2, 4, 400, 451, 3000}, {2, 5, 500, 551, 3000}, {2, 6, 600, 651, 3000},
      {2, 7, 700, 751, 3000}, {2, 8, 851, 900, 3000}, {3, 15, 120, 130, 700},
      {3, 16, 170, 180, 700}, {3, 17, 220, 230, 700}, {3, 18, 870, 880, 700}};
  check({
      {"'IsTrivialMoveOn': 3001 bytes over 7000 of grandparents are just in the limit",
       "priority=by-compensated-size,level_base=10000,max_compaction_bytes=10001",
       {{1, 1, 100, 150, 3000},
        {1, 2, 151, 200, 3001},
        {1, 3, 201, 250, 3000},
        {1, 4, 251, 300, 3000},
        {3, 5, 120, 130, 7000},
        {3, 6, 170, 180, 7000},
        {3, 7, 220, 230, 7000},
        {3, 8, 270, 280, 7000}},
       {},
       "move L1 2,3,4 to L2"},
      {"'IsTrivialMoveOff': the file alone passes the limit",
       "priority=by-compensated-size,level_base=1M,max_compaction_bytes=10000",
       {{1, 1, 100, 149, 300000},
        {1, 2, 150, 199, 300000},
        {1, 3, 200, 249, 300000},
        {1, 4, 250, 300, 300000},
        {3, 5, 120, 130, 6000},
        {3, 6, 140, 150, 6000}},
       {},
       "merge L1 1 to L2"},
      {"'TrivialMoveMultipleFiles1': four at most", two, eight, {}, "move L2 3,4,5,6 to L3"},
      {"'TrivialMoveMultipleFiles6': up to a busy file", two, eight, {5}, "move L2 3,4 to L3"},
      {"'TrivialMoveMultipleFiles2': file 4 overlaps",
       two,
       {{2, 1, 100, 150, 3000},
        {2, 2, 151, 160, 3001},
        {2, 3, 161, 179, 3000},
        {2, 4, 220, 400, 3000},
        {2, 5, 500, 551, 3000},
        {3, 15, 120, 130, 700},
        {3, 17, 220, 230, 700}},
       {},
       "move L2 2,3 to L3"},
      {"'TrivialMoveMultipleFiles3': there is a file below between 2 and 5",
       two,
       {{2, 1, 100, 150, 3000},
        {2, 2, 151, 160, 3001},
        {2, 5, 500, 551, 3000},
        {2, 6, 600, 651, 3000},
        {3, 15, 120, 130, 700},
        {3, 17, 220, 230, 700}},
       {},
       "move L2 2 to L3"},
  });
}

TEST_CASE("rocksdb-leveled moves the oldest files of level 0") {
  const std::string options =
      "priority=by-compensated-size,level_base=10M,max_compaction_bytes=10M,file_size=64MiB";
  const std::vector<DrawnFile> level1{{1, 5, 120, 130, 7000},
                                      {1, 6, 170, 180, 7000},
                                      {1, 7, 220, 230, 7000},
                                      {1, 8, 270, 280, 7000}};
  const auto with = [&](std::vector<DrawnFile> files) {
    files.insert(files.end(), level1.begin(), level1.end());
    return files;
  };
  check({
      {"'L0TrivialMove1': file 2 would span file 6",
       options,
       with({{0, 1, 100, 150, 3000},
             {0, 2, 151, 200, 3001},
             {0, 3, 301, 350, 3000},
             {0, 4, 400, 451, 3000}}),
       {},
       "move L0 3,4 to L1"},
      {"'L0TrivialMoveOneFile'",
       options,
       with({{0, 1, 100, 150, 3000},
             {0, 2, 551, 600, 3001},
             {0, 3, 101, 150, 3000},
             {0, 4, 400, 451, 3000}}),
       {},
       "move L0 4 to L1"},
      {"'L0TrivialMoveWholeL0'",
       options,
       {{0, 1, 300, 350, 3000},
        {0, 2, 600, 651, 3001},
        {0, 3, 501, 550, 3000},
        {0, 4, 400, 451, 3000},
        {1, 5, 120, 130, 7000},
        {1, 6, 970, 980, 7000}},
       {},
       "move L0 1,2,3,4 to L1"},
      {"into an empty level, where no two files overlap: the smallest key first",
       "l0_trigger=2,level_base=10M,file_size=64MiB",
       {{0, 1, 20, 29, 3000}, {0, 2, 10, 19, 3000}},
       {},
       "move L0 2 to L1"},
      {"and older files with it",
       "l0_trigger=2,level_base=10M,file_size=64MiB",
       {{0, 1, 10, 19, 3000}, {0, 2, 20, 29, 3000}},
       {},
       "move L0 1,2 to L1"},
      {"picked to be moved, and rewritten because of the grandparents",
       "l0_trigger=2,level_base=10M,max_compaction_bytes=5000,file_size=64MiB",
       {{0, 1, 15, 29, 3000}, {0, 2, 10, 19, 3000}, {1, 3, 50, 59, 10}, {2, 4, 10, 12, 3000}},
       {},
       "merge L0 2 to L1"},
  });
}

TEST_CASE("rocksdb-leveled takes more of a level where that adds nothing below") {
  check({
      {"'MaxCompactionBytesNotHit', unlimited as by default: all overlap the one file below",
       "priority=by-compensated-size,level_base=800000,max_compaction_bytes=1M",
       {{1, 1, 100, 150, 300000},
        {1, 2, 151, 200, 300001},
        {1, 3, 201, 250, 300000},
        {1, 4, 251, 300, 300000},
        {2, 5, 0, 251, 1}},
       {},
       "merge L1 1,2,3,4 + L2 5 to L2"},
      {"file 3 overlaps file 6; file 1 lies within file 5",
       "priority=by-compensated-size,level_base=800000",
       {{1, 1, 100, 150, 300000},
        {1, 2, 151, 200, 300001},
        {1, 3, 240, 260, 300000},
        {2, 5, 90, 250, 1},
        {2, 6, 251, 300, 1}},
       {},
       "merge L1 1,2 + L2 5 to L2"},
  });
}

TEST_CASE("rocksdb-leveled passes over what is busy") {
  const std::vector<DrawnFile> level0{{0, 1, 0, 400, 1},         {0, 2, 1, 400, 1},
                                      {0, 3, 1, 400, kBillion},  {0, 31, 1, 400, kBillion},
                                      {0, 32, 1, 400, kBillion}, {0, 33, 1, 400, kBillion},
                                      {1, 4, 50, 300, kBillion}, {1, 5, 301, 350, kBillion},
                                      {2, 6, 50, 100, 1},        {2, 7, 300, 400, 1}};
  std::vector<DrawnFile> large_level1 = level0;
  large_level1.push_back({1, 51, 351, 400, 6 * kBillion});
  const std::string options =
      "priority=by-compensated-size,l0_trigger=2,level_base=900M,file_size=64MiB";
  check({
      {"'NotScheduleL1IfL0WithHigherPri1': level 0 is blocked, so the base level waits",
       options,
       level0,
       {4},
       "nothing"},
      {"'NotScheduleL1IfL0WithHigherPri2'",
       options,
       level0,
       {},
       "merge L0 1,2,3,31,32,33 + L1 4,5 to L1"},
      {"'NotScheduleL1IfL0WithHigherPri3': level 1 has the higher score",
       options,
       large_level1,
       {4},
       "merge L1 5,51 + L2 7 to L2"},
      {"two compactions from level 0 do not run at once",
       "l0_trigger=2,level_base=256MiB,file_size=64MiB",
       {{0, 1, 50, 60}, {0, 2, 50, 60}, {0, 3, 10, 20}, {0, 4, 10, 20}},
       {3, 4},
       "nothing"},
      {"files that came between the inputs of a running compaction wait for it: 2 and 4 are busy, "
       "and nothing below lies between them",
       "level_base=100,file_size=64MiB",
       {{1, 2, 10, 19, 90}, {1, 3, 20, 29, 150}, {1, 4, 30, 39, 90}},
       {2, 4},
       "nothing"},
      {"so do not files with something idle below between them",
       "level_base=100,file_size=64MiB",
       {{1, 2, 10, 19, 90}, {1, 3, 20, 29, 150}, {1, 4, 30, 39, 90}, {2, 5, 21, 22, 1}},
       {2, 4},
       "merge L1 3 + L2 5 to L2"},
  });
}

TEST_CASE("'CacheNextCompactionIndex': one pick after another finds the next free file") {
  DrawnTree tree({{1, 1, 100, 149, 1000 * kMillion},
                  {1, 2, 150, 199, 900 * kMillion},
                  {1, 3, 200, 249, 800 * kMillion},
                  {1, 4, 250, 299, 700 * kMillion},
                  {2, 5, 150, 199, 100},
                  {2, 6, 200, 240, 1},
                  {2, 7, 260, 270, 1}});
  tree.set_busy(1);
  tree.set_busy(5);
  for (const char* expected : {"merge L1 3 + L2 6 to L2", "merge L1 4 + L2 7 to L2"}) {
    const auto plan = pick(by_size("max_compaction_bytes=100G"), tree.view());
    REQUIRE(plan_text(plan) == expected);
    REQUIRE(tree.state().reserve(*plan).has_value());
  }
  REQUIRE(plan_text(pick(by_size("max_compaction_bytes=100G"), tree.view())) == "nothing");
}

TEST_CASE("rocksdb-leveled merges within level 0 where the way down is blocked") {
  const std::vector<DrawnFile> files{{0, 1, 100, 150, 200000}, {0, 2, 151, 200, 200000},
                                     {0, 3, 201, 250, 200000}, {0, 4, 251, 300, 200000},
                                     {0, 5, 301, 350, 200000}, {1, 6, 100, 350, 200000}};
  check({
      {"'IntraL0MaxCompactionBytesNotHit'",
       by_size("l0_trigger=3,max_compaction_bytes=1M"),
       files,
       {6},
       "merge L0 1,2,3,4,5 to L0"},
      {"'IntraL0MaxCompactionBytesHit'",
       by_size("l0_trigger=3,max_compaction_bytes=999999"),
       files,
       {6},
       "merge L0 1,2,3,4 to L0"},
      {"less than two files more than the trigger", by_size("l0_trigger=4"), files, {6}, "nothing"},
      {"file 4 would make each file saved dearer",
       by_size("l0_trigger=2"),
       {{0, 1, 1, 9, 10}, {0, 2, 1, 9, 10}, {0, 3, 1, 9, 10}, {0, 4, 1, 9, 900}, {1, 6, 1, 9}},
       {6},
       "nothing"},
      {"up to a busy file of level 0",
       by_size("l0_trigger=3"),
       {{0, 2, 301, 350},
        {0, 3, 251, 300},
        {0, 4, 201, 250},
        {0, 5, 151, 200},
        {0, 6, 100, 150},
        {0, 7, 100, 100},
        {1, 1, 100, 350, 200000}},
       {7, 1},
       "merge L0 2,3,4,5,6 to L0"},
  });
  DrawnTree tree(files);
  tree.set_busy(6);
  const auto plan = pick(by_size("l0_trigger=3"), tree.view());
  const auto& merge = std::get<MergePlan>(plan->action);
  REQUIRE(plan->reason == PlanReason::kLevel0Only);
  REQUIRE(!merge.cut.file_bytes);    // one file
  REQUIRE(!merge.drops_tombstones);  // level 1 is not empty
}

TEST_CASE("from version 9.0 on a small level 0 merges with itself") {
  const auto files = [](std::uint64_t base_bytes) {
    return std::vector<DrawnFile>{{0, 1, 10, 90, 10},
                                  {0, 2, 10, 90, 10},
                                  {0, 3, 10, 90, 10},
                                  {0, 4, 10, 90, 10},
                                  {1, 5, 10, 90, base_bytes}};
  };
  // 20 bytes in level 0, or 420 with its tombstones.
  const std::vector<DrawnFile> surplus{{0, 1, 10, 90, 10, {}, 10, 10, 0},
                                       {0, 2, 10, 90, 10, {}, 10, 10, 0},
                                       {1, 3, 10, 90, 600, {}, 60, 0, 600}};
  const std::string base = "level_base=10000,file_size=64MiB";
  check({
      {"level 1 is more than 20 times as large",
       base + ",version=9.6",
       files(801),
       {},
       "merge L0 1,2,3,4 to L0"},
      {"just 20 times", base + ",version=9.6", files(800), {}, "merge L0 1,2,3,4 + L1 5 to L1"},
      {"twice the size ratio counts if that is more",
       base + ",version=9.6,size_ratio=20",
       files(1600),
       {},
       "merge L0 1,2,3,4 + L1 5 to L1"},
      {"10 times up to version 9.5",
       base + ",version=9.0",
       files(401),
       {},
       "merge L0 1,2,3,4 to L0"},
      {"just 10 times", base + ",version=9.0", files(400), {}, "merge L0 1,2,3,4 + L1 5 to L1"},
      {"the size ratio counts if that is more",
       base + ",version=9.0,size_ratio=20",
       files(800),
       {},
       "merge L0 1,2,3,4 + L1 5 to L1"},
      {"tombstones make level 0 larger: 10 bytes, and 10 tombstones of 10 * 2 bytes",
       base + ",version=9.6,l0_trigger=2",
       surplus,
       {},
       "merge L0 1,2 + L1 3 to L1"},
      {"not up to version 9.5",
       base + ",version=9.0,l0_trigger=2",
       surplus,
       {},
       "merge L0 1,2 to L0"},
      {"older versions do not",
       base + ",version=7.8",
       files(8001),
       {},
       "merge L0 1,2,3,4 + L1 5 to L1"},
      {"the newest files up to a busy one",
       base + ",version=9.6,l0_trigger=2",
       files(801),
       {4},
       "merge L0 1,2,3 to L0"},
      {"too few of them", base + ",version=9.6,l0_trigger=3", files(801), {3}, "nothing"},
      {"files that overlap nothing move first",
       base + ",version=9.6,l0_trigger=2",
       {{0, 1, 10, 90, 10}, {0, 2, 110, 190, 10}, {1, 3, 10, 90, 801}},
       {},
       "move L0 2 to L1"},
  });
}

TEST_CASE("before version 7.5 a move takes one file") {
  const std::string options =
      "priority=by-compensated-size,level_base=1000,file_size=64MiB,version=7.4";
  const std::vector<DrawnFile> level2{
      {2, 1, 100, 150, 9000}, {2, 2, 151, 200, 3000}, {2, 3, 301, 350, 3000}, {3, 4, 900, 950, 10}};
  check({
      {"from a level", options, level2, {}, "move L2 1 to L3"},
      {"from level 0: all that overlap join it, and none stays where it is",
       options + ",l0_trigger=2",
       {{0, 1, 10, 90, 10}, {0, 2, 110, 190, 10}, {1, 3, 10, 90, 100}},
       {},
       "merge L0 1 + L1 3 to L1"},
  });
}

TEST_CASE("from version 8.4 on a move takes neighbours on both sides, and one file of level 0") {
  const std::string options = "priority=by-compensated-size,level_base=1000,file_size=64MiB";
  const std::vector<DrawnFile> level2{
      {2, 1, 100, 150, 3000}, {2, 2, 151, 200, 9000}, {2, 3, 301, 350, 3000}, {3, 4, 900, 950, 10}};
  const std::vector<DrawnFile> disjoint{{0, 1, 10, 90, 10}, {0, 2, 110, 190, 10}};
  const std::vector<DrawnFile> above{{0, 1, 10, 20, 99}, {0, 2, 30, 40, 10}, {0, 3, 35, 50, 10}};
  check({
      {"up to 8.3 successors only", options, level2, {}, "move L2 2,3 to L3"},
      {"both sides", options + ",version=8.4", level2, {}, "move L2 1,2,3 to L3"},
      {"a busy neighbour ends it", options + ",version=8.4", level2, {1}, "move L2 2,3 to L3"},
      {"so does the limit, which the right side uses up",
       options + ",version=8.4,max_compaction_bytes=12000",
       level2,
       {},
       "move L2 2,3 to L3"},
      {"and a file below",
       options + ",version=8.4",
       {{2, 1, 100, 150, 3000}, {2, 2, 151, 200, 9000}, {3, 4, 120, 130, 10}},
       {},
       "move L2 2 to L3"},
      {"level 0, up to 8.3", options + ",l0_trigger=2", disjoint, {}, "move L0 1,2 to L1"},
      {"one file of it", options + ",l0_trigger=2,version=8.4", disjoint, {}, "move L0 1 to L1"},
      {"others overlap: a merge up to 8.3",
       options + ",l0_trigger=3",
       above,
       {},
       "merge L0 1,2,3 to L1"},
      {"but not the one that moves",
       options + ",l0_trigger=3,version=8.4",
       above,
       {},
       "move L0 1 to L1"},
  });
  DrawnTree in_turn(level2);
  in_turn.set_cursor(2, 151);
  const auto plan =
      pick("priority=round-robin,level_base=1000,file_size=64MiB,version=8.4", in_turn.view());
  REQUIRE(plan_text(plan) == "move L2 2,3 to L3");
}

TEST_CASE("max_compaction_bytes limits inputs that grow by the version") {
  const std::string options = "priority=by-compensated-size,level_base=150,file_size=64MiB";
  const std::vector<DrawnFile> files{{1, 1, 10, 19, 100}, {1, 2, 20, 29, 100}, {2, 3, 10, 29, 100}};
  const auto at = [&](const std::string& more) { return options + "," + more; };
  const std::string both = "merge L1 1,2 + L2 3 to L2";
  const std::string one = "merge L1 1 + L2 3 to L2";
  check({
      {"7.4: 300 bytes are too many", at("version=7.4,max_compaction_bytes=300"), files, {}, one},
      {"below the limit", at("version=7.4,max_compaction_bytes=301"), files, {}, both},
      {"no limit in 7.8", at("max_compaction_bytes=1"), files, {}, both},
      {"nor in 9.1", at("version=9.0,max_compaction_bytes=1"), files, {}, both},
      {"twice the bytes from 9.2 on", at("version=9.2,max_compaction_bytes=150"), files, {}, one},
      {"below that", at("version=9.2,max_compaction_bytes=151"), files, {}, both},
  });
}

TEST_CASE("with a codec for each level one file is taken at a time") {
  const std::string base = "priority=by-compensated-size,level_base=1000,file_size=64MiB";
  const std::vector<DrawnFile> level2{
      {2, 1, 100, 150, 9000}, {2, 2, 151, 200, 3000}, {2, 3, 301, 350, 3000}, {3, 4, 900, 950, 10}};
  const std::string lists[] = {",compression=none:none:lz4@0.5",
                               ",compression=none:none:none:lz4@0.5"};
  check({
      {"one codec: four files move",
       base + ",compression=lz4@0.5",
       level2,
       {},
       "move L2 1,2,3 to L3"},
      {"one codec, whose shares a store's files show for each level: four files move",
       base + ",compression=lz4@0.6:lz4@0.55:lz4@0.5",
       level2,
       {},
       "move L2 1,2,3 to L3"},
      {"the codec of the level below differs: a merge of one file",
       base + lists[1],
       level2,
       {},
       "merge L2 1 to L3"},
      {"the codecs are equal: a move of one file", base + lists[0], level2, {}, "move L2 1 to L3"},
  });
}

}  // namespace
}  // namespace lsmlab::leveled_picker_test

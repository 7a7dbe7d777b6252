// x-engine: picks on hand-made trees, each with its reason; and what layers cost, in closed form.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/sized_store.h"

namespace lsmlab::x_engine_test {
namespace {

// Extents of 10 bytes, and these triggers.
std::string small_of(std::uint64_t extents0, std::uint64_t layers, std::uint64_t extents1) {
  return fmt::format(
      "file_size=10,level0_file_num_compaction_trigger={},level0_layer_num_compaction_trigger={},"
      "level1_extents_major_compaction_trigger={},level_compaction_dynamic_level_bytes=false,"
      "compaction_task_extents_limit=3",
      extents0, layers, extents1);
}
const std::string kSmall = small_of(3, 3, 4);

std::vector<DrawnFile> row(std::uint32_t level, std::uint64_t id, std::uint64_t count,
                           std::uint64_t first = 0, std::uint64_t step = 10) {
  std::vector<DrawnFile> files;
  for (std::uint64_t i = 0; i < count; ++i) {
    files.push_back({level, id + i, first + i * step, first + i * step + 9, 10});
  }
  return files;
}
std::vector<DrawnFile> both(std::vector<DrawnFile> files, const std::vector<DrawnFile>& more) {
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

TEST_CASE("x-engine merges the oldest layers within level 0 or into level 1") {
  check_picks(
      "x-engine",
      {
          {"as many as the triggers", kSmall, row(0, 1, 3), {}, "nothing"},
          {"equal priorities: within level 0",
           kSmall,
           {{0, 1, 0, 9}, {0, 2, 0, 9}, {0, 3, 0, 9}, {0, 4, 0, 9}},
           {},
           "merge L0 1,2,3,4 to L0"},
          {"more extents than their trigger: into level 1, with what overlaps there",
           small_of(3, 4, 4),
           {{0, 1, 0, 9}, {0, 2, 0, 9}, {0, 3, 0, 9}, {0, 4, 5, 14}, {1, 5, 0, 3}, {1, 6, 15, 20}},
           {},
           "merge L0 1,2,3,4 + L1 5 to L1"},
          {"fewer extents than the layers' trigger: none of them",
           small_of(3, 5, 4),
           {{0, 1, 0, 9}, {0, 2, 0, 9}, {0, 3, 0, 9}, {0, 4, 0, 9}},
           {},
           "nothing"},
          {"extents that overlap nothing are for a move",
           small_of(3, 4, 4),
           {{0, 1, 0, 9}, {0, 2, 0, 9}, {0, 3, 50, 59}, {0, 4, 10, 14}, {1, 5, 15, 20}},
           {},
           "merge L0 1,2 to L1"},
          {"which is all of it where nothing overlaps",
           small_of(3, 4, 4),
           both(row(0, 1, 4), {{1, 5, 45, 50}}),
           {},
           "move L0 1,2,3,4 to L1"},
          {"also within level 0, into the oldest",
           small_of(99, 3, 4),
           row(0, 1, 4),
           {},
           "move L0 1,2,3 to L0"},
          {"16 layers within level 0",
           small_of(99, 3, 4),
           row(0, 1, 17, 0, 1),
           {},
           "merge L0 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 to L0"},
          {"15 into level 1",
           small_of(3, 16, 4),
           row(0, 1, 17, 0, 1),
           {},
           "merge L0 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 to L1"},
          {"one task at a time", kSmall, row(0, 1, 4, 0, 0), {4}, "nothing"},
      });
}

TEST_CASE("x-engine merges level 1 from 40 % on into level 2, and all there between its ends") {
  check_picks(
      "x-engine",
      {
          {"at the trigger", kSmall, row(1, 1, 4), {}, "nothing"},
          {"an empty level 2: the extents overlap nothing, and few leave: they move",
           kSmall,
           row(1, 1, 5),
           {},
           "move L1 2,3,4,5 to L2"},  // 2 of 5 are 40 %, of which the second goes, too
          {"a larger level 2 takes priority away",
           kSmall,
           both(row(1, 1, 5), row(2, 10, 13, 1000)),
           {},
           "nothing"},  // 5 / 4 - 13 / 5 / 10 = 0.99
          {"just not enough",
           kSmall,
           both(row(1, 1, 5), row(2, 10, 12, 1000)),
           {},
           "move L1 2,3,4,5 to L2"},
          {"overlaps merge, the rest waits for a move",
           kSmall,
           both(row(1, 1, 5), {{2, 6, 25, 26}, {2, 7, 5, 6}}),
           {},
           "merge L1 3 + L2 6 to L2"},
          {"as few extents as level 0's trigger count from the first",
           small_of(9, 3, 4),
           row(1, 1, 5),
           {},
           "move L1 1,2,3,4,5 to L2"},
          {"more than 16 that leave: all are rewritten, with all of level 2 between",
           small_of(3, 3, 9),
           both(row(1, 1, 27),
                {{2, 30, 0, 5}, {2, 31, 85, 86}, {2, 32, 100, 101}, {2, 33, 270, 280}}),
           {},
           "merge L1 9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27 + L2 31,32 to L2"},
          {"unless more than 3 overlap in one piece",
           small_of(3, 3, 9),
           both(row(1, 1, 27), {{2, 30, 0, 5}, {2, 31, 105, 125}, {2, 33, 270, 280}}),
           {},
           "merge L1 11,12,13 + L2 31 to L2"},
          {"a reused extent with many deletes is rewritten all the same",
           kSmall,
           both(row(1, 1, 5), {{2, 6, 25, 26},
                               {2, 7, 45, 45, 10, {}, 10, 7},
                               {2, 8, 35, 35},
                               {2, 9, 100, 109, 10, {}, 10, 9}}),
           {},
           "merge L1 3,4,5 + L2 6,8,7 to L2"},
      });
}

TEST_CASE("x-engine's triggers follow the number of extents, unless told otherwise") {
  const std::string dynamic =
      "file_size=10,level0_file_num_compaction_trigger=2,level1_extents_major_compaction_trigger=9";
  // An 11th of 32 extents is 2; 3 / 2 - 29 / 3 / 10 = 0.53.
  DrawnTree small(both(row(1, 1, 3), row(2, 10, 29, 1000)));
  REQUIRE(plan_text(pick_of("x-engine", dynamic, small.view())) == "nothing");
  // 5 / 2 - 5 / 10 = 2.
  DrawnTree large(both(row(1, 1, 5), row(2, 10, 5, 1000)));
  REQUIRE(plan_text(pick_of("x-engine", dynamic, large.view())) == "move L1 2,3,4,5 to L2");
  REQUIRE(plan_text(pick_of("x-engine", dynamic + ",level_compaction_dynamic_level_bytes=false",
                            large.view())) == "nothing");
}

std::string flushed(const std::vector<DrawnFile>& files, const PendingFlush& memtable,
                    const std::string& options) {
  DrawnTree tree(files);
  tree.state().begin_flush(memtable);
  const auto plan = pick_of("x-engine", kSmall + options, tree.view());
  REQUIRE(plan.has_value());
  std::string text = plan_text(plan) + fmt::format(" L{}", plan_target(*plan).level);
  for (const CursorUpdate& one : plan->cursors) text += fmt::format(" {}={}", one.level, one.key);
  return text;
}

TEST_CASE("x-engine merges a large memtable, or one with many deletes, with level 1 at once") {
  const std::string at_100 = ",flush_level1_size=100,flush_delete_record_trigger=20";
  const PendingFlush large{Bytes(101), Entries(10), {15, 34}};
  REQUIRE(flushed(row(1, 1, 4), large, at_100) == "merge L1 2,3,4 to L1 L1");
  REQUIRE(flushed(row(1, 1, 1), large, at_100) == "flush L1");  // overlaps nothing
  REQUIRE(flushed(row(1, 1, 4), {Bytes(100), Entries(10), {15, 34}}, at_100) == "flush L0");
  REQUIRE(flushed(both(row(0, 9, 1), row(1, 1, 4)), large, at_100) == "flush L0");
  REQUIRE(flushed(row(1, 1, 8), large, at_100) == "flush L0");  // 8 / 4: not normal
  REQUIRE(flushed(row(1, 1, 7), large, at_100) == "merge L1 2,3,4 to L1 L1");
  REQUIRE(flushed(row(1, 1, 8), {Bytes(9), Entries(20), {15, 34}, Entries(13)}, at_100) ==
          "flush L0");
  REQUIRE(flushed(row(1, 1, 8), {Bytes(9), Entries(20), {15, 34}, Entries(14)}, at_100) ==
          "merge L1 2,3,4 to L1 L1 1=1");
  REQUIRE(flushed(row(1, 1, 8), {Bytes(9), Entries(90), {15, 34}, Entries(20)}, at_100) ==
          "merge L1 2,3,4 to L1 L1 1=1");
  REQUIRE(flushed(row(1, 1, 1), {Bytes(9), Entries(19), {15, 34}, Entries(19)}, at_100) ==
          "flush L0");
}

TEST_CASE("x-engine's deletes make merges go down to level 2") {
  const std::string at_20 = kSmall + ",flush_delete_record_trigger=20";
  const DrawnFile deletes{0, 1, 0, 9, 10, {}, 30, 20};
  DrawnTree tree(both({deletes}, row(1, 2, 2)));
  auto plan = pick_of("x-engine", at_20, tree.view());
  REQUIRE(plan_text(plan) == "merge L0 1 + L1 2 to L1");
  REQUIRE(plan->cursors.size() == 1);
  REQUIRE(plan->cursors[0].level == 1);
  REQUIRE(plan->cursors[0].key == 1);
  // Level 0 has none left: of level 1 the first extent goes, and those with 70 % deletes.
  std::vector<DrawnFile> level1 = row(1, 2, 4);
  level1[2].entries = level1[3].entries = 10;
  level1[2].tombstones = 7;
  level1[3].tombstones = 6;
  DrawnTree next(both(level1, {{2, 9, 22, 23}, {2, 10, 15, 16}}));
  next.set_cursor(1, 1);
  plan = pick_of("x-engine", at_20, next.view());
  REQUIRE(plan_text(plan) == "merge L1 2,4 + L2 9 to L2");
  REQUIRE(plan->cursors.at(0).key == 0);
  REQUIRE(std::get<MergePlan>(plan->action).drops_tombstones);
  next.set_cursor(1, 0);
  REQUIRE(plan_text(pick_of("x-engine", at_20, next.view())) == "nothing");
}

TEST_CASE("x-engine rewrites extents that use little, or have deletes, after an interval") {
  const std::string every_100 = small_of(3, 3, 1000) + ",auto_task_interval=100";
  std::vector<DrawnFile> level1 = row(1, 1, 65);
  for (DrawnFile& file : level1) file.bytes = 7;
  for (std::size_t i = 30; i < 44; ++i) level1[i].bytes = 6;
  level1.back().sequences = {1, 100};
  DrawnTree tree(level1);
  REQUIRE(plan_text(pick_of("x-engine", every_100, tree.view())) == "nothing");
  level1.back().sequences = {1, 101};
  tree = DrawnTree(level1);
  auto plan = pick_of("x-engine", every_100, tree.view());
  // The first of the windows that use 60 whole percent.
  REQUIRE(plan_text(plan) == "merge L1 30,31,32,33,34,35,36,37,38,39,40,41,42,43 to L1");
  REQUIRE(!std::get<MergePlan>(plan->action).drops_tombstones);
  REQUIRE(plan->cursors.at(0).level == 2);
  REQUIRE(plan->cursors.at(0).key == 101);
  tree.set_cursor(2, 101);
  REQUIRE(plan_text(pick_of("x-engine", every_100, tree.view())) == "nothing");
  // 70 % are enough.
  for (DrawnFile& file : level1) file.bytes = 7;
  DrawnTree full(level1);
  REQUIRE(plan_text(pick_of("x-engine", every_100, full.view())) == "nothing");

  std::vector<DrawnFile> level2 = row(2, 1, 20);
  for (const std::size_t i : {3u, 4u, 9u}) level2[i].tombstones = 1;
  level2.front().sequences = {1, 101};
  DrawnTree deletes(level2);
  plan = pick_of("x-engine", every_100, deletes.view());
  REQUIRE(plan_text(plan) == "merge L2 4,5,10 to L2");
  const auto& merge = std::get<MergePlan>(plan->action);
  REQUIRE(merge.drops_tombstones);
  REQUIRE(merge.cut.file_begins == std::vector<std::uint64_t>{90});
}

// Of one extent each, 4 layers merge with all of level 1, whose one extent never calls for more:
// the k-th time writes 4 * k. Within level 0, 9 layers become one as often as 8 more come.
TEST_CASE("x-engine's layers are rewritten as often as they call for it") {
  const auto written = [](const std::string& options, std::uint64_t flushes) {
    const auto made = make_policy(parse_spec("x-engine:" + options + "file_size=1TiB").value());
    REQUIRE(made.has_value());
    testing::SizedStore store(*made.value().policy);
    for (std::uint64_t i = 0; i < flushes; ++i) store.flush(1);
    return store.written();
  };
  for (const std::uint64_t flushes : {1u, 3u, 4u, 39u, 40u, 400u}) {
    INFO(flushes);
    const std::uint64_t minors = flushes / 4;
    REQUIRE(written("level0_file_num_compaction_trigger=3,level0_layer_num_compaction_trigger=4,",
                    flushes) == flushes + 2 * minors * (minors + 1));
    const std::uint64_t intras = (flushes - 1) / 8;
    REQUIRE(written("", flushes) == flushes + intras + 4 * intras * (intras + 1));
    // Each memtable with level 1 at once.
    REQUIRE(written("flush_level1_size=0,", flushes) == flushes * (flushes + 1) / 2);
  }
}

TEST_CASE("x-engine's options are checked") {
  for (const std::string option :
       {"file_size=0", "level0_file_num_compaction_trigger=0",
        "level0_layer_num_compaction_trigger=0", "level1_extents_major_compaction_trigger=0",
        "compaction_delete_percent=101", "level2_usage_percent=101",
        "compaction_task_extents_limit=0", "flush_delete_record_trigger=0", "auto_task_interval=0",
        "level_compaction_dynamic_level_bytes=maybe"}) {
    INFO(option);
    const auto made = make_policy(parse_spec("x-engine:" + option).value());
    REQUIRE(!made.has_value());
    REQUIRE(made.error().message.find(option.substr(0, option.find('='))) != std::string::npos);
  }
}

}  // namespace
}  // namespace lsmlab::x_engine_test

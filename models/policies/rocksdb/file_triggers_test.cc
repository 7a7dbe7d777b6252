// Picks of rocksdb-leveled while no level asks for a compaction: marked files, on hand-made and on
// random trees. "'Name'" is a case of RocksDB 7.8.3's compaction_picker_test.cc.
#include "models/policies/rocksdb/file_triggers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/base/random.h"
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::file_triggers_test {
namespace {

DrawnFile marked(std::uint32_t level, std::uint64_t id, std::uint64_t smallest,
                 std::uint64_t largest, std::uint64_t bytes = 1) {
  DrawnFile file{level, id, smallest, largest, bytes};
  file.marked = true;
  return file;
}

const char* const kMarks = "mark_ratio=50%,level_base=1000,file_size=64MiB";

std::string with(const std::string& more) { return std::string(kMarks) + "," + more; }

TEST_CASE("rocksdb-leveled merges marked files when no level is due") {
  check_picks("rocksdb-leveled",
              {
                  {"a marked file goes to the next level with what it overlaps there",
                   kMarks,
                   {{1, 1, 10, 19}, marked(1, 2, 20, 29), {2, 3, 20, 25}, {2, 4, 26, 40}},
                   {},
                   "merge L1 2 + L2 3,4 to L2"},
                  {"a neighbour joins that adds no file below",
                   kMarks,
                   {{1, 1, 10, 19}, marked(1, 2, 20, 29), {2, 3, 15, 25}, {2, 4, 26, 40}},
                   {},
                   "merge L1 1,2 + L2 3,4 to L2"},
                  {"without the options marks mean nothing",
                   "level_base=1000",
                   {marked(1, 2, 20, 29), {2, 3, 15, 25}},
                   {},
                   "nothing"},
                  {"a level that is due comes first",
                   with("priority=by-compensated-size"),
                   {marked(1, 1, 10, 19), {2, 2, 20, 29, 20'000}, {3, 3, 20, 29}, {4, 9, 0, 1}},
                   {},
                   "merge L2 2 + L3 3 to L3"},
                  {"a level that is due but blocked does not hold marked files up",
                   with("priority=by-compensated-size"),
                   {marked(1, 1, 10, 19), {2, 2, 20, 29, 20'000}, {3, 3, 20, 29}, {4, 9, 0, 1}},
                   {3},
                   "move L1 1 to L2"},
                  {"the deepest level with data: its tombstones have nowhere to go",
                   kMarks,
                   {{1, 1, 10, 19}, marked(2, 2, 20, 29)},
                   {},
                   "nothing"},
                  {"the only level", kMarks, {marked(1, 1, 10, 19)}, {}, "nothing"},
                  {"nor the deepest possible level",
                   with("levels=3"),
                   {marked(2, 1, 10, 19)},
                   {},
                   "nothing"},
                  {"a file that nothing below overlaps moves, and stays marked",
                   kMarks,
                   {marked(1, 1, 10, 19), {3, 3, 10, 19}},
                   {},
                   "move L1 1 to L2"},
                  {"too much below its next level: rewritten instead of moved",
                   with("max_compaction_bytes=100"),
                   {marked(1, 1, 10, 19, 50), {3, 3, 10, 19, 60}},
                   {},
                   "merge L1 1 to L2"},
              });
}

TEST_CASE("rocksdb-leveled tries marked files of a due level first from version 8.11 on") {
  check_picks("rocksdb-leveled",
              {
                  {"within a level that is due, priority decides up to version 8.10",
                   with("dynamic_levels=false,version=8.7"),
                   {{1, 1, 10, 19, 900}, marked(1, 2, 20, 29, 900), {2, 3, 20, 29, 900}},
                   {},
                   "move L1 1 to L2"},
                  {"from 8.11 on a marked file comes first",
                   with("dynamic_levels=false,version=8.11"),
                   {{1, 1, 10, 19, 900}, marked(1, 2, 20, 29, 900), {2, 3, 20, 29, 900}},
                   {},
                   "merge L1 2 + L2 3 to L2"},
                  {"of several the one with the least ratio",
                   with("dynamic_levels=false,version=8.11"),
                   {marked(1, 1, 10, 19, 900),
                    marked(1, 2, 20, 29, 900),
                    {1, 5, 30, 39, 900},
                    {2, 3, 10, 19, 900},
                    {2, 4, 20, 29, 500}},
                   {},
                   "merge L1 2 + L2 4 to L2"},
                  {"other priorities do not look at marks",
                   with("dynamic_levels=false,version=8.11,priority=by-compensated-size"),
                   {{1, 1, 10, 19, 900}, marked(1, 2, 20, 29, 800), {2, 3, 20, 29, 900}},
                   {},
                   "move L1 1 to L2"},
              });
}

TEST_CASE("rocksdb-leveled takes the first idle marked file, and no other") {
  check_picks("rocksdb-leveled",
              {
                  {"the shallowest level first",
                   kMarks,
                   {marked(2, 2, 10, 19), marked(1, 1, 40, 49), {3, 3, 10, 49}},
                   {},
                   "move L1 1 to L2"},
                  {"in a level the smallest keys first",
                   kMarks,
                   {marked(1, 1, 40, 49), marked(1, 2, 10, 19), {2, 3, 0, 60}},
                   {},
                   "merge L1 2,1 + L2 3 to L2"},
                  {"a busy file is passed over",
                   kMarks,
                   {marked(1, 1, 40, 49), marked(1, 2, 10, 19), {2, 3, 45, 60}},
                   {2},
                   "merge L1 1 + L2 3 to L2"},
                  {"what lies below the first idle file is busy: RocksDB tries no other",
                   kMarks,
                   {marked(1, 1, 40, 49), marked(1, 2, 10, 19), {2, 3, 10, 11}, {2, 4, 45, 60}},
                   {3},
                   "nothing"},
                  {"it came between the inputs of a running compaction",
                   kMarks,
                   {{1, 2, 10, 19}, marked(1, 3, 20, 29), {1, 4, 30, 39}, {2, 5, 0, 5}},
                   {2, 4},
                   "nothing"},
                  {"a file of level 0 takes along what it overlaps there, and one file is enough",
                   kMarks,
                   {{0, 1, 10, 19}, marked(0, 2, 15, 29), {0, 3, 50, 59}, {1, 4, 25, 35}},
                   {},
                   "merge L0 1,2 + L1 4 to L1"},
                  {"nothing deeper: level 0 goes to level 1",
                   kMarks,
                   {marked(0, 1, 10, 19), {0, 2, 10, 19}},
                   {},
                   "merge L0 1,2 to L1"},
                  {"files of level 0 that overlap nothing at all move",
                   kMarks,
                   {marked(0, 1, 10, 19), {0, 2, 30, 39}},
                   {},
                   "move L0 1 to L1"},
                  {"the newest of level 0 first",
                   kMarks,
                   {marked(0, 1, 10, 19), marked(0, 2, 30, 39), {1, 3, 0, 99}},
                   {},
                   "merge L0 1,2 + L1 3 to L1"},
                  {"level 0 waits for its running compaction, deeper levels do not",
                   kMarks,
                   {marked(0, 1, 10, 19), {0, 2, 30, 39}, marked(1, 3, 60, 69), {2, 4, 60, 69}},
                   {2},
                   "merge L1 3 + L2 4 to L2"},
                  {"with dynamic levels level 0 goes to the base level",
                   with("dynamic_levels=true"),
                   {marked(0, 1, 10, 19), {0, 2, 30, 39}, {6, 3, 10, 19, 500}},
                   {},
                   "merge L0 1 + L6 3 to L6"},
              });
}

TEST_CASE("a marked file does not move the cursor of round robin, and grows to both sides") {
  DrawnTree tree({{1, 1, 10, 14}, marked(1, 2, 15, 19), {1, 3, 20, 24}, {2, 4, 10, 24}});
  tree.set_cursor(1, 20);
  const auto plan = pick_of("rocksdb-leveled", with("priority=round-robin"), tree.view());
  REQUIRE(plan_text(plan) == "merge L1 1,2,3 + L2 4 to L2");
  REQUIRE(plan->reason == PlanReason::kMarkedFile);
  REQUIRE(plan->cursors.empty());
}

// The brute-force choice: every marked file in RocksDB's order of the list, level by level.
std::optional<std::uint64_t> first_marked(const std::vector<DrawnFile>& files,
                                          const std::vector<std::uint64_t>& busy) {
  const auto is_busy = [&](const DrawnFile& file) {
    return std::find(busy.begin(), busy.end(), file.id) != busy.end();
  };
  std::uint32_t deepest = 0;
  for (const DrawnFile& file : files) deepest = std::max(deepest, file.level);
  const bool is_level0_blocked =
      std::any_of(files.begin(), files.end(),
                  [&](const DrawnFile& file) { return file.level == 0 && is_busy(file); });
  std::optional<DrawnFile> best;
  for (const DrawnFile& file : files) {
    if (!file.marked || is_busy(file)) continue;
    if (file.level == 0 ? is_level0_blocked : file.level == deepest) continue;
    // Level 0 is listed newest first.
    const bool is_earlier =
        !best || file.level < best->level ||
        (file.level == best->level && file.level > 0 && file.smallest < best->smallest);
    if (is_earlier) best = file;
  }
  return best ? std::optional(best->id) : std::nullopt;
}

TEST_CASE("rocksdb-leveled takes the marked file that a search through all files finds") {
  SplitMix64 random(7);
  const auto draw = [&](std::uint64_t below) { return random.next() % below; };
  std::uint64_t picked = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    CAPTURE(trial);
    std::vector<DrawnFile> files;
    std::vector<std::uint64_t> busy;
    std::uint64_t id = 0;
    for (std::uint32_t level = 0; level < 5; ++level) {
      if (draw(3) == 0) continue;
      for (std::uint64_t slot = 0; slot < 6; ++slot) {
        if (draw(2) == 0 || (level == 0 && slot > 2)) continue;
        // A file fills its slot, so that it overlaps those of the same slot only.
        DrawnFile file{level, ++id, slot * 10, slot * 10 + 9};
        file.marked = draw(4) == 0;
        if (draw(8) == 0) busy.push_back(id);
        files.push_back(file);
      }
    }
    DrawnTree tree(files);
    for (const std::uint64_t one : busy) tree.set_busy(one);
    const std::optional<std::uint64_t> expected = first_marked(files, busy);
    const auto plan = pick_of("rocksdb-leveled", kMarks, tree.view());
    if (!plan) continue;  // what the file needs is busy: counted below
    std::string drawn;
    for (const DrawnFile& file : files) {
      drawn += fmt::format("L{} {} {}-{}{} ", file.level, file.id, file.smallest, file.largest,
                           file.marked ? " marked" : "");
    }
    INFO(drawn << "busy " << fmt::format("{}", fmt::join(busy, ",")) << ": " << plan_text(plan));
    REQUIRE(expected.has_value());
    REQUIRE(plan->reason == PlanReason::kMarkedFile);
    const std::vector<FileId> taken = plan_inputs(*plan).front().files;
    REQUIRE(std::find(taken.begin(), taken.end(), FileId(*expected)) != taken.end());
    ++picked;
  }
  REQUIRE(picked > 600);
}

TEST_CASE("rocksdb-leveled with marks and idle trees always takes the expected file") {
  SplitMix64 random(8);
  for (int trial = 0; trial < 500; ++trial) {
    CAPTURE(trial);
    std::vector<DrawnFile> files;
    for (std::uint32_t level = 0; level < 4; ++level) {
      for (std::uint64_t slot = 0; slot < 3; ++slot) {
        if (random.next() % 3 == 0) continue;
        DrawnFile file{level, files.size() + 1, slot * 10, slot * 10 + 9};
        file.marked = random.next() % 5 == 0;
        files.push_back(file);
      }
    }
    const DrawnTree tree(files);
    const auto plan = pick_of("rocksdb-leveled", kMarks, tree.view());
    REQUIRE(plan.has_value() == first_marked(files, {}).has_value());
  }
}

TEST_CASE("marks that are incomplete or that mark nothing are refused") {
  const auto fault = [](const std::string& options) {
    const auto made = make_policy(parse_spec("rocksdb-leveled:" + options).value());
    return made ? std::string() : made.error().message;
  };
  const auto refuses = [&](const std::string& options, const std::string& words) {
    const std::string message = fault(options);
    INFO(options << ": " << message);
    REQUIRE(message.find(words) != std::string::npos);
  };
  refuses("mark_window=100", "mark_window needs mark_deletes");
  refuses("mark_deletes=100", "mark_deletes needs mark_window");
  refuses("mark_window=100,mark_deletes=129", "more than the 128 entries of the window");
  refuses("mark_window=0,mark_deletes=1", "mark_window");
  refuses("mark_window=100,mark_deletes=0", "mark_deletes");
  refuses("mark_ratio=0", "mark_ratio=0");
  refuses("mark_ratio=101%", "mark_ratio");
  refuses("mark_ratio=many", "mark_ratio");
  refuses("deletion_ratio=0.5", "mark_ratio");
  refuses("sliding_window_size=500", "mark_window");
  refuses("deletion_trigger=50", "mark_deletes");
  REQUIRE(fault("mark_window=100,mark_deletes=128").empty());
  REQUIRE(fault("mark_window=100,mark_deletes=50,mark_ratio=1").empty());
  const auto universal = make_policy(parse_spec("rocksdb-universal:mark_ratio=0.5").value());
  REQUIRE(!universal.has_value());
}

TEST_CASE("delete-aware marks files, too") {
  const auto made = make_policy(parse_spec("delete-aware:mark_ratio=0.5").value());
  REQUIRE(made.has_value());
  REQUIRE(made.value().policy->deletion_mark().has_value());
  REQUIRE(!make_policy(parse_spec("delete-aware").value()).value().policy->deletion_mark());
}

}  // namespace
}  // namespace lsmlab::file_triggers_test

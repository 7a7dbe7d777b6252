// The time to live of rocksdb-leveled, on hand-made trees with a reason each, and against a search
// through all files.
#include <fmt/format.h>

#include <algorithm>

#include "models/base/random.h"
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::ttl_test {
namespace {

constexpr std::uint64_t kTime = 1000;

// A file with data first written then.
DrawnFile since(std::uint64_t when, std::uint32_t level, std::uint64_t id, std::uint64_t smallest,
                std::uint64_t largest, std::uint64_t bytes = 1) {
  DrawnFile file{level, id, smallest, largest, bytes};
  file.oldest_ancestor = when;
  file.created = 990;
  return file;
}

struct TtlCase {
  const char* reason;
  std::vector<DrawnFile> files;
  const char* expected;
  std::vector<std::uint64_t> busy = {};
  std::string more = "";
};

void check(const std::vector<TtlCase>& cases) {
  for (const TtlCase& c : cases) {
    INFO(c.reason);
    DrawnTree tree(c.files);
    for (const std::uint64_t id : c.busy) tree.set_busy(id);
    tree.state().advance_now(Instant(kTime));
    const auto plan =
        pick_of("rocksdb-leveled", "ttl=100,level_base=1000,file_size=64MiB" + c.more, tree.view());
    REQUIRE(plan_text(plan) == c.expected);
  }
}

TEST_CASE("rocksdb-leveled merges a file down whose data was first written too long ago") {
  check({
      {"exactly ttl ago is not too long",
       {since(900, 1, 1, 10, 19), since(950, 2, 2, 10, 19)},
       "nothing"},
      {"one more operation is",
       {since(899, 1, 1, 10, 19), since(950, 2, 2, 10, 19)},
       "merge L1 1 + L2 2 to L2"},
      {"nothing overlaps it below: it moves, and stays as old",
       {since(5, 1, 1, 10, 19), since(950, 3, 2, 10, 19)},
       "move L1 1 to L2"},
      {"the deepest level with data is where it may stay", {since(5, 2, 1, 10, 19)}, "nothing"},
      {"from level 0 with the files that overlap it",
       {since(950, 0, 1, 15, 25), since(5, 0, 2, 10, 19), since(950, 1, 3, 10, 19)},
       "merge L0 1,2 + L1 3 to L1"},
      {"level 0 may be that level, too", {since(5, 0, 1, 10, 19)}, "nothing"},
      {"a neighbour joins that takes no further file below",
       {since(5, 1, 1, 10, 19), since(950, 1, 2, 20, 24), since(950, 2, 3, 15, 25)},
       "merge L1 1,2 + L2 3 to L2"},
      {"a level that is due comes first",
       {since(5, 1, 1, 10, 19), since(950, 2, 2, 20, 29, 20'000), since(950, 3, 3, 20, 29),
        since(950, 4, 4, 0, 1)},
       "merge L2 2 + L3 3 to L3"},
      {"an old file comes before one that was written long ago",
       {since(950, 1, 1, 10, 19), since(5, 2, 2, 20, 29), since(950, 3, 3, 20, 29)},
       "merge L2 2 + L3 3 to L3",
       {},
       ",periodic_age=5"},
  });
}

TEST_CASE("rocksdb-leveled takes the first idle file that is past its time") {
  check({
      {"the shallowest level first",
       {since(5, 2, 1, 10, 19), since(899, 1, 2, 40, 49), since(950, 3, 3, 0, 9)},
       "move L1 2 to L2"},
      {"in a level the smallest keys first, not the oldest",
       {since(5, 1, 1, 40, 49), since(899, 1, 2, 10, 19), since(950, 2, 3, 15, 16)},
       "merge L1 2 + L2 3 to L2"},
      {"a busy file is passed over",
       {since(5, 1, 1, 40, 49), since(5, 1, 2, 10, 19), since(950, 2, 3, 40, 49)},
       "merge L1 1 + L2 3 to L2",
       {2}},
      {"a busy file below it stops it, and no other is tried",
       {since(5, 1, 1, 10, 19), since(5, 1, 2, 40, 49), since(950, 2, 3, 10, 19),
        since(950, 3, 4, 0, 99)},
       "nothing",
       {3}},
      {"level 0 waits for its running compaction, deeper levels do not",
       {since(5, 0, 1, 10, 19), since(950, 0, 2, 30, 39), since(5, 3, 3, 60, 69),
        since(950, 4, 4, 60, 69)},
       "merge L3 3 + L4 4 to L4",
       {2}},
  });
}

TEST_CASE("with round robin the old level's next file in turn goes, not the old file") {
  const std::vector<DrawnFile> files{since(5, 1, 1, 10, 19), since(950, 1, 2, 20, 29),
                                     since(950, 2, 3, 10, 19), since(950, 2, 4, 20, 29)};
  DrawnTree tree(files);
  tree.set_cursor(1, 20);
  tree.state().advance_now(Instant(kTime));
  const std::string options = "ttl=100,priority=round-robin,level_base=1000,file_size=64MiB";
  const auto plan = pick_of("rocksdb-leveled", options, tree.view());
  REQUIRE(plan_text(plan) == "merge L1 2 + L2 4 to L2");
  REQUIRE(plan->reason == PlanReason::kTimeToLive);
  REQUIRE(plan->cursors.size() == 1);
  REQUIRE(plan->cursors.front().key == 10);
  // Its list has the deepest level with data, too.
  DrawnTree deepest({since(5, 2, 1, 10, 19)});
  deepest.state().advance_now(Instant(kTime));
  REQUIRE(plan_text(pick_of("rocksdb-leveled", options, deepest.view())) == "move L2 1 to L3");
  // Where that file is busy, the old file itself is tried.
  DrawnTree busy(files);
  busy.set_cursor(1, 20);
  busy.set_busy(2);
  busy.state().advance_now(Instant(kTime));
  const auto other = pick_of("rocksdb-leveled", options, busy.view());
  REQUIRE(plan_text(other) == "merge L1 1 + L2 3 to L2");
  REQUIRE(other->cursors.empty());
}

// The level is due; file 1 overlaps once its size below, file 2 three times.
std::string pick_at_age(std::uint64_t age, const std::string& more = "") {
  constexpr std::uint64_t kLater = 10'000;
  std::vector<DrawnFile> files{since(kLater, 1, 1, 10, 19, 600), since(0, 1, 2, 20, 29, 600),
                               since(kLater, 2, 3, 10, 19, 600), since(kLater, 2, 4, 20, 29, 1800)};
  files[1].oldest_ancestor = kLater - age;
  DrawnTree tree(files);
  tree.state().advance_now(Instant(kLater));
  return plan_text(
      pick_of("rocksdb-leveled", "level_base=1000,file_size=64MiB" + more, tree.view()));
}

TEST_CASE("min-overlapping-ratio prefers files that come near their time to live") {
  // ttl 3200: the half is 1600, and the last level but one begins at 1600 + (3100 - 1600) / 2 =
  // 2350, in steps of 750 / 16 = 46. From the third step on the ratio is divided by 4.
  REQUIRE(pick_at_age(2488, ",ttl=3200") == "merge L1 2 + L2 4 to L2");
  REQUIRE(pick_at_age(2487, ",ttl=3200") == "merge L1 1 + L2 3 to L2");  // by 3: the ratios tie
  REQUIRE(pick_at_age(2488) == "merge L1 1 + L2 3 to L2");
  REQUIRE(pick_at_age(2488, ",ttl=3200,priority=oldest-smallest-seq-first") ==
          "merge L1 1 + L2 3 to L2");
}

TEST_CASE("outputs end where old files of the output level begin and end") {
  const auto set_apart = [](const std::string& options, bool has_more_below) {
    std::vector<DrawnFile> files{since(950, 1, 1, 10, 29, 1200), since(949, 2, 2, 10, 14, 501),
                                 since(949, 2, 3, 15, 19, 500), since(950, 2, 4, 20, 29, 501)};
    if (has_more_below) files.push_back(since(5, 3, 5, 0, 99, 600));
    DrawnTree tree(files);
    tree.state().advance_now(Instant(kTime));
    const auto plan =
        pick_of("rocksdb-leveled", "level_base=1000,file_size=1000,ttl=101" + options, tree.view());
    REQUIRE(plan_text(plan) == "merge L1 1 + L2 2,3,4 to L2");
    return std::get<MergePlan>(plan->action).cut.set_apart;
  };
  REQUIRE(set_apart("", true) == std::vector<KeyRange>{{10, 14}});
  REQUIRE(set_apart("", false).empty());  // the bottom of the tree
  REQUIRE(set_apart(",priority=by-compensated-size", true).empty());
}

// By the rule's words; files of level 0 are listed newest first, those of others by key.
std::optional<std::uint64_t> first_past(const std::vector<DrawnFile>& files, std::uint64_t ttl) {
  std::uint32_t deepest = 0;
  for (const DrawnFile& file : files) deepest = std::max(deepest, file.level);
  std::optional<DrawnFile> best;
  for (const DrawnFile& file : files) {
    if (file.level == deepest || kTime - file.oldest_ancestor <= ttl) continue;
    if (!best || file.level < best->level) best = file;
  }
  return best ? std::optional(best->id) : std::nullopt;
}

TEST_CASE("rocksdb-leveled takes the old file that a search through all files finds") {
  SplitMix64 random(3);
  const auto draw = [&](std::uint64_t below) { return random.next() % below; };
  std::uint64_t picked = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    CAPTURE(trial);
    const std::uint64_t ttl = 1 + draw(kTime + 100);
    std::vector<DrawnFile> files;
    for (std::uint32_t level = 0; level < 7; ++level) {
      if (draw(3) == 0) continue;
      for (std::uint64_t slot = 0; slot < 50; ++slot) {
        if (draw(level < 3 ? 12 : 2) == 0 || (level == 0 && slot > 2)) continue;
        files.push_back(
            since(draw(kTime + 1), level, files.size() + 1, slot * 10, slot * 10 + draw(10)));
      }
    }
    DrawnTree tree(files);
    tree.state().advance_now(Instant(kTime));
    const std::optional<std::uint64_t> expected = first_past(files, ttl);
    const auto plan = pick_of(
        "rocksdb-leveled", fmt::format("ttl={},level_base=1000,file_size=64MiB", ttl), tree.view());
    REQUIRE(plan.has_value() == expected.has_value());
    if (!plan) continue;
    INFO(plan_text(plan));
    REQUIRE(plan->reason == PlanReason::kTimeToLive);
    bool has_file = false;
    for (const PlanInput& input : plan_inputs(*plan)) {
      has_file = has_file || std::count(input.files.begin(), input.files.end(), FileId(*expected));
    }
    REQUIRE(has_file);
    ++picked;
  }
  REQUIRE(picked > 400);
}

}  // namespace
}  // namespace lsmlab::ttl_test

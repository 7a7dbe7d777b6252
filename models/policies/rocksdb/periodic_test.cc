// Periodic compactions of rocksdb-leveled, on hand-made trees with a reason each, and against a
// search through all files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/base/random.h"
#include "models/policies/registry.h"
#include "models/policies/rocksdb/file_triggers.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::periodic_test {
namespace {

constexpr std::uint64_t kNow = 1000;
const char* const kPeriodic = "periodic_age=100,level_base=1000,file_size=64MiB";

DrawnFile created(std::uint64_t when, std::uint32_t level, std::uint64_t id, std::uint64_t smallest,
                  std::uint64_t largest, std::uint64_t bytes = 1) {
  DrawnFile file{level, id, smallest, largest, bytes};
  file.created = when;
  return file;
}

struct PeriodicCase {
  const char* reason;
  std::vector<DrawnFile> files;
  std::vector<std::uint64_t> busy;
  const char* expected;
  std::string more = "";
  std::uint64_t now = kNow;
};

void check(const std::vector<PeriodicCase>& cases) {
  for (const PeriodicCase& c : cases) {
    INFO(c.reason);
    DrawnTree tree(c.files);
    for (const std::uint64_t id : c.busy) tree.set_busy(id);
    tree.state().advance_now(Instant(c.now));
    const auto plan = pick_of("rocksdb-leveled", kPeriodic + c.more, tree.view());
    REQUIRE(plan_text(plan) == c.expected);
  }
}

TEST_CASE("rocksdb-leveled rewrites a file that was written too long ago") {
  check({
      {"exactly periodic_age ago is not too long", {created(900, 2, 1, 10, 19)}, {}, "nothing"},
      {"one more operation is", {created(899, 2, 1, 10, 19)}, {}, "merge L2 1 to L2"},
      {"a store that is younger than that",
       {created(0, 2, 1, 10, 19)},
       {},
       "nothing",
       ",mark_ratio=50%",
       100},
      {"by itself, whatever it overlaps above and below",
       {created(950, 1, 1, 10, 29), created(5, 2, 2, 20, 29), created(950, 3, 3, 0, 99)},
       {},
       "merge L2 2 to L2"},
      {"without the neighbour that would join a merge into the next level",
       {created(950, 1, 1, 10, 19), created(5, 1, 2, 20, 29), created(950, 2, 3, 15, 25)},
       {},
       "merge L1 2 to L1"},
      {"nothing overlaps it below: a marked file would move, this one does not",
       {created(5, 1, 1, 10, 19), created(950, 3, 3, 10, 19)},
       {},
       "merge L1 1 to L1"},
      {"the deepest possible level, too", {created(5, 6, 1, 10, 19)}, {}, "merge L6 1 to L6"},
      {"a file of level 0 stays there, alone",
       {created(950, 0, 1, 10, 19), created(5, 0, 2, 10, 19), created(950, 1, 3, 10, 19)},
       {},
       "merge L0 2 to L0"},
      {"from 8.11 on, with dynamic levels, to the next level",
       {created(5, 5, 1, 10, 19, 1000), created(950, 6, 2, 10, 19, 20000)},
       {},
       "merge L5 1 + L6 2 to L6",
       ",dynamic_levels=true,version=8.11"},
      {"not before",
       {created(5, 5, 1, 10, 19, 1000), created(950, 6, 2, 10, 19, 20000)},
       {},
       "merge L5 1 to L5",
       ",dynamic_levels=true,version=8.7"},
      {"nor with static levels",
       {created(5, 5, 1, 10, 19), created(950, 6, 2, 10, 19)},
       {},
       "merge L5 1 to L5",
       ",version=9.8"},
      {"it moves where nothing overlaps it",
       {created(5, 5, 1, 10, 19, 1000), created(950, 6, 2, 20, 29, 20000)},
       {},
       "move L5 1 to L6",
       ",dynamic_levels=true,version=8.11"},
      {"the deepest level with data stays",
       {created(950, 5, 1, 10, 19, 1000), created(5, 6, 2, 10, 19, 20000)},
       {},
       "merge L6 2 to L6",
       ",dynamic_levels=true,version=8.11"},
      {"a level that is due comes first",
       {created(5, 1, 1, 10, 19), created(950, 2, 2, 20, 29, 20'000), created(950, 3, 3, 20, 29),
        created(950, 4, 4, 0, 1)},
       {},
       "merge L2 2 + L3 3 to L3"},
  });
}

TEST_CASE("rocksdb-leveled takes the first idle file that is too old") {
  check({
      {"the shallowest level first",
       {created(5, 2, 1, 10, 19), created(899, 1, 2, 40, 49)},
       {},
       "merge L1 2 to L1"},
      {"in a level the smallest keys first, not the oldest",
       {created(5, 1, 1, 40, 49), created(899, 1, 2, 10, 19)},
       {},
       "merge L1 2 to L1"},
      {"in level 0 the newest first",
       {created(899, 0, 1, 40, 49), created(5, 0, 2, 10, 19)},
       {},
       "merge L0 1 to L0"},
      {"a busy file is passed over",
       {created(5, 1, 1, 40, 49), created(5, 1, 2, 10, 19)},
       {2},
       "merge L1 1 to L1"},
      {"one that lies between inputs of a compaction into the next level is not",
       {created(5, 1, 1, 10, 19), created(5, 1, 2, 20, 29), created(5, 1, 3, 30, 39)},
       {1, 3},
       "merge L1 2 to L1"},
      {"level 0 waits for its running compaction, deeper levels do not",
       {created(5, 0, 1, 10, 19), created(950, 0, 2, 30, 39), created(5, 3, 3, 60, 69)},
       {2},
       "merge L3 3 to L3"},
      {"all are busy", {created(5, 1, 1, 10, 19), created(5, 2, 2, 20, 29)}, {1, 2}, "nothing"},
  });
}

TEST_CASE("a marked file comes before one that is too old") {
  DrawnFile marked = created(950, 2, 2, 20, 29);
  marked.marked = true;
  check({{"though it lies deeper",
          {created(5, 1, 1, 10, 19), marked, created(950, 3, 3, 20, 29)},
          {},
          "merge L2 2 + L3 3 to L3",
          ",mark_ratio=50%"}});
}

TEST_CASE("a periodic compaction names its reason, keeps its run and moves no cursor") {
  DrawnTree tree({created(950, 0, 1, 0, 99), created(5, 0, 2, 10, 19), created(5, 1, 3, 10, 14)});
  tree.state().advance_now(Instant(kNow));
  tree.set_cursor(1, 10);
  const std::string options = std::string(kPeriodic) + ",priority=round-robin";
  const auto plan = pick_of("rocksdb-leveled", options, tree.view());
  REQUIRE(plan->reason == PlanReason::kPeriodic);
  REQUIRE(plan->cursors.empty());
  // The older of the two runs of level 0.
  REQUIRE(plan_target(*plan).run == tree.view().levels()[0].runs[1].id);
  // Level 1 may have older data.
  REQUIRE(!std::get<MergePlan>(plan->action).drops_tombstones);
}

std::optional<std::uint64_t> first_too_old(const std::vector<DrawnFile>& files,
                                           const std::vector<std::uint64_t>& busy,
                                           std::uint64_t age) {
  const auto is_busy = [&](const DrawnFile& file) {
    return std::find(busy.begin(), busy.end(), file.id) != busy.end();
  };
  const bool is_level0_blocked =
      std::any_of(files.begin(), files.end(),
                  [&](const DrawnFile& file) { return file.level == 0 && is_busy(file); });
  std::optional<DrawnFile> best;
  for (const DrawnFile& file : files) {
    if (is_busy(file) || kNow - file.created <= age) continue;
    if (file.level == 0 && is_level0_blocked) continue;
    // Level 0 is listed newest first.
    const bool is_earlier =
        !best || file.level < best->level ||
        (file.level == best->level && file.level > 0 && file.smallest < best->smallest);
    if (is_earlier) best = file;
  }
  return best ? std::optional(best->id) : std::nullopt;
}

TEST_CASE("rocksdb-leveled rewrites the file that a search through all files finds") {
  SplitMix64 random(9);
  const auto draw = [&](std::uint64_t below) { return random.next() % below; };
  std::uint64_t picked = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    CAPTURE(trial);
    const std::uint64_t age = 1 + draw(kNow + 100);
    std::vector<DrawnFile> files;
    std::vector<std::uint64_t> busy;
    for (std::uint32_t level = 0; level < 7; ++level) {
      if (draw(3) == 0) continue;
      for (std::uint64_t slot = 0; slot < 70; ++slot) {
        if (draw(level < 3 ? 12 : 2) == 0 || (level == 0 && slot > 2)) continue;
        const std::uint64_t id = files.size() + 1;
        files.push_back(created(draw(kNow + 1), level, id, slot * 10, slot * 10 + draw(10)));
        if (draw(5) == 0) busy.push_back(id);
      }
    }
    DrawnTree tree(files);
    for (const std::uint64_t one : busy) {
      if (files[one - 1].level < 6) tree.set_busy(one);
    }
    std::erase_if(busy, [&](std::uint64_t one) { return files[one - 1].level == 6; });
    tree.state().advance_now(Instant(kNow));
    const std::optional<std::uint64_t> expected = first_too_old(files, busy, age);
    const auto plan =
        pick_of("rocksdb-leveled",
                fmt::format("periodic_age={},level_base=1000,file_size=64MiB", age), tree.view());
    REQUIRE(plan.has_value() == expected.has_value());
    if (!plan) continue;
    INFO("busy " << fmt::format("{}", fmt::join(busy, ",")) << ": " << plan_text(plan));
    const std::vector<PlanInput> inputs = plan_inputs(*plan);
    REQUIRE(inputs.size() == 1);
    REQUIRE(inputs.front().files == std::vector<FileId>{FileId(*expected)});
    REQUIRE(plan_target(*plan).level == inputs.front().level);
    REQUIRE(plan_target(*plan).run == inputs.front().run);
    ++picked;
  }
  REQUIRE(picked > 600);
}

TEST_CASE("ages of files that make no sense are refused") {
  const auto fault = [](const std::string& options) {
    const auto made = make_policy(parse_spec(options).value());
    return made ? std::string() : made.error().message;
  };
  REQUIRE(fault("rocksdb-leveled:periodic_age=1").empty());
  REQUIRE(fault("delete-aware:periodic_age=1k").empty());
  REQUIRE(fault("rocksdb-leveled:periodic_age=0").find("periodic_age") != std::string::npos);
  REQUIRE(fault("rocksdb-leveled:periodic_age=-1").find("periodic_age") != std::string::npos);
  REQUIRE(fault("rocksdb-leveled:periodic_age=often").find("periodic_age") != std::string::npos);
  REQUIRE(fault("rocksdb-leveled:periodic_compaction_seconds=60").find("periodic_age") !=
          std::string::npos);
  REQUIRE(fault("rocksdb-universal:periodic_age=60").empty());
  REQUIRE(!fault("tiered:periodic_age=60").empty());
}

}  // namespace
}  // namespace lsmlab::periodic_test

// Decisions of the primitives on small trees, each with the reason why it matters.
#include <algorithm>

#include "models/policies/primitives/options.h"
#include "testing/catch.h"
#include "testing/pick_on.h"
#include "testing/tree_reader.h"

namespace lsmlab::primitives_test {
namespace {

struct Case {
  std::string why;
  std::string options;
  std::string tree;
  std::string plan;
  std::uint64_t now = 0;
};

// Sizes are tens of bytes: level 1 holds 100, level 2 1000.
void require_plans(const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    INFO(test.why << "\n" << test.options << "\n" << test.tree);
    testing::TreeReader reader(test.tree);
    reader.tree().advance_now(Instant(test.now));
    const auto policy = testing::policy_of_text("primitives:" + test.options);
    REQUIRE(testing::plan_text(testing::pick_on(*policy, reader.tree())) == test.plan);
  }
}

TEST_CASE("a flush goes to level 0 as a run of its own, whatever the layout") {
  for (const char* options : {"layout=leveling", "layout=tiering", "layout=1-leveling",
                              "layout=l-leveling", "layout=hybrid,runs=2/1"}) {
    INFO(options);
    testing::TreeReader reader("0: 0-9:10\n1: 0-9:10");
    reader.tree().begin_flush({Bytes(10), Entries(1), {0, 9}});
    const auto policy = testing::policy_of_text(std::string("primitives:") + options);
    REQUIRE(testing::plan_text(testing::pick_on(*policy, reader.tree())) ==
            "memtable-full flush -> L0 new");
  }
}

TEST_CASE("primitives need keys where an option looks at single files") {
  const std::string by_files = "granularity=file";
  const std::string stale = ",trigger=sorted-runs+staleness,staleness=9";
  const std::string expiring = ",trigger=tombstone-ttl+level-saturation,delete_persistence=9";
  const std::string dense = ",trigger=level-saturation+tombstone-density";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"layout=tiering", {}},
      {"layout=tiering,trigger=sorted-runs+space-amplification+level-saturation", {}},
      {"layout=leveling,granularity=level", {}},
      {"layout=1-leveling,granularity=level", {}},
      {"layout=l-leveling", {}},
      {"layout=hybrid,runs=4/1", {}},
      {"layout=leveling", {by_files}},
      {"layout=1-leveling,granularity=files", {"granularity=files"}},
      {"layout=tiering" + stale, {"trigger=staleness"}},
      {"layout=leveling,granularity=level" + expiring, {"trigger=tombstone-ttl"}},
      {"layout=leveling" + dense, {by_files, "trigger=tombstone-density"}},
  };
  for (const auto& [options, expected] : cases) {
    INFO(options);
    const auto policy = testing::policy_of_text("primitives:" + options);
    REQUIRE(policy->options_that_need_keys() == expected);
    REQUIRE((policy->needs() == PolicyNeeds::kKeys) == !expected.empty());
  }
}

TEST_CASE("runs of level 0 go to level 1 as the layout has it") {
  const std::string leveling = "level_base=100";
  const std::string full = "level_base=100,granularity=level";
  require_plans({
      {"an empty tree wants nothing", leveling, "", "nothing"},
      {"leveling: with what it overlaps", leveling, "0: 5-15:10\n1: 0-9:10 12-19:10 20-29:10",
       "sorted-run-count merge L0:1 L1:2,3 -> L1 run"},
      {"whole levels: with all of level 1", full, "0: 5-6:10\n1: 0-9:10 20-29:10",
       "sorted-run-count merge L0:1 L1:2,3 -> L1 run"},
      {"no overlap: a move, also of whole levels", full, "0: 10-15:10\n1: 0-9:10 20-29:10",
       "sorted-run-count move L0:1 -> L1 run"},
      {"the first run makes the level", leveling, "0: 10-15:10",
       "sorted-run-count move L0:1 -> L1 new"},
      {"files between two runs of level 0 come along, as an output may span them",
       leveling + ",l0_trigger=2", "0: 20-25:10 / 0-5:10\n1: 10-15:10 30-35:10",
       "sorted-run-count merge L0:1 L0:2 L1:3 -> L1 run"},
      {"1-leveling waits for 4 runs", "layout=1-leveling,level_base=100",
       "0: 0-9:10 / 0-9:10 / 0-9:10", "nothing"},
      {"and merges them all", "layout=1-leveling,level_base=100",
       "0: 0-9:10 / 0-9:10 / 0-9:10 / 0-9:10\n1: 0-9:10",
       "sorted-run-count merge L0:1 L0:2 L0:3 L0:4 L1:5 -> L1 run"},
      {"tiering leaves the runs below alone", "layout=tiering", "0: 0-9:10\n1: 0-9:10",
       "sorted-run-count move L0:1 -> L1 new"},
      {"and merges several of level 0 first", "layout=tiering,l0_trigger=2",
       "0: 0-9:10 / 0-9:10\n1: 0-9:10", "sorted-run-count merge L0:1 L0:2 -> L1 new"},
      {"level 0 comes first where sorted-runs is not asked for", leveling,
       "0: 0-9:10\n1: 0-9:200\n2: 0-9:10", "sorted-run-count merge L0:1 L1:2 -> L1 run"},
      {"and in its place where it is", leveling + ",trigger=level-saturation+sorted-runs",
       "0: 0-9:10\n1: 0-9:200\n2: 0-9:10", "level-saturated merge L1:2 L2:3 -> L2 run"},
  });
}

TEST_CASE("tiered levels merge at their number of runs") {
  require_plans({
      {"T runs unless told otherwise", "layout=tiering,size_ratio=2", "1: 0-9:10 / 0-9:10",
       "sorted-run-count merge L1:1 L1:2 -> L2 new"},
      {"tier_runs", "layout=tiering,tier_runs=3", "1: 0-9:10 / 0-9:10\n2: 0-9:10", "nothing"},
      {"size does not count", "layout=tiering,tier_runs=3", "1: 0-9:99999999 / 0-9:10", "nothing"},
      {"unless asked for",
       "layout=tiering,tier_runs=3,level_base=100,"
       "trigger=sorted-runs+level-saturation",
       "1: 0-9:99 / 0-9:10", "level-saturated merge L1:1 L1:2 -> L2 new"},
      {"upper levels first", "layout=tiering,tier_runs=2", "1: 0-9:10 / 0-9:10\n2: 0-9:10 / 0-9:10",
       "sorted-run-count merge L1:1 L1:2 -> L2 new"},
      {"l-leveling: tiered above the last level", "layout=l-leveling,tier_runs=2",
       "1: 0-9:10 / 5-9:10\n2: 0-3:10 7-8:10", "sorted-run-count merge L1:1 L1:2 L2:3,4 -> L2 run"},
      {"by what it overlaps", "layout=l-leveling,tier_runs=2",
       "1: 4-9:10 / 5-9:10\n2: 0-3:10 7-8:10", "sorted-run-count merge L1:1 L1:2 L2:4 -> L2 run"},
      {"or with all of it", "layout=l-leveling,tier_runs=2,granularity=level",
       "1: 4-9:10 / 5-9:10\n2: 0-3:10 7-8:10", "sorted-run-count merge L1:1 L1:2 L2:3,4 -> L2 run"},
      {"tiered into tiered", "layout=l-leveling,tier_runs=2",
       "1: 4-9:10 / 5-9:10\n2: 0-3:10\n3: 0-9:10", "sorted-run-count merge L1:1 L1:2 -> L2 new"},
      {"the last level is not asked for runs", "layout=l-leveling,tier_runs=2,level_base=100",
       "1: 0-9:10\n2: 0-3:900", "nothing"},
      {"when it is full its run moves on", "layout=l-leveling,tier_runs=2,level_base=100",
       "1: 0-9:10\n2: 0-3:600 4-5:600", "level-saturated move L2:2,3 -> L3 new"},
      {"hybrid: each level its own number", "layout=hybrid,runs=3/2/1",
       "1: 0-9:10 / 0-9:10\n2: 0-9:10 / 0-9:10\n3: 0-9:10",
       "sorted-run-count merge L2:3 L2:4 L3:5 -> L3 run"},
      {"hybrid: the last number repeats", "layout=hybrid,runs=3/2,trigger=sorted-runs",
       "4: 0-9:10 / 0-9:10", "sorted-run-count merge L4:1 L4:2 -> L5 new"},
      {"hybrid: a leveled level above a tiered one", "layout=hybrid,runs=1/4,level_base=100",
       "1: 0-9:200\n2: 0-9:10", "level-saturated move L1:1 -> L2 new"},
      {"a leveled level that another policy left with two runs", "trigger=sorted-runs",
       "1: 0-9:10 / 0-9:10\n2: 0-9:10", "sorted-run-count merge L1:1 L1:2 L2:3 -> L2 run"},
  });
}

TEST_CASE("saturated levels: the fullest for its capacity first, then the upper") {
  const std::string options = "level_base=100,movement=none";
  require_plans({
      {"at capacity nothing happens", options, "1: 0-9:50 10-19:50\n2: 0-9:10", "nothing"},
      {"one byte more, and it does", options, "1: 0-9:50 10-19:51\n2: 0-9:10",
       "level-saturated merge L1:1 L2:3 -> L2 run cursor L1=9"},
      {"1.2 of level 1 against 1.3 of level 2", options, "1: 0-9:120\n2: 0-9:1300\n3: 0-9:10",
       "level-saturated merge L2:2 L3:3 -> L3 run"},
      {"1.3 each: the upper", options, "1: 0-9:130\n2: 0-9:1300\n3: 0-9:10",
       "level-saturated merge L1:1 L2:2 -> L2 run"},
      {"the last level too, which makes a new one", options, "1: 0-9:10\n2: 0-9:600 10-19:600",
       "level-saturated move L2:2 -> L3 new cursor L2=9"},
      {"a blocked level gives way to the next", options,
       "1: 0-9:900,busy\n2: 10-19:1300 90-99:10\n3: 0-9:10",
       "level-saturated move L2:2 -> L3 run cursor L2=19"},
      {"whole levels", "level_base=100,granularity=level",
       "1: 0-9:60 20-29:60\n2: 5-6:10 12-13:10 50-59:10",
       "level-saturated merge L1:1,2 L2:3,4,5 -> L2 run"},
      {"whole runs of a hybrid, with what they overlap",
       "layout=hybrid,runs=1,trigger=level-saturation,level_base=100",
       "1: 0-9:60 20-29:60\n2: 5-6:10 12-13:10 50-59:10",
       "level-saturated merge L1:1,2 L2:3,4 -> L2 run"},
      {"several files: neighbours from the chosen one on",
       "level_base=100,granularity=files,files=2,movement=round-robin",
       "1@9: 0-9:60 20-29:60 40-49:60\n2: 25-35:10 36-37:10 45-55:10 60-69:10",
       "level-saturated merge L1:2,3 L2:4,5,6 -> L2 run cursor L1=49"},
      {"fewer at the end of the level",
       "level_base=100,granularity=files,files=4,movement=round-robin",
       "1@30: 0-9:60 20-29:60 40-49:60\n2: 0-9:10",
       "level-saturated move L1:3 -> L2 run cursor L1=49"},
  });
}

TEST_CASE("which file moves") {
  const auto with = [](const std::string& movement) {
    return "level_base=100,movement=" + movement;
  };
  const std::string overlaps =
      "1: 0-9:60 10-19:60 20-29:60\n2: 0-3:30 4-15:10 20-24:15\n"
      "3: 0-9:100 10-19:5 20-29:100";
  require_plans({
      {"least overlap: 40, 10, 15 bytes", with("least-overlap-parent"), overlaps,
       "level-saturated merge L1:2 L2:5 -> L2 run"},
      {"in bytes, not in files", with("least-overlap-parent"),
       "1: 0-9:60 10-19:60\n2: 0-1:1 2-3:1 4-5:1 10-19:10",
       "level-saturated merge L1:1 L2:3,4,5 -> L2 run"},
      {"ties: the smallest key at first", with("least-overlap-parent"),
       "1: 0-9:60 10-19:60\n2: 30-39:10", "level-saturated move L1:1 -> L2 run cursor L1=9"},
      {"and then in turn", with("least-overlap-parent"), "1@9: 0-9:60 10-19:60\n2: 30-39:10",
       "level-saturated move L1:2 -> L2 run cursor L1=19"},
      {"grandparent: 100, 5, 100 bytes", with("least-overlap-grandparent"), overlaps,
       "level-saturated merge L1:2 L2:5 -> L2 run"},
      {"ties of the grandparent by the parent",
       with("least-overlap-grandparent+least-overlap-parent"),
       "1: 0-9:60 10-19:60\n2: 0-9:20 10-19:10\n3: 30-39:10",
       "level-saturated merge L1:2 L2:4 -> L2 run"},
      {"coldest", with("coldest"), "1: 0-9:60,a=7 10-19:60,a=5 20-29:60,a=6\n2: 90-99:10",
       "level-saturated move L1:2 -> L2 run"},
      {"oldest", with("oldest"), "1: 0-9:60,q=7 10-19:60,q=6 20-29:60,q=5\n2: 90-99:10",
       "level-saturated move L1:3 -> L2 run"},
      {"most tombstones: by number, not by share", with("most-tombstones"),
       "1: 0-9:60,n=10,t=5 10-19:60,n=100,t=6\n2: 90-99:10", "level-saturated move L1:2 -> L2 run"},
      {"only dense ones, where a density is given", with("most-tombstones,tombstone_density=0.5"),
       "1: 0-9:60,n=100,t=6 10-19:60,n=10,t=5\n2: 90-99:10", "level-saturated move L1:2 -> L2 run"},
      {"none: the next criterion", with("most-tombstones+coldest"),
       "1: 0-9:60,a=7 10-19:60,a=5\n2: 90-99:10", "level-saturated move L1:2 -> L2 run"},
      {"round-robin begins at the smallest key", with("round-robin"),
       "1: 0-9:60 10-19:60\n2: 90-99:10", "level-saturated move L1:1 -> L2 run cursor L1=9"},
      {"and goes on behind the cursor", with("round-robin"), "1@9: 0-9:60 10-19:60\n2: 90-99:10",
       "level-saturated move L1:2 -> L2 run cursor L1=19"},
      {"by smallest key: a file across the cursor has had its turn", with("round-robin"),
       "1@12: 0-9:60 10-19:60 20-29:60\n2: 90-99:10",
       "level-saturated move L1:3 -> L2 run cursor L1=29"},
      {"and wraps", with("round-robin"), "1@19: 0-9:60 10-19:60\n2: 90-99:10",
       "level-saturated move L1:1 -> L2 run cursor L1=9"},
      {"a cursor that settled nothing stays", with("coldest+round-robin"),
       "1@9: 0-9:60,a=1 10-19:60,a=2\n2: 90-99:10", "level-saturated move L1:1 -> L2 run"},
      {"expired: the oldest tombstone first; else the next criterion",
       with("expired-ttl+least-overlap-parent,trigger=level-saturation+tombstone-ttl,"
            "delete_persistence=100"),
       "1: 0-9:60,t=1,o=50 10-19:60,t=9,o=40 20-29:60\n2: 0-19:10",
       "level-saturated merge L1:2 L2:4 -> L2 run", 200},
      {"nothing expired",
       with("expired-ttl+least-overlap-parent,trigger=level-saturation+"
            "tombstone-ttl,delete_persistence=1000"),
       "1: 0-9:60,t=1,o=50 10-19:60,t=9,o=40 20-29:60\n2: 0-19:10",
       "level-saturated move L1:3 -> L2 run", 200},
  });
}

TEST_CASE("the grandparent limit turns a move into a rewrite that divides the file") {
  const std::string options = "level_base=100,file_size=10,grandparent_limit=20,movement=none";
  require_plans({
      {"101 bytes overlap 99 two levels down", options, "1: 0-9:101\n2: 20-29:10\n3: 0-9:99",
       "level-saturated move L1:1 -> L2 run"},
      {"or 100", options, "1: 0-9:101\n2: 20-29:10\n3: 0-9:100",
       "level-saturated merge L1:1 -> L2 run"},
      {"level 0 too", options, "0: 0-9:1\n1: 20-29:10\n2: 0-9:200",
       "sorted-run-count merge L0:1 -> L1 run"},
      {"whole levels know no limit", "level_base=100,file_size=10,granularity=level",
       "1: 0-9:101\n2: 20-29:10\n3: 0-9:1000", "level-saturated move L1:1 -> L2 run"},
  });
  testing::TreeReader reader("1: 0-9:101\n2: 0-9:10\n3: 0-9:100");
  const auto plan =
      testing::pick_on(*testing::policy_of_text("primitives:" + options), reader.tree());
  const OutputCut& cut = std::get<MergePlan>(plan->action).cut;
  REQUIRE(cut.grandparents == GrandparentRule::kOverlapLimit);
  REQUIRE(cut.grandparent_bytes_max == Bytes(200));
  REQUIRE(cut.file_bytes == Bytes(10));
}

TEST_CASE("a file that stays too long in its level goes down") {
  const std::string options = "level_base=1000,trigger=staleness+level-saturation,staleness=100";
  require_plans({
      {"100 operations are not too long", options, "1: 0-9:10,s=50\n2: 0-9:10", "nothing", 150},
      {"101 are", options, "1: 0-9:10,s=50\n2: 0-9:10", "stale-file merge L1:1 L2:2 -> L2 run",
       151},
      {"only stale files are chosen from", options,
       "1: 0-9:10,s=100 10-19:10,s=50\n2: 0-9:1 10-19:10", "stale-file merge L1:2 L2:4 -> L2 run",
       151},
      {"nothing gets stale in the last level", options, "2: 0-9:10,s=50", "nothing", 1000},
      {"a stale run of level 0 does not wait for its number", options + ",l0_trigger=4",
       "0: 0-9:10,s=50\n1: 0-9:10", "stale-file merge L0:1 L1:2 -> L1 run", 151},
      {"tiered: the whole level goes", "layout=tiering,trigger=sorted-runs+staleness,staleness=100",
       "1: 0-9:10,s=140 / 0-9:10,s=50\n2: 0-9:10", "stale-file merge L1:1 L1:2 -> L2 new", 151},
  });
}

TEST_CASE("space amplification merges every run into one") {
  const std::string tier = "layout=tiering,trigger=sorted-runs+space-amplification";
  require_plans({
      {"199% is not enough", tier, "1: 0-9:10 / 0-9:189\n2: 0-9:100", "nothing"},
      {"200% is", tier, "1: 0-9:11 / 0-9:189\n2: 0-9:100",
       "space-amplification merge L1:1 L1:2 L2:3 -> L2 new"},
      {"at a percentage of one's own", tier + ",space_amplification_percent=50",
       "1: 0-9:50\n2: 0-9:100", "space-amplification merge L1:1 L2:2 -> L2 new"},
      {"a single run has none", tier + ",space_amplification_percent=1", "2: 0-9:100", "nothing"},
      {"leveled: into the run of the last level",
       "level_base=100,trigger=space-amplification+level-saturation", "1: 0-9:90\n2: 0-9:45",
       "space-amplification merge L1:1 L2:2 -> L2 run"},
      {"two runs that another policy left there are as others",
       "level_base=100,trigger=space-amplification+level-saturation",
       "1: 0-9:90\n2: 0-9:905 / 0-9:450", "space-amplification merge L1:1 L2:2 L2:3 -> L2 new"},
      {"or deeper, where it cannot hold that much",
       "level_base=100,size_ratio=2,trigger=space-amplification+level-saturation",
       "1: 0-9:250\n2: 0-9:120", "space-amplification merge L1:1 L2:2 -> L3 new"},
      {"not while anything is busy", tier, "1: 0-9:11 / 0-9:189,busy\n2: 0-9:100", "nothing"},
  });
}

// D = 1110, T = 10, 4 levels: d = 10, 100, 1000, and the sums are 10, 110, 1110.
TEST_CASE("tombstones have a time to live in each level") {
  const std::string ttl =
      "level_base=1000,trigger=tombstone-ttl+level-saturation,"
      "delete_persistence=1110,movement=expired-ttl+least-overlap-parent";
  require_plans({
      {"110 in level 1 of 4", ttl, "1: 0-9:10,t=1,o=90\n3: 0-9:10", "nothing", 200},
      {"111: nothing to merge with, but older data deeper: a move", ttl,
       "1: 0-9:10,t=1,o=89\n3: 0-9:10", "tombstone-age move L1:1 -> L2 new", 200},
      {"with what it overlaps", ttl, "1: 0-9:10,t=1,o=89\n2: 0-9:10\n3: 90-99:10",
       "tombstone-age merge L1:1 L2:2 -> L2 run", 200},
      {"nothing older: rewritten where it is, so that they go", ttl,
       "1: 0-9:10,t=1,o=89\n2: 10-19:10\n3: 90-99:10", "tombstone-age merge L1:1 -> L1 run", 200},
      {"without tombstones nothing expires", ttl, "1: 0-9:10,o=1\n3: 0-9:10", "nothing", 5000},
      {"in the last level after D", ttl, "3: 0-9:10,t=1,o=90", "nothing", 1200},
      {"and is rewritten there", ttl, "3: 0-9:10,t=1,o=89", "tombstone-age merge L3:1 -> L3 run",
       1200},
      {"upper levels first; of a level the oldest", ttl,
       "1: 0-9:10,t=1,o=9 20-29:10,t=1,o=7\n2: 20-29:10,t=1,o=1\n3: 0-99:10",
       "tombstone-age merge L1:2 L2:3 -> L2 run", 2000},
      {"whole levels of tiers: rewritten in the last one",
       "layout=tiering,trigger=sorted-runs+tombstone-ttl,delete_persistence=1110",
       "1: 0-9:10 / 0-9:10,t=1,o=5", "tombstone-age merge L1:1 L1:2 -> L1 new", 1200},
  });
}

TEST_CASE("shares of a time to live are exact and follow the depth") {
  const DeletePersistence persistence{100, 3};  // 4 levels: 100 * 2/26, 8/26, 1
  REQUIRE(!persistence.is_past(7, 0, 3));       // 7.69
  REQUIRE(persistence.is_past(8, 0, 3));
  REQUIRE(!persistence.is_past(30, 1, 3));  // 30.77
  REQUIRE(persistence.is_past(31, 1, 3));
  REQUIRE(!persistence.is_past(100, 2, 3));
  REQUIRE(persistence.is_past(101, 2, 3));
  REQUIRE(!persistence.is_past(25, 0, 2));  // 100 * 2/8
  REQUIRE(persistence.is_past(26, 0, 2));
  REQUIRE(!persistence.is_past(100, 0, 0));
  REQUIRE(persistence.is_past(101, 0, 0));
  const DeletePersistence huge{~std::uint64_t{0}, 1024};
  REQUIRE(!huge.is_past(~std::uint64_t{0}, 60, 61));
  REQUIRE(huge.is_past(~std::uint64_t{0}, 0, 61));
}

TEST_CASE("dense tombstones go down until they go") {
  const std::string tsd =
      "level_base=1000,trigger=tombstone-density+level-saturation,"
      "movement=most-tombstones+least-overlap-parent";
  require_plans({
      {"19 of 100 are not dense", tsd, "1: 0-9:10,n=100,t=19\n2: 0-9:10", "nothing"},
      {"20 are", tsd, "1: 0-9:10,n=100,t=20\n2: 0-9:10",
       "tombstone-density merge L1:1 L2:2 -> L2 run"},
      {"most tombstones", tsd, "1: 0-9:10,n=100,t=20 10-19:10,n=100,t=21\n2: 0-19:10",
       "tombstone-density merge L1:2 L2:3 -> L2 run"},
      {"a share of one's own", tsd + ",tombstone_density=0.5", "1: 0-9:10,n=3,t=1\n2: 0-9:10",
       "nothing"},
      {"in the last level", tsd, "2: 0-9:10,n=100,t=20", "tombstone-density merge L2:1 -> L2 run"},
      {"a share of 0 still takes a tombstone", tsd + ",tombstone_density=0", "2: 0-9:10,n=100",
       "nothing"},
  });
}

TEST_CASE("busy files are left alone") {
  const std::string options = "level_base=100";
  require_plans({
      {"the best is busy", options, "1: 0-9:60,busy 20-29:60\n2: 20-29:10",
       "level-saturated merge L1:2 L2:3 -> L2 run"},
      {"what it would merge with is busy", options, "1: 0-9:60 20-29:60\n2: 0-9:1,busy 20-29:10",
       "level-saturated merge L1:2 L2:4 -> L2 run"},
      {"everything is", options, "1: 0-9:60,busy 20-29:60\n2: 0-9:1 20-29:10,busy", "nothing"},
      {"level 0 waits for level 1", options, "0: 0-9:10\n1: 5-6:10,busy 20-29:10", "nothing"},
      {"or passes beside it", options, "0: 0-9:10\n1: 10-19:10,busy 20-29:10",
       "sorted-run-count move L0:1 -> L1 run"},
      {"but not between two busy files, whose merge may close the gap", options,
       "0: 12-15:10\n1: 0-9:10,busy 20-29:10,busy", "nothing"},
      {"an empty level waits for the merge that may fill it", options,
       "1: 0-9:60 20-29:60,busy\n3: 0-9:10", "nothing"},
      {"the last file of a run stays while data may be on its way to it", options,
       "0: 50-60:10,busy\n1: 0-9:160\n2: 20-29:10", "nothing"},
      {"neighbours end at a busy one",
       "level_base=100,granularity=files,files=3,movement=round-robin",
       "1: 0-9:60 10-19:60,busy 20-29:60\n2: 90-99:10",
       "level-saturated move L1:1 -> L2 run cursor L1=9"},
      {"or where what they meet is busy",
       "level_base=100,granularity=files,files=3,movement=round-robin",
       "1: 0-9:60 10-19:60 20-29:60\n2: 12-13:10,busy 90-99:10",
       "level-saturated move L1:1 -> L2 run cursor L1=9"},
      {"runs of a tier leave together", "layout=tiering,tier_runs=2",
       "1: 0-9:10 / 0-9:10,busy / 0-9:10", "nothing"},
      {"whole levels wait", "level_base=100,granularity=level",
       "1: 0-9:60 20-29:60\n2: 0-9:10 90-99:10,busy", "nothing"},
  });
}

TEST_CASE("options without effect and combinations without meaning are refused") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"trigger=saturation", "unknown value 'saturation'"},
      {"trigger=staleness+staleness,staleness=5", "'staleness' is given twice"},
      {"granularity=files+level", "only one value is possible"},
      {"movement=oldest+", "unknown value ''"},
      {"layout=tiers", "unknown value 'tiers'"},
      {"runs=2/1", "runs: applies only to layout=hybrid"},
      {"layout=hybrid", "needs runs"},
      {"layout=hybrid,runs=2/x", "'x' is not a number"},
      {"layout=hybrid,runs=0", "'0' is not a number"},
      {"tier_runs=4", "tier_runs: applies only to"},
      {"layout=tiering,trigger=space-amplification", "tiered levels need sorted-runs"},
      {"layout=l-leveling,trigger=level-saturation", "tiered levels need sorted-runs"},
      {"layout=hybrid,runs=4/1,trigger=level-saturation", "tiered levels need sorted-runs"},
      {"layout=hybrid,runs=4", "runs defines none"},
      {"layout=tiering,level_base=1MB", "level_base: applies only to"},
      {"files=3", "files: applies only to"},
      {"granularity=level,grandparent_limit=3", "grandparent_limit: applies only to"},
      {"granularity=sorted-runs", "use granularity=level"},
      {"layout=1-leveling,granularity=sorted-runs", "use granularity=level"},
      {"layout=tiering,granularity=level", "use granularity=sorted-runs"},
      {"layout=tiering,granularity=file", "use sorted-runs with layout=tiering"},
      {"layout=l-leveling,granularity=files", "use level or sorted-runs"},
      {"layout=hybrid,runs=4,trigger=sorted-runs,granularity=level", "defines no leveled level"},
      {"layout=hybrid,runs=4/1/4/1,granularity=file", "would not be ordered by age"},
      {"movement=none+coldest", "none cannot be combined"},
      {"granularity=level,movement=coldest", "files are chosen only"},
      {"layout=tiering,movement=coldest", "files are chosen only"},
      {"movement=round-robin+coldest", "leaves no ties"},
      {"movement=expired-ttl", "needs trigger=tombstone-ttl"},
      {"staleness=5", "staleness: applies only to"},
      {"trigger=staleness", "needs staleness"},
      {"space_amplification_percent=50", "space_amplification_percent: applies only to"},
      {"delete_persistence=50", "delete_persistence: applies only to"},
      {"trigger=tombstone-ttl", "needs delete_persistence"},
      {"tombstone_density=0.5", "tombstone_density: applies only to"},
      {"trigger=tombstone-density,tombstone_density=1.5", "out of range"},
  };
  for (const auto& [options, reason] : cases) {
    const auto made = make_policy(parse_spec("primitives:" + options).value());
    INFO(options);
    REQUIRE(!made.has_value());
    INFO(made.error().message);
    REQUIRE(made.error().kind == ErrorKind::kInput);
    REQUIRE(made.error().message.find(reason) != std::string::npos);
  }
}

TEST_CASE("every value that cannot be read is reported at once") {
  const auto made = make_policy(parse_spec("primitives:layout=foo,trigger=bar,files=1").value());
  const std::string message = made.error().message;
  for (const char* fault : {"layout: unknown value 'foo'", "trigger: unknown value 'bar'",
                            "files: 1 is out of range"}) {
    INFO(message);
    REQUIRE(message.find(fault) != std::string::npos);
  }
}

TEST_CASE("what is in force is reported, given or not") {
  const auto made = make_policy(parse_spec("primitives:layout=l-leveling,size_ratio=4").value());
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"layout", "l-leveling"},
      {"trigger", "sorted-runs+level-saturation"},
      {"granularity", "sorted-runs"},
      {"movement", "none"},
      {"tier_runs", "4"},
      {"l0_trigger", "1"},
      {"level_base", "33554432"},
      {"grandparent_limit", "-"},
      {"staleness", "-"}};
  for (const auto& [name, text] : expected) {
    const ResolvedOptions& options = made.value().options;
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const auto& option) { return option.first == name; });
    INFO(name);
    REQUIRE(found != options.end());
    REQUIRE(option_value_text(found->second) == text);
  }
}

}  // namespace
}  // namespace lsmlab::primitives_test

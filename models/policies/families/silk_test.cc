// SILK's plans are RocksDB's; what is its own is which plan of level 0 goes first, and its options.
#include <string>
#include <vector>

#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::silk_test {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;
const char* const kSmall = "level_base=10MiB,file_size=10M";

std::optional<Plan> pick_level0(const TreeState& drawn) {
  const auto named = make_policy(parse_spec(std::string("silk:") + kSmall).value());
  REQUIRE(named.has_value());
  TreeState tree = drawn;
  tree.keep(named.value().policy->orderings());
  return named.value().policy->pick_level0(tree);
}

struct Level0Case {
  const char* reason;
  std::vector<DrawnFile> files;
  std::vector<std::uint64_t> busy;
  const char* picked;
  const char* of_level0;
};

TEST_CASE("silk's plan of level 0 does not wait for a deeper level with a higher score") {
  const std::vector<DrawnFile> four{{0, 1, 10, 90, kMillion},
                                    {0, 2, 10, 90, kMillion},
                                    {0, 3, 10, 90, kMillion},
                                    {0, 4, 10, 90, kMillion}};
  const auto with = [&](std::vector<DrawnFile> more) {
    std::vector<DrawnFile> files = four;
    files.insert(files.end(), more.begin(), more.end());
    return files;
  };
  const std::vector<Level0Case> cases{
      {"three files are no trigger",
       {{0, 1, 10, 90, kMillion}, {0, 2, 10, 90, kMillion}, {0, 3, 10, 90, kMillion}},
       {},
       "nothing",
       "nothing"},
      {"level 1 has twice its target, level 0 its trigger",
       with({{1, 7, 20, 40, 20 * kMillion}, {2, 8, 30, 35, kMillion}}),
       {},
       "merge L1 7 + L2 8 to L2",
       "merge L0 1,2,3,4 + L1 7 to L1"},
      {"file 7 is an input of a running merge, so that level 0 waits for it",
       with({{1, 7, 20, 40, 20 * kMillion}, {2, 8, 30, 35, kMillion}}),
       {7},
       "nothing",
       "nothing"},
      {"another file of level 1 is one, and level 0 does not wait for it",
       with({{1, 7, 20, 40, 9 * kMillion}, {1, 9, 100, 120, 20 * kMillion}, {2, 8, 30, 35, 1}}),
       {9},
       "merge L0 1,2,3,4 + L1 7 to L1",
       "merge L0 1,2,3,4 + L1 7 to L1"},
      {"level 0 has too few files, whatever level 1 has",
       {{0, 1, 10, 90, kMillion}, {1, 7, 20, 40, 20 * kMillion}},
       {},
       "move L1 7 to L2",
       "nothing"},
  };
  for (const Level0Case& c : cases) {
    INFO(c.reason);
    DrawnTree tree(c.files);
    for (const std::uint64_t id : c.busy) tree.set_busy(id);
    REQUIRE(plan_text(pick_of("silk", kSmall, tree.view())) == c.picked);
    REQUIRE(plan_text(pick_level0(tree.view())) == c.of_level0);
  }
}

TEST_CASE("silk has the options of its authors' benchmark") {
  const auto named = make_policy(parse_spec("silk").value());
  REQUIRE(named.has_value());
  const MergeScheduling rules = named.value().policy->merge_scheduling().value();
  REQUIRE(rules.bandwidth == Bytes(200 * kMillion));
  REQUIRE(rules.bandwidth_min == Bytes(10 * kMillion));
  REQUIRE(rules.bandwidth_step == Bytes(10 * kMillion));
  REQUIRE(rules.pause_above == Bytes(150 * kMillion));
  REQUIRE(rules.interval_us == 10'000);
  REQUIRE(rules.limits_rate);
  REQUIRE_FALSE(rules.separates_requests);
  REQUIRE(named.value().stalls.level0_stop_runs == 36);
  REQUIRE(named.value().estimates_pending_bytes);
  const auto changed = make_policy(
      parse_spec("silk:bandwidth=50MB,bandwidth_min=1MB,pause_above=9MB,plus=true,"
                 "bandwidth_check_interval=500,dynamic_compaction_rate=false,large_request=4kB")
          .value());
  REQUIRE(changed.has_value());
  const MergeScheduling other = changed.value().policy->merge_scheduling().value();
  REQUIRE(other.bandwidth == Bytes(50 * kMillion));
  REQUIRE(other.pause_above == Bytes(9 * kMillion));
  REQUIRE(other.interval_us == 500);
  REQUIRE_FALSE(other.limits_rate);
  REQUIRE(other.separates_requests);
  REQUIRE(other.large_request == Bytes(4'000));
}

TEST_CASE("silk refuses options that contradict each other or are out of range") {
  const auto require_fault = [](const std::string& options, const std::string& fault) {
    const auto policy = make_policy(parse_spec("silk:" + options).value());
    REQUIRE_FALSE(policy.has_value());
    INFO(policy.error().message);
    REQUIRE(policy.error().message.find(fault) != std::string::npos);
  };
  require_fault("bandwidth=5MB", "bandwidth_min: must be at most bandwidth");
  require_fault("bandwidth=5MB", "bandwidth_step: must be at most bandwidth");
  require_fault("bandwidth_min=0", "bandwidth_min");
  require_fault("pause_above=-3", "pause_above");
  require_fault("bandwidth_check_interval=99", "bandwidth_check_interval");
  require_fault("plus=maybe", "plus");
  require_fault("pause_abov=3MB", "pause_above");
}

TEST_CASE("only silk schedules merges by the load of clients") {
  for (const PolicyFamily& family : make_policy_families()) {
    INFO(family.name);
    const auto named = make_policy({family.name, {}});
    REQUIRE(named.has_value());
    REQUIRE(named.value().policy->merge_scheduling().has_value() == (family.name == "silk"));
  }
}

}  // namespace
}  // namespace lsmlab::silk_test

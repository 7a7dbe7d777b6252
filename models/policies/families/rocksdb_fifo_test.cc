// Picks of rocksdb-fifo on hand-made trees.
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::rocksdb_fifo_test {
namespace {

// Files 1, 2, ... of level 0 with these sizes, newest first.
std::vector<DrawnFile> flushes(const std::vector<std::uint64_t>& bytes) {
  std::vector<DrawnFile> files;
  for (const std::uint64_t one : bytes) {
    files.push_back({0, files.size() + 1, 10, 90, one, {}, 10});
  }
  return files;
}

TEST_CASE("rocksdb-fifo drops the oldest files until the rest fits") {
  check_picks(
      "rocksdb-fifo",
      {
          {"just as much as may be",
           "max_table_files_size=30",
           flushes({10, 10, 10}),
           {},
           "nothing"},
          {"a byte more", "max_table_files_size=30", flushes({10, 10, 11}), {}, "drop L0 3"},
          {"as many as it takes",
           "max_table_files_size=15",
           flushes({10, 10, 10, 10}),
           {},
           "drop L0 2,3,4"},
          {"the newest too, if it alone is too large",
           "max_table_files_size=30",
           flushes({100}),
           {},
           "drop L0 1"},
          {"nothing while a file of level 0 is busy",
           "max_table_files_size=30",
           flushes({10, 10, 20}),
           {1},
           "nothing"},
          {"small files do not merge by default",
           "l0_trigger=2",
           flushes({1, 1, 1, 1, 1, 1}),
           {},
           "nothing"},
      });
}

TEST_CASE("rocksdb-fifo first drops what another policy left below level 0") {
  const std::vector<DrawnFile> files{
      {0, 1, 10, 90, 40}, {2, 2, 10, 19, 10}, {3, 3, 10, 19, 10}, {3, 4, 20, 29, 10}};
  check_picks(
      "rocksdb-fifo",
      {
          {"level 0 alone holds less than the limit",
           "max_table_files_size=41",
           files,
           {},
           "nothing"},
          {"the smallest keys of the deepest level, until the rest fits",
           "max_table_files_size=40",
           files,
           {},
           "drop L3 3,4"},
          {"one file at least", "max_table_files_size=30", {files[0], files[3]}, {}, "drop L3 4"},
      });
}

TEST_CASE("rocksdb-fifo merges its newest files, where that is allowed and cheap") {
  const std::string options = "allow_compaction=true,l0_trigger=3,buffer=100";
  check_picks(
      "rocksdb-fifo",
      {
          {"two are too few", options, flushes({10, 10}), {}, "nothing"},
          {"three", options, flushes({10, 10, 10}), {}, "merge L0 1,2,3 to L0"},
          {"the fourth would cost more per file",
           options,
           flushes({10, 10, 10, 100}),
           {},
           "merge L0 1,2,3 to L0"},
          {"15 bytes per file are 1.1 memtables",
           "allow_compaction=true,l0_trigger=3,buffer=13",
           flushes({10, 10, 10}),
           {},
           "nothing"},
          {"a little less",
           "allow_compaction=true,l0_trigger=3,buffer=15",
           flushes({10, 10, 10}),
           {},
           "merge L0 1,2,3 to L0"},
          {"more than max_compaction_bytes",
           options + ",max_compaction_bytes=29",
           flushes({10, 10, 10}),
           {},
           "nothing"},
          {"the newest is busy", options, flushes({10, 10, 10, 10}), {1}, "nothing"},
          {"up to a busy one", options, flushes({10, 10, 10, 10}), {4}, "merge L0 1,2,3 to L0"},
          {"too much data goes before",
           options + ",max_table_files_size=25",
           flushes({10, 10, 10}),
           {},
           "drop L0 3"},
      });
  const auto drops = [&](const std::vector<std::uint64_t>& bytes) {
    const auto plan = pick_of("rocksdb-fifo", options, DrawnTree(flushes(bytes)).view());
    REQUIRE(plan.has_value());
    REQUIRE(plan->reason == PlanReason::kLevel0Only);
    REQUIRE(!std::get<MergePlan>(plan->action).cut.file_bytes);
    return std::get<MergePlan>(plan->action).drops_tombstones;
  };
  REQUIRE(drops({10, 10, 10}));
  REQUIRE(!drops({10, 10, 10, 100}));
}

TEST_CASE("rocksdb-fifo drops files whose data was first written too long ago") {
  const auto plan_at = [](const std::string& options, const std::vector<std::uint64_t>& ancestors,
                          PlanReason reason = PlanReason::kTimeToLive) {
    std::vector<DrawnFile> files = flushes(std::vector<std::uint64_t>(ancestors.size(), 10));
    for (std::size_t i = 0; i < files.size(); ++i) files[i].oldest_ancestor = ancestors[i];
    DrawnTree tree(files);
    tree.state().advance_now(Instant(1000));
    const auto plan = pick_of("rocksdb-fifo", options, tree.view());
    if (plan) REQUIRE(plan->reason == reason);
    return plan_text(plan);
  };
  REQUIRE(plan_at("ttl=100", {950, 940, 900}) == "nothing");  // exactly as old as may be
  REQUIRE(plan_at("ttl=100", {950, 940, 899}) == "drop L0 3");
  REQUIRE(plan_at("ttl=100", {950, 899, 5}) == "drop L0 2,3");
  REQUIRE(plan_at("ttl=100", {899, 950, 5}) == "drop L0 3");  // up to the first that may stay
  REQUIRE(plan_at("ttl=100", {5, 950, 950}) == "nothing");    // the oldest may stay
  REQUIRE(plan_at("ttl=2000", {950, 940, 1}) == "nothing");   // the store is younger than that
  // What is left would be too large: the limit on size decides alone.
  REQUIRE(plan_at("ttl=100,max_table_files_size=15", {950, 940, 5}, PlanReason::kTotalSize) ==
          "drop L0 2,3");
  REQUIRE(plan_at("ttl=100,max_table_files_size=20", {950, 940, 5}) == "drop L0 3");
  REQUIRE(plan_at("ttl=100,allow_compaction=true,l0_trigger=3", {950, 940, 930},
                  PlanReason::kLevel0Only) == "merge L0 1,2,3 to L0");
}

TEST_CASE("rocksdb-fifo needs only sizes, unless it goes by age") {
  const auto needs = [](const std::string& spec) {
    return make_policy(parse_spec(spec).value()).value().policy->needs();
  };
  REQUIRE(needs("rocksdb-fifo") == PolicyNeeds::kSizes);
  REQUIRE(needs("rocksdb-fifo:allow_compaction=true") == PolicyNeeds::kSizes);
  REQUIRE(needs("rocksdb-fifo:ttl=10k") == PolicyNeeds::kKeys);
  const auto fault = make_policy(parse_spec("rocksdb-fifo:max_table_files_size=0").value());
  REQUIRE(!fault.has_value());
  REQUIRE(fault.error().message.find("max_table_files_size") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::rocksdb_fifo_test

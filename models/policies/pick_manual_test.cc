// Manual compactions on hand-made trees: what the systems do when a client asks them to merge
// everything.
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::pick_manual_test {
namespace {

struct ManualCase {
  std::string reason;
  std::string policy;
  std::vector<DrawnFile> files;
  std::uint64_t first_new = 1000;
  std::string expected;
  ManualScope scope = ManualScope::kWhole;
};

std::string picked(const ManualCase& c, const std::vector<std::uint64_t>& busy = {}) {
  DrawnTree tree(c.files);
  for (const std::uint64_t id : busy) tree.set_busy(id);
  const auto named = make_policy(parse_spec(c.policy).value()).value();
  REQUIRE(named.policy->compacts(c.scope));
  TreeState kept = tree.view();
  kept.keep(named.policy->orderings());
  const std::optional<Plan> plan = named.policy->pick_manual(kept, {c.scope, FileId(c.first_new)});
  if (plan) REQUIRE(plan->reason == PlanReason::kManual);
  return plan_text(plan);
}

void check(const std::vector<ManualCase>& cases) {
  for (const ManualCase& c : cases) {
    INFO(c.reason);
    REQUIRE(picked(c) == c.expected);
  }
}

}  // namespace

TEST_CASE("a manual compaction of RocksDB's leveled style goes level by level") {
  const std::string leveled = "rocksdb-leveled:file_size=100,max_compaction_bytes=1000";
  check({
      {"an empty store", leveled, {}, 1000, "nothing"},
      {"level 0 goes as a whole, also files that overlap nothing",
       leveled,
       {{0, 5, 70, 80}, {0, 4, 10, 20}, {1, 3, 15, 30}, {2, 1, 10, 90}},
       1000,
       "merge L0 5,4 + L1 3 to L1"},
      {"level 0 without overlap moves",
       leveled,
       {{0, 5, 70, 80}, {0, 4, 10, 20}, {2, 1, 10, 90}},
       1000,
       "move L0 5,4 to L1"},
      {"to the base level, with dynamic levels",
       "rocksdb-leveled:dynamic_levels=true",
       {{0, 5, 10, 80}, {0, 4, 10, 20}, {6, 1, 10, 90}},
       1000,
       "merge L0 5,4 + L6 1 to L6"},
      {"the shallowest level, while a deeper one has files",
       leveled,
       {{1, 5, 10, 80}, {2, 4, 10, 20}, {3, 1, 10, 90}},
       1000,
       "merge L1 5 + L2 4 to L2"},
      {"a piece ends where inputs and what they overlap reach the limit: 300 + 300 + 500",
       leveled,
       {{1, 5, 10, 19, 300}, {1, 6, 20, 29, 300}, {1, 7, 30, 39, 300}, {2, 4, 20, 29, 500}},
       1000,
       "merge L1 5,6 + L2 4 to L2"},
      {"what overlaps nothing moves",
       leveled,
       {{1, 5, 10, 19, 300}, {2, 4, 20, 29, 500}},
       1000,
       "move L1 5 to L2"},
      {"files of the deepest level are rewritten in their place, each once",
       leveled,
       {{2, 4, 10, 19, 300}, {2, 5, 20, 29, 300}},
       1000,
       "merge L2 4,5 to L2"},
      {"a piece of the deepest level: each file counts twice",
       leveled,
       {{2, 4, 10, 19, 300}, {2, 5, 20, 29, 300}, {2, 6, 30, 39, 300}},
       1000,
       "merge L2 4,5 to L2"},
      {"what the compaction wrote itself stays",
       leveled,
       {{2, 8, 10, 19, 300}, {2, 5, 20, 29, 300}, {2, 9, 30, 39, 300}, {2, 6, 40, 49, 300}},
       8,
       "merge L2 5 to L2"},
      {"until nothing is old", leveled, {{2, 8, 10, 19}, {2, 9, 20, 29}}, 8, "nothing"},
  });
}

TEST_CASE("a manual compaction of RocksDB that is not forced leaves the deepest level") {
  const std::string leveled = "rocksdb-leveled:file_size=100,max_compaction_bytes=1000";
  const auto upper = ManualScope::kUpper;
  check({
      {"level 0 goes to level 1, even if nothing is deeper",
       leveled,
       {{0, 5, 10, 80}, {0, 4, 10, 20}},
       1000,
       "merge L0 5,4 to L1",
       upper},
      {"level by level",
       leveled,
       {{1, 5, 10, 80}, {2, 4, 10, 20}, {3, 1, 10, 90}},
       1000,
       "merge L1 5 + L2 4 to L2",
       upper},
      {"old files of the deepest level stay", leveled, {{2, 4, 10, 19}}, 1000, "nothing", upper},
      {"universal: all runs",
       "rocksdb-universal",
       {{0, 5, 10, 80}, {0, 4, 10, 20}, {6, 1, 10, 90}},
       1000,
       "merge L0 5,4 + L6 1 to L6",
       upper},
      {"LevelDB knows no other way",
       "leveldb:file_size=100",
       {{0, 5, 70, 80}},
       1000,
       "merge L0 5 to L1",
       upper},
      {"a stack becomes one run",
       "binomial:k=4",
       {{0, 5, 10, 80}, {0, 4, 10, 20}},
       1000,
       "merge L0 5,4 to L0",
       upper},
  });
}

TEST_CASE("compact0 merges level 0 into the next level with data") {
  const auto level0 = ManualScope::kLevel0;
  for (const std::string policy : {"rocksdb-leveled", "rocksdb-universal"}) {
    INFO(policy);
    check({
        {"an empty store", policy, {}, 1000, "nothing", level0},
        {"nothing is deeper", policy, {{0, 5, 10, 80}, {0, 4, 10, 20}}, 1000, "nothing", level0},
        {"level 0 is empty", policy, {{3, 5, 10, 80}, {5, 4, 10, 20}}, 1000, "nothing", level0},
        {"the next level with data, and of it what the whole level overlaps",
         policy,
         {{0, 5, 70, 80},
          {0, 4, 20, 30},
          {4, 3, 5, 9},
          {4, 2, 40, 50},
          {4, 1, 60, 75},
          {6, 6, 1, 99}},
         1000,
         "merge L0 5,4 + L4 2,1 to L4",
         level0},
        {"nothing moves", policy, {{0, 5, 70, 80}, {4, 3, 5, 9}}, 1000, "merge L0 5 to L4", level0},
    });
    const ManualCase busy{"",   policy, {{0, 5, 10, 80}, {0, 4, 10, 20}, {4, 3, 5, 15}},
                          1000, "",     level0};
    REQUIRE(picked(busy) == "merge L0 5,4 + L4 3 to L4");
    REQUIRE(picked(busy, {4}) == "nothing");
    REQUIRE(picked(busy, {3}) == "nothing");
  }
}

TEST_CASE("compact1 merges the first level with data below level 0 into the next one, once") {
  const auto level1 = ManualScope::kLevel1;
  for (const std::string policy : {"rocksdb-leveled", "rocksdb-universal"}) {
    INFO(policy);
    check({
        {"an empty store", policy, {}, 1000, "nothing", level1},
        {"nothing below level 0", policy, {{0, 5, 10, 80}}, 1000, "nothing", level1},
        {"nothing is deeper", policy, {{0, 5, 10, 80}, {2, 4, 10, 20}}, 1000, "nothing", level1},
        {"level 0 stays",
         policy,
         {{0, 5, 10, 80}, {2, 4, 10, 20}, {2, 3, 40, 50}, {5, 2, 15, 30}, {5, 1, 60, 70}},
         1000,
         "merge L2 4,3 + L5 2 to L5",
         level1},
        {"its outputs stay",
         policy,
         {{5, 8, 10, 50}, {5, 1, 60, 70}, {6, 2, 1, 99}},
         8,
         "nothing",
         level1},
    });
  }
}

TEST_CASE("a merge of one level by command ends files at file_size in any level") {
  for (const std::string family : {"rocksdb-leveled", "rocksdb-universal"}) {
    DrawnTree tree({{0, 5, 70, 80}, {4, 3, 5, 75}});
    const auto policy =
        make_policy(parse_spec(family + ":file_size=100,file_size_multiplier=2").value())
            .value()
            .policy;
    TreeState kept = tree.view();
    kept.keep(policy->orderings());
    const Plan plan = policy->pick_manual(kept, {ManualScope::kLevel0, FileId(1000)}).value();
    const OutputCut& cut = std::get<MergePlan>(plan.action).cut;
    REQUIRE(cut.file_bytes == Bytes(100));
    REQUIRE(cut.grandparents == GrandparentRule::kIgnored);
    REQUIRE(std::get<MergePlan>(plan.action).drops_tombstones);
  }
}

TEST_CASE("other policies have no merge of one level by command") {
  for (const std::string spec : {"leveldb", "binomial:k=4", "ldc"}) {
    const auto policy = make_policy(parse_spec(spec).value()).value().policy;
    REQUIRE_FALSE(policy->compacts(ManualScope::kLevel0));
    REQUIRE_FALSE(policy->compacts(ManualScope::kLevel1));
  }
  // FIFO has level 0 only.
  const ManualCase fifo{"", "rocksdb-fifo",      {{0, 5, 10, 80}, {0, 4, 10, 20}}, 1000,
                        "", ManualScope::kLevel0};
  REQUIRE(picked(fifo) == "nothing");
}

TEST_CASE("a manual compaction of RocksDB's leveled style waits for running plans") {
  const ManualCase c{"",
                     "rocksdb-leveled",
                     {{0, 5, 10, 80}, {0, 4, 10, 20}, {1, 3, 10, 90}},
                     1000,
                     "merge L0 5,4 + L1 3 to L1"};
  REQUIRE(picked(c) == c.expected);
  REQUIRE(picked(c, {4}) == "nothing");
  REQUIRE(picked(c, {3}) == "nothing");
}

TEST_CASE("a manual compaction of RocksDB's universal style merges all runs into the last level") {
  check({
      {"an empty store", "rocksdb-universal", {}, 1000, "nothing"},
      {"all runs",
       "rocksdb-universal",
       {{0, 5, 10, 80}, {0, 4, 10, 20}, {5, 3, 10, 90}, {6, 1, 10, 90}},
       1000,
       "merge L0 5,4 + L5 3 + L6 1 to L6"},
      {"into level 0, if there is no other",
       "rocksdb-universal:levels=1",
       {{0, 5, 10, 80}, {0, 4, 10, 20}},
       1000,
       "merge L0 5,4 to L0"},
      {"nothing moves, and a single run is rewritten",
       "rocksdb-universal:allow_trivial_move=true",
       {{4, 5, 10, 80}},
       1000,
       "merge L4 5 to L6"},
      {"once", "rocksdb-universal", {{6, 8, 10, 80}}, 8, "nothing"},
  });
}

TEST_CASE("a manual compaction of LevelDB goes level by level, a file at a time") {
  const std::string leveldb = "leveldb:file_size=100";
  check({
      {"level 0 goes as a whole",
       leveldb,
       {{0, 5, 70, 80}, {0, 4, 10, 20}, {1, 3, 15, 30}, {2, 1, 10, 90}},
       1000,
       "merge L0 5,4 + L1 3 to L1"},
      {"also if nothing is deeper", leveldb, {{0, 5, 70, 80}}, 1000, "merge L0 5 to L1"},
      {"nothing moves",
       leveldb,
       {{1, 5, 10, 19, 100}, {1, 6, 20, 29, 100}, {2, 4, 30, 39, 100}},
       1000,
       "merge L1 5 to L2"},
      {"small files go together",
       leveldb,
       {{1, 5, 10, 19, 60}, {1, 6, 20, 29, 60}, {1, 7, 30, 39, 60}, {2, 4, 60, 69, 100}},
       1000,
       "merge L1 5,6 to L2"},
      {"the deepest level stays", leveldb, {{2, 4, 30, 39, 100}}, 1000, "nothing"},
  });
}

TEST_CASE("a manual compaction of a stack-based policy merges the stack into one run") {
  check({
      {"all runs",
       "binomial:k=4",
       {{0, 5, 10, 80}, {0, 4, 10, 20}, {0, 3, 10, 90}},
       1000,
       "merge L0 5,4,3 to L0"},
      {"one run is merged already", "binomial:k=4", {{0, 5, 10, 80}}, 1000, "nothing"},
  });
}

}  // namespace lsmlab::pick_manual_test

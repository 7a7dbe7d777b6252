#include "models/execution/tombstone_rule.h"

#include "testing/catch.h"
#include "testing/tree_reader.h"

namespace lsmlab {
namespace {

// A merge of all of the given levels into `target`.
MergePlan merge_of(const TreeView& tree, const std::vector<std::uint32_t>& levels,
                   OutputTarget target) {
  MergePlan plan;
  for (const std::uint32_t level : levels) {
    for (const SortedRun& run : tree.levels()[level].runs) {
      plan.inputs.push_back(input_of(level, run, run.files));
    }
  }
  plan.target = target;
  return plan;
}

TEST_CASE("runs beside the new run of a tiered level are older than what comes from above") {
  testing::TreeReader reader("1: 0-9:10 / 20-29:10\n2: 5-6:10\n3: 25-25:10");
  TombstoneRule rule(reader.tree(), merge_of(reader.tree(), {1}, {2, std::nullopt}));
  REQUIRE(rule.drops(4));
  REQUIRE(!rule.drops(5));
  REQUIRE(rule.drops(7));
  REQUIRE(!rule.drops(25));
  REQUIRE(rule.drops(26));
}

TEST_CASE("runs of the inputs' own level matter where they are older") {
  testing::TreeReader reader("1: 0-9:10 / 5-6:10 / 8-8:10");
  const SortedRun& middle = reader.tree().levels()[1].runs[1];
  MergePlan plan;
  plan.inputs = {input_of(1, middle, middle.files)};
  plan.target = {1, middle.id};
  TombstoneRule rule(reader.tree(), plan);
  REQUIRE(rule.drops(5));
  REQUIRE(!rule.drops(8));
}

TEST_CASE("nothing is older than all of the tree") {
  testing::TreeReader reader("0: 0-9:10\n1: 0-9:10 / 0-9:10\n2: 0-9:10");
  TombstoneRule rule(reader.tree(), merge_of(reader.tree(), {0, 1, 2}, {2, std::nullopt}));
  REQUIRE(rule.drops_all());
}

}  // namespace
}  // namespace lsmlab

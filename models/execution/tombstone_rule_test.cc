#include "models/execution/tombstone_rule.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "testing/catch.h"
#include "testing/tree_reader.h"

namespace lsmlab::tombstone_rule_test {
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

TEST_CASE("with gc_grace a merge drops a tombstone only when so many writes came after it") {
  testing::TreeReader reader("0: 50-60:10,q=81,l=100\n1: 0-9:10,q=1,l=80\n2: 5-6:10");
  const MergePlan plan = merge_of(reader.tree(), {1}, {1, std::nullopt});
  TombstoneRule rule(reader.tree(), plan, PreRemove::kFiles, 30);
  REQUIRE(rule.drops(4, 70));
  REQUIRE(!rule.drops(4, 71));
  REQUIRE(!rule.drops(5, 1));  // older data may lie in level 2
  REQUIRE(rule.drops(7, 1));
  TombstoneRule long_grace(reader.tree(), plan, PreRemove::kFiles, 100);
  REQUIRE(!long_grace.drops(4, 1));
  const MergePlan all = merge_of(reader.tree(), {1, 2}, {2, std::nullopt});
  REQUIRE(TombstoneRule(reader.tree(), all).drops_all());
  REQUIRE(!TombstoneRule(reader.tree(), all, PreRemove::kFiles, 30).drops_all());
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

TEST_CASE("other files of an input run matter where they are older than another input") {
  // Level 0: the newer run covers all keys. Of the older one only the first file is an input.
  testing::TreeReader reader("0: 0-9:10 / 0-4:10 5-9:10\n1: 3-3:10");
  const std::vector<SortedRun>& runs = reader.tree().levels()[0].runs;
  MergePlan plan;
  plan.inputs = {input_of(0, runs[0], runs[0].files), {0, runs[1].id, {runs[1].files[0].id}}};
  plan.target = {0, std::nullopt};
  TombstoneRule rule(reader.tree(), plan);
  // Level 1 is deeper.
  REQUIRE(rule.drops(2));
  REQUIRE(!rule.drops(3));
  REQUIRE(rule.drops(4));
  REQUIRE(!rule.drops(5));
  // Only files of the older run: the rest of it shares no key with them.
  plan.inputs = {{0, runs[1].id, {runs[1].files[0].id}}};
  TombstoneRule alone(reader.tree(), plan);
  REQUIRE(alone.drops(2));
  REQUIRE(!alone.drops(3));
  REQUIRE(alone.drops(4));
}

TEST_CASE("kept ranges tell that keys between them have nothing older") {
  testing::TreeReader reader("1: 0-99:10\n2: 10-49:10 / 30-69:10,n=3\n3: 90-95:10");
  TreeState& tree = reader.tree();
  const MergePlan plan = merge_of(tree, {1}, {2, std::nullopt});
  const auto keep = [&](FileId id, KeptRanges ranges) {
    tree.set_kept_ranges(*tree.find_file(id), std::make_shared<const KeptRanges>(ranges));
  };
  keep(FileId(2), {{10, 19}, {25, 25}, {40, 49}});
  keep(FileId(3), {{30, 31}, {60, 69}});
  TombstoneRule rule(tree, plan, PreRemove::kBlocks);
  std::vector<std::uint64_t> dropped;
  for (std::uint64_t key = 0; key < 100; ++key) {
    if (rule.drops(key)) dropped.push_back(key);
  }
  std::vector<std::uint64_t> expected;
  const auto expect = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t key = first; key <= last; ++key) expected.push_back(key);
  };
  expect(0, 9);
  expect(20, 24);
  expect(26, 29);
  expect(32, 39);
  expect(50, 59);
  expect(70, 89);
  expect(96, 99);
  REQUIRE(dropped == expected);
  // Keys 10 to 69 lie in files with ranges, 90 to 95 in one of which nothing is kept.
  REQUIRE(rule.tests() == KeptRangeTests{66, 27});
}

TEST_CASE("filters decide about keys in the range of an older file") {
  // The last file has no write that is older than write 50.
  testing::TreeReader reader("0: 0-9:10\n1: 0-5:10,q=1,l=40 6-9:10,q=1,l=40 / 0-9:10,q=50,l=90");
  const std::vector<SortedRun>& runs = reader.tree().levels()[1].runs;
  const std::vector<FileId> ids{runs[0].files[0].id, runs[0].files[1].id, runs[1].files[0].id};
  TombstoneRule rule(reader.tree(), merge_of(reader.tree(), {0}, {0, std::nullopt}),
                     PreRemove::kFilters);
  REQUIRE(rule.asks_filters());
  REQUIRE(!rule.drops(3, 60));
  std::vector<FileId> asked;
  const auto asks_of = [&](std::uint64_t key, std::uint64_t sequence,
                           std::optional<FileId> holder) {
    asked.clear();
    return rule.drops(key, sequence, [&](FileId id) {
      asked.push_back(id);
      return id == holder;
    });
  };
  REQUIRE(asks_of(3, 60, std::nullopt));
  REQUIRE(asked == std::vector{ids[0], ids[2]});
  REQUIRE(!asks_of(4, 60, ids[2]));
  REQUIRE(asks_of(4, 49, ids[2]));  // what that file holds is newer
  REQUIRE(asked == std::vector{ids[0]});
  REQUIRE(!asks_of(7, 60, ids[1]));
  REQUIRE(asked == std::vector{ids[1]});
}

TEST_CASE("the parts of older files are cut to the keys that are asked about") {
  testing::TreeReader reader("0: 0-9:10\n1: 0-3:10 5-9:10\n2: 8-20:10");
  const TombstoneRule rule(reader.tree(), merge_of(reader.tree(), {0}, {0, std::nullopt}),
                           PreRemove::kFilters);
  const auto text = [&](const KeyRange& keys) {
    std::string parts;
    for (const auto& list : rule.older_parts(keys)) {
      parts += "|";
      for (const TombstoneRule::OlderPart& part : list) {
        parts += fmt::format(" {}:{}-{}", part.file.value(), part.keys.smallest, part.keys.largest);
      }
    }
    return parts;
  };
  REQUIRE(text({2, 6}) == "| 2:2-3 3:5-6");
  REQUIRE(text({4, 4}).empty());
  REQUIRE(text({9, 30}) == "| 3:9-9| 4:9-20");
}

TEST_CASE("without removal before the last level a tombstone stays while anything is older") {
  testing::TreeReader reader("1: 0-9:10\n2: 20-29:10");
  const MergePlan upper = merge_of(reader.tree(), {1}, {1, std::nullopt});
  TombstoneRule files(reader.tree(), upper);
  REQUIRE(files.drops(5));
  TombstoneRule off(reader.tree(), upper, PreRemove::kOff);
  REQUIRE(!off.drops(5));
  const MergePlan whole = merge_of(reader.tree(), {1, 2}, {2, std::nullopt});
  TombstoneRule last(reader.tree(), whole, PreRemove::kOff);
  REQUIRE(last.drops(5));
}

TEST_CASE("nothing is older than all of the tree") {
  testing::TreeReader reader("0: 0-9:10\n1: 0-9:10 / 0-9:10\n2: 0-9:10");
  TombstoneRule rule(reader.tree(), merge_of(reader.tree(), {0, 1, 2}, {2, std::nullopt}));
  REQUIRE(rule.drops_all());
}

}  // namespace
}  // namespace lsmlab::tombstone_rule_test

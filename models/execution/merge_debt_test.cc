#include "models/execution/merge_debt.h"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "models/execution/plan_execution.h"
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/oracles/mini_store.h"

namespace lsmlab::merge_debt_test {
namespace {

using Rule = std::function<std::optional<Plan>(const TreeView&)>;

class RuleOf : public Policy {
 public:
  explicit RuleOf(Rule rule) : rule_(std::move(rule)) {}
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    return rule_(tree);
  }

 private:
  Rule rule_;
};

struct FileSpec {
  KeyRange keys;
  std::uint64_t bytes = 0;
  std::uint64_t tombstones = 0;
};

// A flush that goes to a level as a new run, or into the level's newest run.
void add_files(TreeState& tree, std::uint32_t level, const std::vector<FileSpec>& specs) {
  tree.begin_flush({Bytes(1), Entries(1), specs.front().keys});
  TreeEdit edit;
  edit.takes_memtable = true;
  TreeEdit::Added added{{level, {}}, {}};
  const std::uint64_t number = tree.flush_count() + 1;
  for (const FileSpec& spec : specs) {
    File file;
    file.keys = spec.keys;
    file.bytes = Bytes(spec.bytes);
    file.entries = Entries(spec.bytes);
    file.tombstones = Entries(spec.tombstones);
    finish_file(file, tree.allocate_file_id(), {number, number}, tree.now(), tree.now());
    added.files.push_back(std::move(file));
  }
  edit.added.push_back(std::move(added));
  REQUIRE(tree.apply(edit).has_value());
}

std::vector<PlanInput> whole_runs(const TreeView& tree, std::uint32_t level) {
  std::vector<PlanInput> inputs;
  if (level >= tree.levels().size()) return inputs;
  for (const SortedRun& run : tree.levels()[level].runs) {
    PlanInput input{level, run.id, {}};
    for (const File& file : run.files) input.files.push_back(file.id);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// Merges three runs of a level into one run of the next.
std::optional<Plan> merge_threes(const TreeView& tree) {
  if (tree.pending_flush()) return Plan{PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}};
  for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
    if (tree.levels()[level].runs.size() < 3 || tree.levels()[level].runs.front().busy()) continue;
    MergePlan merge;
    merge.inputs = whole_runs(tree, level);
    merge.target = {level + 1, {}};
    return Plan{PlanReason::kSortedRunCount, merge, {}};
  }
  return std::nullopt;
}

// Two runs of 300 bytes below three of 100.
TreeState cascading_tree() {
  TreeState tree;
  for (int i = 0; i < 2; ++i) add_files(tree, 1, {{{0, 999}, 300}});
  for (int i = 0; i < 3; ++i) add_files(tree, 0, {{{0, 999}, 100}});
  return tree;
}

TEST_CASE("a store owes each merge that follows from another, byte for byte") {
  const MergeDebt debt = merge_debt(RuleOf(merge_threes), cascading_tree(), {});
  REQUIRE(debt.is_whole);
  REQUIRE(debt.plans == 2);
  REQUIRE(debt.merges == 2);
  REQUIRE(debt.bytes_read == 300 + 900);
  REQUIRE(debt.bytes_written == 300 + 900);
}

TEST_CASE("a tree as its policy wants it owes nothing") {
  TreeState tree;
  add_files(tree, 0, {{{0, 999}, 100}});
  const MergeDebt debt = merge_debt(RuleOf(merge_threes), tree, {});
  REQUIRE(debt.is_whole);
  REQUIRE(debt.plans == 0);
  REQUIRE(debt.bytes_read + debt.bytes_written == 0);
}

TEST_CASE("memtables that wait are owed, and the merges that they bring about") {
  TreeState tree;
  add_files(tree, 0, {{{0, 999}, 100}});
  tree.begin_flush({Bytes(100), Entries(1), {0, 999}});
  const std::vector<PendingFlush> waiting{{Bytes(150), Entries(1), {0, 999}}};
  const MergeDebt debt = merge_debt(RuleOf(merge_threes), tree, {.waiting = waiting});
  REQUIRE(debt.is_whole);
  REQUIRE(debt.plans == 3);
  REQUIRE(debt.merges == 1);
  REQUIRE(debt.bytes_read == 350);
  REQUIRE(debt.bytes_written == 100 + 150 + 350);
}

TEST_CASE("a merge that runs is not owed, what follows from it is") {
  TreeState tree = cascading_tree();
  const Plan running = *merge_threes(tree);
  REQUIRE(tree.reserve(running).has_value());
  const MergeDebt debt = merge_debt(RuleOf(merge_threes), tree, {.running = {&running, 1}});
  REQUIRE(debt.merges == 1);
  REQUIRE(debt.bytes_read == 900);
}

TEST_CASE("an eager merge that runs brings its memtable along") {
  TreeState tree;
  for (int i = 0; i < 2; ++i) add_files(tree, 1, {{{0, 999}, 300}});
  for (int i = 0; i < 2; ++i) add_files(tree, 0, {{{0, 999}, 100}});
  tree.begin_flush({Bytes(100), Entries(1), {0, 999}});
  MergePlan eager;
  eager.takes_memtable = true;
  eager.inputs = whole_runs(tree, 0);
  eager.target = {1, {}};
  const Plan running{PlanReason::kSortedRunCount, eager, {}};
  REQUIRE(tree.reserve(running).has_value());
  const MergeDebt debt = merge_debt(RuleOf(merge_threes), tree, {.running = {&running, 1}});
  REQUIRE(debt.merges == 1);
  REQUIRE(debt.bytes_read == 300 + 300 + 300);
}

TEST_CASE("a flush and several merges that run are taken as done, their targets gone or not") {
  TreeState tree;
  add_files(tree, 2, {{{0, 499}, 1000}});
  add_files(tree, 1, {{{0, 499}, 300}});
  for (int i = 0; i < 3; ++i) add_files(tree, 0, {{{500, 999}, 100}});
  // The target run of this merge disappears with its only file, which the other merge takes.
  MergePlan up;
  up.inputs = whole_runs(tree, 0);
  up.target = {1, tree.levels()[1].runs.front().id};
  MergePlan down;
  down.inputs = whole_runs(tree, 1);
  down.inputs.push_back(whole_runs(tree, 2).front());
  down.target = {2, tree.levels()[2].runs.front().id};
  tree.begin_flush({Bytes(100), Entries(1), {0, 999}});
  const std::vector<Plan> running{{PlanReason::kLevelSaturated, down, {}},
                                  {PlanReason::kLevelSaturated, up, {}},
                                  {PlanReason::kMemtableFull, FlushPlan{{0, {}}}, {}}};
  for (const Plan& plan : running) REQUIRE(tree.reserve(plan).has_value());
  std::vector<std::size_t> runs;
  const RuleOf policy([&](const TreeView& seen) -> std::optional<Plan> {
    for (const Level& level : seen.levels()) runs.push_back(level.runs.size());
    return std::nullopt;
  });
  const MergeDebt debt = merge_debt(policy, tree, {.running = running});
  REQUIRE(debt.is_whole);
  REQUIRE(debt.bytes_read + debt.bytes_written == 0);
  REQUIRE(runs == std::vector<std::size_t>{1, 1, 1});
}

TEST_CASE("more plans than were asked for are not counted, and that is told") {
  const MergeDebt debt = merge_debt(RuleOf(merge_threes), cascading_tree(), {.plans_max = 1});
  REQUIRE_FALSE(debt.is_whole);
  REQUIRE(debt.plans == 1);
  REQUIRE(debt.bytes_read == 300);
}

TEST_CASE("keys lie evenly within inputs, and outputs end at the plan's size") {
  TreeState tree;
  add_files(tree, 1, {{{0, 499}, 100}, {{500, 999}, 300}});
  add_files(tree, 0, {{{0, 999}, 100}});
  std::vector<File> outputs;
  const RuleOf policy([&](const TreeView& seen) -> std::optional<Plan> {
    if (seen.levels()[0].runs.empty()) {
      const RunFiles& files = seen.levels()[1].runs.front().files;
      outputs.assign(files.begin(), files.end());
      return std::nullopt;
    }
    MergePlan merge;
    merge.inputs = whole_runs(seen, 0);
    merge.inputs.push_back(whole_runs(seen, 1).front());
    merge.target = {1, seen.levels()[1].runs.front().id};
    merge.cut.file_bytes = Bytes(200);
    return Plan{PlanReason::kLevelSaturated, merge, {}};
  });
  const MergeDebt debt = merge_debt(policy, tree, {});
  REQUIRE(debt.bytes_read == 500);
  REQUIRE(debt.bytes_written == 500);
  // 0.3 bytes per key up to 499, 0.7 bytes per key above.
  REQUIRE(outputs.size() == 3);
  REQUIRE(outputs[0].keys == KeyRange{0, 571});
  REQUIRE(outputs[1].keys == KeyRange{572, 857});
  REQUIRE(outputs[2].keys == KeyRange{858, 999});
  REQUIRE(outputs[1].bytes == Bytes(200));
  REQUIRE(outputs[2].bytes == Bytes(100));
  REQUIRE(outputs[2].entries == Entries(100));
}

TEST_CASE(
    "outputs end where the plan says that a file begins, so that other files keep their place") {
  TreeState tree;
  add_files(tree, 1, {{{0, 99}, 100}, {{200, 299}, 100}, {{300, 399}, 100}});
  add_files(tree, 0, {{{50, 149}, 100}, {{350, 449}, 100}});
  std::vector<File> outputs;
  const RuleOf policy([&](const TreeView& seen) -> std::optional<Plan> {
    if (seen.levels()[0].runs.empty()) {
      const RunFiles& files = seen.levels()[1].runs.front().files;
      outputs.assign(files.begin(), files.end());
      return std::nullopt;
    }
    MergePlan merge;
    merge.inputs = whole_runs(seen, 0);
    merge.inputs.push_back(whole_runs(seen, 1).front());
    merge.inputs.back().files.erase(merge.inputs.back().files.begin() + 1);
    merge.target = {1, seen.levels()[1].runs.front().id};
    merge.cut.file_begins = {300, 400};
    merge.cut.file_bytes = Bytes(160);
    return Plan{PlanReason::kLevelSaturated, merge, {}};
  });
  const MergeDebt debt = merge_debt(policy, tree, {});
  REQUIRE(debt.bytes_written == 400);
  REQUIRE(outputs.size() == 5);
  REQUIRE(outputs[0].keys == KeyRange{0, 110});  // 50 keys of 1 byte, 50 of 2, 50 of 1
  REQUIRE(outputs[0].bytes == Bytes(160));
  REQUIRE(outputs[1].keys == KeyRange{111, 149});
  REQUIRE(outputs[2].keys == KeyRange{200, 299});  // it was no input
  REQUIRE(outputs[3].keys == KeyRange{300, 399});
  REQUIRE(outputs[3].bytes == Bytes(150));
  REQUIRE(outputs[4].keys == KeyRange{400, 449});
  REQUIRE(outputs[4].bytes == Bytes(50));
}

TEST_CASE("outputs never share a key, however few keys there are") {
  TreeState tree;
  add_files(tree, 0, {{{7, 8}, 1000}});
  bool is_merged = false;
  const RuleOf policy([&](const TreeView& seen) -> std::optional<Plan> {
    if (seen.levels()[0].runs.empty()) {
      is_merged = true;
      REQUIRE(seen.levels()[1].runs.front().files.size() == 2);
      return std::nullopt;
    }
    MergePlan merge;
    merge.inputs = whole_runs(seen, 0);
    merge.target = {1, {}};
    merge.cut.file_bytes = Bytes(10);
    return Plan{PlanReason::kLevelSaturated, merge, {}};
  });
  REQUIRE(merge_debt(policy, tree, {}).bytes_written == 1000);
  REQUIRE(is_merged);
}

// One file of level 0 is merged alone into outputs of so many bytes. Each output ends with a key of
// its own.
std::vector<File> outputs_alone(const FileSpec& spec, OutputCut cut) {
  TreeState tree;
  add_files(tree, 0, {spec});
  std::vector<File> outputs;
  const RuleOf policy([&](const TreeView& seen) -> std::optional<Plan> {
    if (seen.levels()[0].runs.empty()) {
      const RunFiles& files = seen.levels()[1].runs.front().files;
      outputs.assign(files.begin(), files.end());
      return std::nullopt;
    }
    MergePlan merge;
    merge.inputs = whole_runs(seen, 0);
    merge.target = {1, {}};
    merge.cut = cut;
    return Plan{PlanReason::kLevelSaturated, merge, {}};
  });
  REQUIRE(merge_debt(policy, tree, {.block_size = Bytes(40)}).bytes_written == spec.bytes);
  return outputs;
}

TEST_CASE("no output is smaller than an entry, or a block where blocks are counted") {
  // An entry takes one byte here.
  OutputCut cut;
  cut.file_bytes = Bytes(1);
  REQUIRE(outputs_alone({{0, 999}, 100}, cut).size() == 100);
  cut.measure = CutMeasure::kStoredBlocks;
  REQUIRE(outputs_alone({{0, 999}, 100}, cut).size() == 3);
}

TEST_CASE("the largest keys are cut as evenly as the smallest") {
  OutputCut cut;
  cut.file_bytes = Bytes(25);
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();
  const std::vector<File> files = outputs_alone({{kLast - 999, kLast}, 100}, cut);
  REQUIRE(files.size() == 4);
  for (std::uint64_t i = 0; i < 4; ++i) {
    REQUIRE(files[i].keys.largest - files[i].keys.smallest == Approx(249).margin(1));
  }
  REQUIRE(files.front().keys.smallest == kLast - 999);
  REQUIRE(files.back().keys.largest == kLast);
  REQUIRE(outputs_alone({{0, kLast}, 100}, cut).size() == 4);
}

TEST_CASE("tombstones that a merge drops are not merged for again") {
  TreeState tree;
  add_files(tree, 0, {{{0, 999}, 100, 40}});
  const RuleOf policy([](const TreeView& seen) -> std::optional<Plan> {
    const std::uint32_t level = seen.levels()[0].runs.empty() ? 1 : 0;
    const File& file = seen.levels()[level].runs.front().files.front();
    if (file.tombstones == Entries(0)) return std::nullopt;
    MergePlan merge;
    merge.inputs = whole_runs(seen, level);
    merge.target = {1, {}};
    return Plan{PlanReason::kTombstoneDensity, merge, {}};
  });
  const MergeDebt debt = merge_debt(policy, tree, {});
  REQUIRE(debt.is_whole);
  REQUIRE(debt.merges == 1);
}

// Carries out the policy's plans, entry by entry, until it wants nothing more.
MergeDebt carry_out(const Policy& policy, testing::MiniStore& store) {
  MergeDebt done;
  while (const std::optional<Plan> plan = policy.pick(store.tree)) {
    ++done.plans;
    if (const auto* merge = std::get_if<MergePlan>(&plan->action)) {
      done.bytes_read += merge_sums(store.tree, *merge, {}).read_bytes;
      ++done.merges;
    }
    store.run(*plan, [&](const TreeEdit& edit, const testing::Files&) {
      if (!edit.is_merge) return;
      for (const File& file : edit.added.front().files) done.bytes_written += file.bytes.value();
    });
  }
  return done;
}

struct Owed {
  double owed = 0;
  double done = 0;
};

// Puts keys in random order, and later deletes one in `deletes_one_in` of them. Compares the debt
// at several moments with the merges that then follow.
Owed owed_and_done(const std::string& spec, std::uint64_t seed, std::size_t deletes_one_in) {
  const auto policy = make_policy(parse_spec(spec).value());
  REQUIRE(policy.has_value());
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> keys(12'000);
  std::iota(keys.begin(), keys.end(), 0);
  for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[random() % i]);
  testing::StoreOracleOptions options = testing::small_blocks();
  options.store.block_size = Bytes(1000);
  testing::MiniStore store(options);
  store.tree.keep(policy.value().policy->orderings());
  Owed sums;
  for (std::size_t i = 0; i < keys.size();) {
    for (const std::size_t end = i + 120; i < end; ++i) {
      store.put(keys[i], 100);
      if (deletes_one_in > 0 && i % deletes_one_in == 0) store.remove(keys[i / 2]);
    }
    store.flush();
    if (random() % 4 != 0) continue;
    const MergeDebt debt =
        merge_debt(*policy.value().policy, store.tree, {.block_size = Bytes(1000)});
    REQUIRE(debt.is_whole);
    const MergeDebt real = carry_out(*policy.value().policy, store);
    sums.owed += static_cast<double>(debt.bytes_read + debt.bytes_written);
    sums.done += static_cast<double>(real.bytes_read + real.bytes_written);
  }
  REQUIRE(sums.done > 1'000'000);
  return sums;
}

TEST_CASE("what a store owes is what it then merges, where nothing is dropped") {
  struct Case {
    const char* spec;
    double tolerance;
  };
  // RocksDB ends files at boundaries of the level below, so that its merges take fewer of those
  // files.
  const Case given = GENERATE(
      Case{"tiered:size_ratio=3,flush=separate", 0.01},
      Case{"leveled-full:size_ratio=3,flush=separate", 0.01},
      Case{"rocksdb-universal:l0_trigger=3", 0.01},
      Case{"leveldb:file_size=12000,level_base=36000,size_ratio=3", 0.08},
      Case{"ldc:file_size=12000,level_base=36000,size_ratio=3", 0.08},
      Case{"primitives:file_size=12000,level_base=36000,size_ratio=3,l0_trigger=2", 0.1},
      Case{"primitives:layout=1-leveling,trigger=sorted-runs+level-saturation,granularity=file,"
           "movement=round-robin,file_size=12000,level_base=36000,size_ratio=3",
           0.1},
      Case{"rocksdb-leveled:file_size=12000,level_base=36000,size_ratio=3", 0.25});
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  CAPTURE(seed, given.spec);
  const Owed sums = owed_and_done(given.spec, seed, 0);
  REQUIRE(sums.owed == Approx(sums.done).epsilon(given.tolerance));
}

TEST_CASE("where deletes are merged for, what is owed is finite, and rather too much") {
  const char* const trigger =
      GENERATE("tombstone-density,tombstone_density=10%", "tombstone-ttl,delete_persistence=4000");
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  CAPTURE(seed, trigger);
  const Owed sums =
      owed_and_done(fmt::format("primitives:file_size=12000,level_base=36000,size_ratio=3,"
                                "trigger=level-saturation+{}",
                                trigger),
                    seed, 5);
  REQUIRE(sums.owed > 0.9 * sums.done);
  REQUIRE(sums.owed < 2 * sums.done);
}

}  // namespace
}  // namespace lsmlab::merge_debt_test

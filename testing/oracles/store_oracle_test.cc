// The oracle of stores accepts a small executor that keeps the rules, and names each of many ways
// to break one.
#include "testing/oracles/store_oracle.h"

#include <random>
#include <span>

#include "models/tree/tree_query.h"
#include "testing/catch.h"
#include "testing/oracles/mini_store.h"

namespace lsmlab::store_oracle_test {
namespace {

using testing::FileEntries;
using testing::Files;
using testing::MiniStore;
using testing::small_blocks;
using testing::StoreOracleOptions;
using testing::StoreTotals;

void require_fault(const MiniStore& store, const std::string& words) {
  INFO("the oracle says: " << store.oracle.fault());
  REQUIRE(store.oracle.fault().find(words) != std::string::npos);
}

Plan merge_of(std::vector<PlanInput> inputs, OutputTarget target, OutputCut cut = {}) {
  MergePlan merge;
  merge.inputs = std::move(inputs);
  merge.target = target;
  merge.cut = cut;
  return {PlanReason::kLevelSaturated, merge, {}};
}

OutputCut files_of(std::uint64_t bytes) {
  OutputCut cut;
  cut.file_bytes = Bytes(bytes);
  return cut;
}

// Level 1 has keys 10 to 80 in files of two; level 0 has newer versions of 20 and 30, and a
// tombstone of 40.
void fill(MiniStore& store) {
  for (std::uint64_t key = 10; key <= 80; key += 10) store.put(key);
  store.flush();
  store.run(merge_of({store.whole_run(0)}, {1, {}}, files_of(70)));
  store.put(20, 30);
  store.remove(40);
  store.put(30, 50);
  store.put(20, 31);
  store.flush();
}

Plan merge_all(const MiniStore& store) {
  return merge_of({store.whole_run(0), store.whole_run(1)}, {1, store.tree.levels()[1].runs[0].id},
                  files_of(70));
}

TEST_CASE("a store that keeps the rules passes, totals included") {
  MiniStore store;
  fill(store);
  REQUIRE(store.oracle.fault() == "");
  REQUIRE(store.file(1).entries == Entries(2));
  store.run(merge_all(store));
  REQUIRE(store.oracle.fault() == "");
  StoreTotals totals = store.oracle.totals();
  REQUIRE(totals.flushes == 2);
  REQUIRE(totals.merges == 2);
  // 20, 30 and 40 of level 1, and the tombstone.
  REQUIRE(totals.entries_dropped == 4);
  REQUIRE(totals.tombstones_dropped == 1);
  ++totals.merge_bytes_read;
  store.oracle.finish(store.tree, store.oracle.totals());
  REQUIRE(store.oracle.fault() == "");
  store.oracle.finish(store.tree, totals);
  require_fault(store, "merge_bytes_read is");
}

TEST_CASE("moves, links, slices, eager merges and cuts by grandparents pass in a random run") {
  const std::uint64_t seed = 20261121;
  INFO("seed " << seed);
  std::mt19937_64 generator(seed);
  StoreOracleOptions options = small_blocks();
  options.store.block_size = Bytes(128);
  MiniStore store(options);
  const auto write_some = [&] {
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t key = generator() % 400;
      if (generator() % 4 == 0) {
        store.remove(key);
      } else {
        store.put(key, static_cast<std::uint32_t>(generator() % 60));
      }
    }
  };
  const auto target = [&](std::uint32_t level) { return leveled_target(store.tree, level); };
  OutputCut by_grandparents{Bytes(900), CutMeasure::kStoredBlocks, GrandparentRule::kOverlapLimit,
                            Bytes(1500)};
  std::uint64_t slice_merges = 0;
  for (int round = 0; round < 150; ++round) {
    INFO("round " << round);
    write_some();
    const bool has_level1 = newest_run(store.tree, 1) != nullptr;
    if (round % 5 == 4 && has_level1) {
      store.begin_flush();
      Plan eager = merge_of({store.whole_run(1)}, target(1), by_grandparents);
      std::get<MergePlan>(eager.action).takes_memtable = true;
      store.run(eager);
      REQUIRE(store.oracle.fault() == "");
      continue;
    }
    store.flush();
    std::vector<PlanInput> inputs{store.whole_run(0)};
    if (has_level1) inputs.push_back(store.whole_run(1));
    store.run(merge_of(inputs, target(1), by_grandparents));
    if (newest_run(store.tree, 1) == nullptr) continue;
    if (newest_run(store.tree, 2) == nullptr) {
      const SortedRun& run = *newest_run(store.tree, 1);
      store.run({PlanReason::kLevelSaturated,
                 MovePlan{{input_of(1, run, run.files)}, {2, {}}},
                 {{1, run.files.back().keys.largest}}});
      continue;
    }
    store.run(store.link_plan(1, generator() % store.tree.levels()[1].runs[0].files.size()));
    const SortedRun& lower = *newest_run(store.tree, 2);
    for (std::size_t i = 0; i < lower.files.size(); ++i) {
      if (lower.files[i].slices.size() < 3) continue;
      store.run(
          merge_of({input_of(2, lower, {lower.files, i, i + 1})}, {2, lower.id}, files_of(1500)));
      ++slice_merges;
      break;
    }
    REQUIRE(store.oracle.fault() == "");
  }
  REQUIRE(store.oracle.totals().links > 20);
  REQUIRE(slice_merges > 5);
  REQUIRE(store.oracle.totals().tombstones_dropped > 20);
  store.oracle.finish(store.tree, store.oracle.totals());
  INFO(store.oracle.fault());
  REQUIRE(store.oracle.fault() == "");
}

// Requires the oracle's message for a merge of everything whose edit or contents were spoiled.
void require_found(const std::string& words, const MiniStore::Tamper& tamper) {
  MiniStore store;
  fill(store);
  store.run(merge_all(store), tamper);
  require_fault(store, words);
  require_fault(store, "plan 4 (merge, level-saturated)");
}

TEST_CASE("contents of a merge that break a rule are named") {
  const auto first = [](TreeEdit& edit, Files& files) -> FileEntries& {
    return files.at(edit.added.front().files.front().id);
  };
  require_found("version 1 of key 10 is lost", [&](TreeEdit& edit, Files& files) {
    first(edit, files).erase(first(edit, files).begin());
  });
  require_found("holds version 2 of key 20, the newest of the inputs is 12",
                [&](TreeEdit& edit, Files& files) { first(edit, files)[1].sequence = 2; });
  require_found("version 1 of key 10 has changed",
                [&](TreeEdit& edit, Files& files) { ++first(edit, files)[0].value_bytes; });
  require_found("key 11 is in an output but in no input", [&](TreeEdit& edit, Files& files) {
    first(edit, files).insert(first(edit, files).begin() + 1, {11, 1, 4, 20, false});
  });
  require_found("outputs are not by key", [&](TreeEdit& edit, Files& files) {
    std::swap(first(edit, files)[0], first(edit, files)[1]);
  });
  require_found("the tombstone of key 40 was kept", [&](TreeEdit& edit, Files& files) {
    for (const File& file : edit.added.front().files) {
      if (file.keys.largest != 50) continue;
      FileEntries& entries = files.at(file.id);
      entries.insert(entries.begin() + 1, {40, 10, 4, 0, true});
    }
  });
}

TEST_CASE("tombstones that go too early, or against the plan, are named") {
  MiniStore store;
  store.put(40);
  store.flush();
  store.run({PlanReason::kLevelSaturated, MovePlan{{store.whole_run(0)}, {2, {}}}, {}});
  store.put(30);
  store.remove(40);
  store.flush();
  const auto drop_last = [](TreeEdit& edit, Files& files) {
    files.at(edit.added.front().files.front().id).pop_back();
  };
  const Plan down = merge_of({store.whole_run(0)}, {1, {}});
  store.run(down, drop_last);
  require_fault(store, "the tombstone 3 of key 40 was dropped too early: version 1 exists");

  MiniStore keeper;
  keeper.put(30);
  keeper.remove(40);
  keeper.flush();
  Plan keeping = merge_of({keeper.whole_run(0)}, {1, {}});
  std::get<MergePlan>(keeping.action).drops_tombstones = false;
  keeper.run(keeping, drop_last);
  require_fault(keeper, "the plan keeps all");
}

TEST_CASE("metadata of outputs that is wrong is named") {
  const auto spoil = [](const std::string& words, const std::function<void(File&)>& change) {
    require_found(words, [&](TreeEdit& edit, Files&) { change(edit.added.front().files[0]); });
  };
  spoil("has smallest key 9, should be 10", [](File& file) { file.keys.smallest = 9; });
  spoil("has largest key 21, should be 20", [](File& file) { file.keys.largest = 21; });
  spoil("has entries 3, should be 2", [](File& file) { file.entries = Entries(3); });
  spoil("has tombstones 1, should be 0", [](File& file) { file.tombstones = Entries(1); });
  spoil("has key_bytes 9, should be 8", [](File& file) { file.key_bytes = Bytes(9); });
  spoil("has value_bytes 50, should be 51", [](File& file) { file.value_bytes = Bytes(50); });
  spoil("has first sequence 2, should be 1", [](File& file) { file.sequences.first = 2; });
  spoil("has last sequence 2, should be 12", [](File& file) { file.sequences.last = 2; });
  spoil("has bytes", [](File& file) { file.bytes += Bytes(1); });
  spoil("has created 1, should be 12", [](File& file) { file.created = Instant(1); });
  spoil("has level_since 1, should be 12", [](File& file) { file.level_since = Instant(1); });
  spoil("has last_access 1, should be 12", [](File& file) { file.last_access = Instant(1); });
  spoil("begins with 1 seeks", [](File& file) { file.seeks = 1; });
  spoil("has first flush 2, should be 1", [](File& file) { file.flushes.first = 2; });
  spoil("has oldest_tombstone (0: none) 1", [](File& file) { file.oldest_tombstone = Instant(); });
  spoil("has marked 1, should be 0", [](File& file) { file.marked = true; });
  spoil("is busy", [](File& file) { file.busy = true; });
}

TEST_CASE("edits that are not what the plan wanted are named") {
  require_found("removes 4 files that are not the 5 inputs",
                [](TreeEdit& edit, Files&) { edit.removed.erase(edit.removed.begin()); });
  require_found("outputs go to level 2", [](TreeEdit& edit, Files&) {
    edit.added.front().target = {2, {}};
  });
  require_found("sets 1 cursors instead of 0", [](TreeEdit& edit, Files&) {
    edit.cursors.push_back({0, 1});
  });
  require_found("calls itself no merge", [](TreeEdit& edit, Files&) { edit.is_merge = false; });
  require_found("has an id used before", [](TreeEdit& edit, Files& files) {
    File& file = edit.added.front().files.front();
    files[FileId(1)] = files.at(file.id);
    file.id = FileId(1);
  });
}

TEST_CASE("cuts in the wrong places are named") {
  MiniStore store;
  fill(store);
  store.wrong_cut = files_of(500);
  store.run(merge_all(store));
  require_fault(store, "output file 1 of 1, from key 10, is cut after 7 entries instead of 2");
  MiniStore dynamic;
  fill(dynamic);
  dynamic.wrong_cut = files_of(500);
  Plan plan = merge_all(dynamic);
  std::get<MergePlan>(plan.action).cut.grandparents = GrandparentRule::kDynamicFileSize;
  dynamic.run(plan);
  require_fault(dynamic, "passes its size before its last entry");
}

TEST_CASE("flushes that lose an entry, and memtables of the wrong size, are named") {
  MiniStore store;
  store.put(1);
  store.remove(2);
  store.flush([](TreeEdit& edit, Files& files) {
    files.at(edit.added.front().files.front().id).pop_back();
  });
  require_fault(store, "the tombstone of key 2 was dropped");

  StoreOracleOptions options = small_blocks();
  options.flushes_full_memtables = true;
  options.store.buffer = Bytes(80);
  MiniStore full(options);
  for (std::uint64_t key = 0; key < 2; ++key) full.put(key, 26);
  REQUIRE(full.oracle.fault().empty());
  full.put(2, 26);
  require_fault(full, "the memtable was full at 84 of 80 bytes");
  MiniStore early(options);
  early.put(1);
  early.flush();
  REQUIRE(early.oracle.fault().empty());
  early.put(2);
  require_fault(early, "taken before it was full");
}

// Requires the oracle's message for a plan on the tree that fill() leaves.
void require_refused(const std::string& words,
                     const std::function<void(const MiniStore&, Plan&)>& change) {
  MiniStore store;
  fill(store);
  Plan plan = merge_all(store);
  change(store, plan);
  store.oracle.on_plan(store.tree, plan);
  require_fault(store, words);
}

TEST_CASE("plans that ask for what cannot be are named") {
  const auto inputs = [](Plan& plan) -> std::vector<PlanInput>& {
    return std::get<MergePlan>(plan.action).inputs;
  };
  require_refused("input file 99 does not exist",
                  [&](const MiniStore&, Plan& plan) { inputs(plan)[0].files = {FileId(99)}; });
  require_refused("not in level 3 run",
                  [&](const MiniStore&, Plan& plan) { inputs(plan)[0].level = 3; });
  require_refused("is listed twice", [&](const MiniStore&, Plan& plan) {
    inputs(plan)[0].files.push_back(inputs(plan)[0].files[0]);
  });
  require_refused("is not listed by key", [&](const MiniStore&, Plan& plan) {
    std::swap(inputs(plan)[1].files[0], inputs(plan)[1].files[1]);
  });
  require_refused("not listed newest to oldest", [&](const MiniStore&, Plan& plan) {
    std::swap(inputs(plan)[0], inputs(plan)[1]);
  });
  require_refused("overlaps inputs' keys 20 to 40 but is not an input",
                  [&](const MiniStore&, Plan& plan) {
                    inputs(plan)[1].files.erase(inputs(plan)[1].files.begin());
                  });
  require_refused("takes a memtable, but none waits", [&](const MiniStore&, Plan& plan) {
    std::get<MergePlan>(plan.action).takes_memtable = true;
  });
  require_refused("is not responsible for keys", [&](const MiniStore& store, Plan& plan) {
    plan = store.link_plan(0);
    std::get<LinkPlan>(plan.action).lower_files.push_back(store.file(1, 3).id);
  });
  require_refused("is responsible for keys of file", [&](const MiniStore& store, Plan& plan) {
    plan = store.link_plan(0);
    std::get<LinkPlan>(plan.action).lower_files.pop_back();
  });
}

TEST_CASE("links with wrong slices and moves to elsewhere are named") {
  const auto link = [](const std::string& words, const std::function<void(Slice&)>& change) {
    MiniStore store;
    fill(store);
    store.run(store.link_plan(0), [&](TreeEdit& edit, Files&) { change(edit.linked[0].slice); });
    require_fault(store, words);
  };
  link("takes", [](Slice& slice) { slice.bytes += Bytes(1); });
  link("leaves the keys of frozen file", [](Slice& slice) { slice.keys.smallest = 0; });
  // The tree itself refuses slices that leave the responsible range.
  MiniStore store;
  fill(store);
  store.run({PlanReason::kLevelSaturated, MovePlan{{store.whole_run(1)}, {2, {}}}, {}},
            [](TreeEdit& edit, Files&) { edit.moved.front().target.level = 3; });
  require_fault(store, "files move to level 3");
}

// A tree that no edit made.
class ForgedTree : public TreeView {
 public:
  explicit ForgedTree(const TreeView& tree) : TreeView(tree) {}
  using TreeView::frozen_files_;
  using TreeView::levels_;
};

TEST_CASE("trees that break an invariant are named") {
  const auto forge = [](const std::string& words, const std::function<void(ForgedTree&)>& change) {
    MiniStore store;
    fill(store);
    store.run(store.link_plan(0));
    store.put(90);
    store.flush();
    store.put(90);
    store.flush();
    REQUIRE(store.oracle.fault() == "");
    ForgedTree forged(store.tree);
    change(forged);
    store.oracle.on_plan(forged, merge_of({store.whole_run(0)}, {1, {}}));
    require_fault(store, words);
  };
  const auto change_first = [](ForgedTree& tree, const std::function<void(File&)>& change) {
    tree.levels_[1].runs[0].files.change(0, change);
  };
  forge("is busy",
        [&](ForgedTree& tree) { change_first(tree, [](File& file) { file.busy = true; }); });
  forge("has slices 0, should be 1",
        [&](ForgedTree& tree) { change_first(tree, [](File& file) { file.slices.clear(); }); });
  forge("has changed", [&](ForgedTree& tree) {
    change_first(tree, [](File& file) { ++file.slices[0].keys.largest; });
  });
  forge("references, should be 2", [&](ForgedTree& tree) {
    tree.frozen_files_.add_reference(tree.frozen_files_.begin()->file.id);
  });
  forge("is gone, but slices of it are linked", [&](ForgedTree& tree) { tree.frozen_files_ = {}; });
  forge("which precedes it",
        [&](ForgedTree& tree) { std::swap(tree.levels_[0].runs[0], tree.levels_[0].runs[1]); });
  forge("overlaps file", [&](ForgedTree& tree) {
    RunFiles& files = tree.levels_[1].runs[0].files;
    files.push_back(files.erase(2));
  });
  forge("is gone from the tree", [&](ForgedTree& tree) { tree.levels_[0].runs.clear(); });
  forge("is in the tree twice",
        [&](ForgedTree& tree) { tree.levels_[0].runs.push_back(tree.levels_[0].runs[0]); });
  forge("says flushes", [&](ForgedTree& tree) { ++tree.levels_[1].runs[0].flushes.last; });
}

TEST_CASE("a merge of runs that are not neighbours in age spoils lookups, unless that is known") {
  for (const bool keeps_age_order : {true, false}) {
    StoreOracleOptions options = small_blocks();
    options.keeps_age_order = keeps_age_order;
    MiniStore store(options);
    store.put(1);
    store.flush();
    store.put(1);
    store.flush();
    store.put(2);
    store.flush();
    store.run(merge_of({store.whole_run(0, 0), store.whole_run(0, 2)}, {0, {}}));
    if (keeps_age_order) {
      require_fault(store, "a lookup of key 1 finds version 1 instead of 2");
    } else {
      REQUIRE(store.oracle.fault() == "");
    }
  }
}

}  // namespace
}  // namespace lsmlab::store_oracle_test

#include "models/execution/plan_execution.h"

#include "models/accounting/store_ledger.h"
#include "models/accounting/tree_figures.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::plan_execution_test {
namespace {

bool same_slice(const TreeEdit::Linked& linked, std::uint64_t lower, KeyRange keys,
                std::uint64_t bytes) {
  return linked.lower_file == FileId(lower) && linked.slice.keys == keys &&
         linked.slice.bytes == Bytes(bytes) && linked.slice.frozen_file == linked.frozen_file;
}

// Level 1: file 1 over 10..60; level 2: files 2 (5..20), 3 (30..40), 4 (50..70).
struct LinkedTree {
  LinkedTree() : drawn({}) {
    add(2, {2, 5, 20, 200, 3, 0});
    add(2, {3, 30, 40, 300, 4, 0});
    add(2, {4, 50, 70, 400, 5, 1});
    add(1, {1, 10, 60, 1000, 20, 2});
  }

  struct Row {
    std::uint64_t id, smallest, largest, bytes, entries, tombstones;
  };
  void add(std::uint32_t level, const Row& row) {
    File file;
    file.keys = {row.smallest, row.largest};
    file.bytes = Bytes(row.bytes);
    file.entries = Entries(row.entries);
    file.tombstones = Entries(row.tombstones);
    // A level 2 file with a larger id has older tombstones. File 1 comes from flush 9.
    const std::uint64_t flush = level == 1 ? 9 : row.id;
    finish_file(file, FileId(row.id), {flush, flush + 1}, Instant(100 - row.id * 10), Instant(500));
    TreeEdit edit;
    edit.added.push_back({leveled_target(tree(), level), {file}});
    REQUIRE(tree().apply(edit).has_value());
  }
  [[nodiscard]] PlanInput input(std::uint32_t level, std::vector<std::uint64_t> ids) {
    PlanInput input{level, newest_run(tree(), level)->id, {}};
    for (const std::uint64_t id : ids) input.files.push_back(FileId(id));
    return input;
  }
  [[nodiscard]] Plan link_plan() {
    return {PlanReason::kLevelSaturated,
            LinkPlan{input(1, {1}), {FileId(2), FileId(3), FileId(4)}},
            {{1, 60}}};
  }
  [[nodiscard]] TreeEdit link() {
    const Plan plan = link_plan();
    TreeEdit edit = begin_edit(tree(), plan);
    add_links(
        tree(), std::get<LinkPlan>(plan.action),
        [](const KeyRange& keys) { return Bytes(keys.largest - keys.smallest); }, edit);
    return edit;
  }
  [[nodiscard]] Plan merge_plan(std::vector<std::uint64_t> ids) {
    const PlanInput taken = input(2, std::move(ids));
    return {PlanReason::kSliceCount, MergePlan{false, {taken}, {2, taken.run}}, {}};
  }
  TreeState& tree() { return drawn.state(); }

  DrawnTree drawn;
};

TEST_CASE("a link cuts a file along the ranges that the files below are responsible for") {
  LinkedTree t;
  const TreeEdit edit = t.link();
  REQUIRE(edit.frozen == std::vector<FileId>{FileId(1)});
  REQUIRE(edit.cursors.size() == 1);
  REQUIRE(edit.linked.size() == 3);
  REQUIRE(same_slice(edit.linked[0], 2, {10, 20}, 10));
  REQUIRE(same_slice(edit.linked[1], 3, {21, 40}, 19));
  REQUIRE(same_slice(edit.linked[2], 4, {41, 60}, 19));
  REQUIRE(t.tree().apply(edit).has_value());
  REQUIRE(sorted_runs(t.tree()) == 2);
  REQUIRE(frozen_summary(t.tree()) == LevelSummary{0, 1, 1000, 20, 2});
  REQUIRE(tombstones(t.tree()).count == 3);
  REQUIRE(tombstones(t.tree()).oldest == Instant(60));
  const std::vector<LevelSummary> levels = level_summaries(t.tree());
  REQUIRE(levels.size() == 3);
  REQUIRE(levels[1] == LevelSummary{});
  REQUIRE(levels[2] == LevelSummary{1, 3, 900, 12, 1});
}

TEST_CASE("a merge's sums take in slices, and what their frozen files may hold") {
  LinkedTree t;
  REQUIRE(t.tree().apply(t.link()).has_value());
  const Plan plan = t.merge_plan({2, 3});
  PlanSums sums = merge_sums(t.tree(), std::get<MergePlan>(plan.action), Instant(1));
  REQUIRE(sums.flushes == FlushSpan{2, 10});
  // that of the frozen file; the plan does not take the memtable
  REQUIRE(sums.oldest_tombstone == Instant(90));
  REQUIRE(sums.read_bytes == 200 + 300 + 10 + 19);
  REQUIRE(sums.entries == 7);
  REQUIRE(sums.sources == 3);  // a run, and a slice of each of its two files
  REQUIRE(sums.source_entries == std::vector<std::uint64_t>{7});
  REQUIRE(sums.slice_entries == 0);
  REQUIRE(sums.tombstones_max == 4);  // the frozen file's two, once per slice
  sums.add_slice_entries(5);
  REQUIRE(sums.entries == 12);
  REQUIRE(sums.slice_entries == 5);
  REQUIRE(sums.source_entries == std::vector<std::uint64_t>{7, 5});
}

TEST_CASE("sums of a memtable, alone and merged with a run") {
  LinkedTree t;
  t.tree().begin_flush({Bytes(77), Entries(8), {1, 2}, Entries(3)});
  const PlanSums alone = flush_sums(t.tree(), Instant(5));
  REQUIRE(alone.flushes == FlushSpan{1, 1});
  REQUIRE(alone.oldest_tombstone == Instant(5));
  REQUIRE(alone.read_bytes == 0);
  REQUIRE(alone.entries == 8);
  REQUIRE(alone.sources == 1);
  REQUIRE(alone.tombstones_max == 3);
  Plan plan = t.merge_plan({4});
  std::get<MergePlan>(plan.action).takes_memtable = true;
  const PlanSums both = merge_sums(t.tree(), std::get<MergePlan>(plan.action), Instant(5));
  REQUIRE(both.flushes == FlushSpan{1, 5});
  REQUIRE(both.oldest_tombstone == Instant(5));
  REQUIRE(both.read_bytes == 400);
  REQUIRE(both.entries == 13);
  REQUIRE(both.sources == 2);
  REQUIRE(both.source_entries == std::vector<std::uint64_t>{8, 5});
  const TreeEdit edit = begin_edit(t.tree(), plan);
  REQUIRE(edit.takes_memtable);
  REQUIRE(edit.is_merge);
  REQUIRE(edit.removed == std::vector<FileId>{FileId(4)});
}

TEST_CASE("a frozen file goes with its last slice, not before") {
  LinkedTree t;
  REQUIRE(t.tree().apply(t.link()).has_value());
  const TreeEdit first = begin_edit(t.tree(), t.merge_plan({2, 3}));
  REQUIRE(dropped_frozen_files(t.tree(), first).empty());
  const TreeEdit all = begin_edit(t.tree(), t.merge_plan({2, 3, 4}));
  REQUIRE(dropped_frozen_files(t.tree(), all) == std::vector<FileId>{FileId(1)});
  REQUIRE(t.tree().apply(first).has_value());
  const TreeEdit last = begin_edit(t.tree(), t.merge_plan({4}));
  REQUIRE(dropped_frozen_files(t.tree(), last) == std::vector<FileId>{FileId(1)});
  REQUIRE(t.tree().apply(last).has_value());
  REQUIRE(t.tree().frozen_files().empty());
}

TEST_CASE("the ledger counts plans, bytes, and files while both inputs and outputs stand") {
  LinkedTree t;
  std::vector<PlanRecord> log;
  StoreLedger ledger([&](const PlanRecord& record) { log.push_back(record); });
  ledger.restore_file_bytes(t.tree());
  REQUIRE(ledger.file_bytes() == 1900);
  ledger.add_write(16, 100, Instant(1));
  ledger.begin_flush({Bytes(1900), Entries(1), {}});

  const TreeEdit link = t.link();
  ledger.record(t.tree(), t.link_plan(), link, nullptr);
  REQUIRE(t.tree().apply(link).has_value());
  REQUIRE(ledger.file_bytes() == 1900);

  const Plan plan = t.merge_plan({2, 3, 4});
  PlanSums sums = merge_sums(t.tree(), std::get<MergePlan>(plan.action), {});
  sums.add_slice_entries(20);
  sums.tombstones_dropped = 2;
  TreeEdit edit = begin_edit(t.tree(), plan);
  File output;
  output.keys = {5, 70};
  output.bytes = Bytes(1500);
  output.entries = Entries(25);
  finish_file(output, FileId(9), sums.flushes, sums.oldest_tombstone, Instant(600));
  REQUIRE(!output.oldest_tombstone);
  edit.added.push_back({std::get<MergePlan>(plan.action).target, {output}});
  ledger.record(t.tree(), plan, edit, &sums);
  REQUIRE(t.tree().apply(edit).has_value());

  REQUIRE(ledger.file_bytes() == 1500);
  REQUIRE(ledger.transient() == TransientSpace{3400, 1900});
  REQUIRE(ledger.merge_bytes() == std::vector<std::uint64_t>{900 + 48 + 1500});
  const Totals& totals = ledger.totals();
  REQUIRE(totals.user_bytes == 116);
  REQUIRE(totals.flushes == 1);
  REQUIRE(totals.links == 1);
  REQUIRE(totals.merges == 1);
  REQUIRE(totals.merge_bytes_read == 948);
  REQUIRE(totals.merge_bytes_written == 1500);
  REQUIRE(totals.entries_dropped == 32 - 25);
  REQUIRE(totals.tombstones_dropped == 2);
  REQUIRE(log.size() == 2);
  REQUIRE(log[0].plan == PlanKind::kLink);
  REQUIRE(log[1].sequence == 2);
  StoreLedger reopened({});
  reopened.restore_file_bytes(t.tree());
  REQUIRE(reopened.file_bytes() == 1500);
}

TEST_CASE("the oldest ancestor of an output is the least of the inputs that it overlaps") {
  InputAncestors ancestors;
  ancestors.add({10, 90}, Instant(50));  // a memtable
  ancestors.begin_run();
  File file;
  file.keys = {0, 20};
  file.oldest_ancestor = Instant(7);
  ancestors.add_file(file);
  file.keys = {40, 60};
  file.oldest_ancestor = Instant(3);
  ancestors.add_file(file);
  REQUIRE(ancestors.least({0, 5}) == Instant(7));
  REQUIRE(ancestors.least({20, 30}) == Instant(7));
  REQUIRE(ancestors.least({21, 39}) == Instant(50));
  REQUIRE(ancestors.least({15, 45}) == Instant(3));
  REQUIRE(ancestors.least({61, 99}) == Instant(50));
  REQUIRE(!ancestors.least({91, 99}));
}

TEST_CASE("an output has zeroed entries where an input that it overlaps has some") {
  InputAncestors ancestors;
  File file;
  file.keys = {0, 20};
  ancestors.begin_run();
  ancestors.add_file(file);
  REQUIRE(ancestors.zeroed({0, 99}) == Zeroed::kNone);
  ancestors.begin_run();
  file.keys = {10, 40};
  file.zeroed = Zeroed::kAll;
  ancestors.add_file(file);
  file.keys = {50, 60};
  file.zeroed = Zeroed::kSome;
  ancestors.add_file(file);
  REQUIRE(ancestors.zeroed({0, 9}) == Zeroed::kNone);
  REQUIRE(ancestors.zeroed({0, 10}) == Zeroed::kSome);
  REQUIRE(ancestors.zeroed({21, 49}) == Zeroed::kAll);
  REQUIRE(ancestors.zeroed({21, 50}) == Zeroed::kSome);
  PlanSums sums;
  sums.ancestors = ancestors;
  File output;
  output.keys = {0, 9};
  finish_output(output, sums, Instant(1));
  REQUIRE(output.zeroed == Zeroed::kNone);
  sums.zeroes_sequences = true;
  finish_output(output, sums, Instant(1));
  REQUIRE(output.zeroed == Zeroed::kAll);
}

TEST_CASE("a drop removes files with their slices, and writes nothing") {
  LinkedTree t;
  REQUIRE(t.tree().apply(t.link()).has_value());
  const Plan plan{PlanReason::kTotalSize, DropPlan{{t.input(2, {2, 3, 4})}}, {}};
  REQUIRE(kind_of_plan(plan) == PlanKind::kDrop);
  REQUIRE(plan_target(plan).level == 2);
  const TreeEdit edit = begin_edit(t.tree(), plan);
  REQUIRE(edit.removed == std::vector<FileId>{FileId(2), FileId(3), FileId(4)});
  REQUIRE(!edit.is_merge);
  REQUIRE(dropped_frozen_files(t.tree(), edit) == std::vector<FileId>{FileId(1)});
  std::vector<PlanRecord> log;
  StoreLedger ledger([&](const PlanRecord& record) { log.push_back(record); });
  ledger.restore_file_bytes(t.tree());
  REQUIRE(ledger.file_bytes() == 1900);
  const PlanSums sums = drop_sums(t.tree(), std::get<DropPlan>(plan.action));
  REQUIRE(sums.read_bytes == 0);
  ledger.record(t.tree(), plan, edit, &sums);
  REQUIRE(ledger.file_bytes() == 0);
  REQUIRE(ledger.totals().drops == 1);
  REQUIRE(ledger.totals().bytes_dropped == 900);
  REQUIRE(ledger.totals().merge_bytes_read == 0);
  REQUIRE(ledger.dropped().size() == 3);
  REQUIRE(ledger.dropped().front().keys == KeyRange{5, 20});
  REQUIRE(log.size() == 1);
  REQUIRE(log[0].inputs.size() == 3);
  REQUIRE(log[0].outputs.empty());
  REQUIRE(log[0].entries_out == Entries(0));
  const auto parsed = parse_plan_record(plan_record_line(log[0]));
  REQUIRE(parsed.has_value());
  const auto again = edit_of_record(t.tree(), parsed.value());
  REQUIRE(again.has_value());
  REQUIRE(again.value().removed == edit.removed);
  REQUIRE(again.value().added.empty());
  REQUIRE(t.tree().apply(edit).has_value());
  REQUIRE(t.tree().frozen_files().empty());
  REQUIRE(t.tree().run_count() == 0);
}

}  // namespace
}  // namespace lsmlab::plan_execution_test

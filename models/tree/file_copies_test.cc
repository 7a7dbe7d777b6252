// Copies: which ones a merge leaves, what a trim takes with them, and which edits and images are
// refused.
#include "models/tree/file_copies.h"

#include <fmt/format.h>

#include <string>

#include "models/execution/plan_execution.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::file_copies_test {
namespace {

// "5: 3 0-9, 4 20-29": a file and its copies, newest first.
std::string text_of(const File& file) {
  std::string text = fmt::format("{}:", file.id.value());
  const char* separator = " ";
  for (const Copy& copy : file.copies) {
    text += fmt::format("{}{} {}-{}", separator, copy.frozen_file.value(), copy.keys.smallest,
                        copy.keys.largest);
    separator = ", ";
  }
  return text;
}

std::string text_of(const TreeState& tree, std::uint32_t level) {
  std::string text;
  for (const SortedRun& run : tree.levels()[level].runs) {
    for (const File& file : run.files) text += (text.empty() ? "" : "; ") + text_of(file);
  }
  return text;
}

std::string frozen_text(const TreeState& tree) {
  std::string text;
  for (const FrozenFile& frozen : tree.frozen_files()) {
    text += fmt::format("{}x{} ", frozen.file.id.value(), frozen.references);
  }
  return text;
}

// Merges all of level 2 with all of level 3 into files of these keys.
TreeEdit merge_edit(TreeState& tree, const std::vector<DrawnFile>& outputs,
                    std::uint64_t copies_max = 20) {
  MergePlan merge;
  for (const std::uint32_t level : {2u, 3u}) {
    if (level >= tree.levels().size() || tree.levels()[level].runs.empty()) continue;
    const SortedRun& run = tree.levels()[level].runs[0];
    merge.inputs.push_back(input_of(level, run, run.files));
  }
  merge.target = leveled_target(tree, 3);
  merge.copies_max = copies_max;
  const Plan plan{PlanReason::kLevelSaturated, merge, {}};
  TreeEdit edit = begin_edit(tree, plan);
  edit.added.push_back(begin_added(plan));
  for (const DrawnFile& output : outputs) edit.added[0].files.push_back(drawn_file(output, 1));
  add_copies(tree, merge.inputs, merge.copies_max, edit);
  return edit;
}

void apply(TreeState& tree, const TreeEdit& edit) {
  const auto applied = tree.apply(edit);
  INFO((applied ? "" : applied.error().message));
  REQUIRE(applied.has_value());
}

void arrive(TreeState& tree, const DrawnFile& drawn) {
  TreeEdit edit;
  edit.added.push_back({leveled_target(tree, drawn.level), {drawn_file(drawn, 1)}});
  apply(tree, edit);
}

// The files of level 3 that have copies, by the level's sums, which every tree counts itself when
// it is restored.
std::uint64_t files_with_copies(const TreeState& tree) {
  const auto counted = TreeState::restore(tree.image());
  REQUIRE(counted.has_value());
  REQUIRE(counted.value().levels()[3].sums == tree.levels()[3].sums);
  REQUIRE(tree.levels()[3].runs[0].files.sums() == tree.levels()[3].sums);
  return tree.levels()[3].sums.files_with_copies;
}

// Level 3 after two merges: file 10 has copies 3 (newest), 1 and 2, file 11 has 3 and 2.
TreeState twice_merged() {
  TreeState tree;
  tree.advance_now(Instant(7));
  arrive(tree, {2, 1, 0, 39});
  arrive(tree, {3, 2, 10, 99});
  apply(tree, merge_edit(tree, {{3, 4, 0, 49}, {3, 5, 50, 99}}));
  arrive(tree, {2, 3, 5, 80});
  apply(tree, merge_edit(tree, {{3, 10, 0, 29}, {3, 11, 30, 99}}));
  return tree;
}

TEST_CASE("inputs of a merge stay as copies of what they became, newest first") {
  TreeState tree;
  tree.advance_now(Instant(7));
  arrive(tree, {2, 1, 0, 39});
  arrive(tree, {3, 2, 10, 99});
  TreeEdit edit = merge_edit(tree, {{3, 4, 0, 49}, {3, 5, 50, 99}});
  REQUIRE(edit.removed.empty());
  REQUIRE(dropped_frozen_files(tree, edit).empty());
  apply(tree, edit);
  REQUIRE(text_of(tree, 3) == "4: 1 0-39, 2 10-49; 5: 2 50-99");
  REQUIRE(frozen_text(tree) == "1x1 2x2 ");
  REQUIRE(tree.frozen_files().at(FileId(1)).file.level_since == Instant(7));
  REQUIRE(tree.levels()[3].runs[0].files[0].is_rewritten);
}

TEST_CASE("what a merge with copies wrote hands them on and goes") {
  const TreeState tree = twice_merged();
  REQUIRE(text_of(tree, 3) ==
          "10: 3 5-29, 1 0-29, 2 10-29; 11: 3 30-80, 1 30-39, 2 30-49, 2 50-99");
  REQUIRE(frozen_text(tree) == "1x2 2x3 3x2 ");
}

TEST_CASE("of each key at most so many copies stay") {
  TreeState tree;
  arrive(tree, {2, 1, 0, 39});
  arrive(tree, {3, 2, 10, 99});
  apply(tree, merge_edit(tree, {{3, 4, 0, 99}}, 1));
  // Copy 2 lies below copy 1 in part: it goes, and with it the file.
  REQUIRE(text_of(tree, 3) == "4: 1 0-39");
  REQUIRE(frozen_text(tree) == "1x1 ");
  arrive(tree, {2, 3, 60, 99});
  apply(tree, merge_edit(tree, {{3, 5, 0, 99}}, 1));
  REQUIRE(text_of(tree, 3) == "5: 3 60-99, 1 0-39");
}

TEST_CASE("a trimmed copy takes older ones that it covers with it") {
  TreeState tree = twice_merged();
  TreeEdit edit;
  edit.trimmed = {FileId(1)};
  REQUIRE(dropped_frozen_files(tree, edit) == std::vector<FileId>{FileId(1)});
  apply(tree, edit);
  REQUIRE(text_of(tree, 3) == "10: 3 5-29; 11: 3 30-80, 2 50-99");
  REQUIRE(frozen_text(tree) == "2x1 3x2 ");
  REQUIRE(files_with_copies(tree) == 2);
  edit.trimmed = {FileId(3)};
  REQUIRE(dropped_frozen_files(tree, edit) == std::vector<FileId>{FileId(2), FileId(3)});
  apply(tree, edit);
  REQUIRE(text_of(tree, 3) == "10:; 11:");
  REQUIRE(tree.frozen_files().empty());
  REQUIRE(files_with_copies(tree) == 0);
}

TEST_CASE("copies move with their file, and go when it is merged") {
  TreeState tree = twice_merged();
  const SortedRun& run = tree.levels()[3].runs[0];
  TreeEdit move;
  move.moved.push_back({{run.files[0].id, run.files[1].id}, {2, std::nullopt}});
  apply(tree, move);
  REQUIRE(text_of(tree, 2).starts_with("10: 3 5-29, 1 0-29"));
  const TreeEdit merge = merge_edit(tree, {{3, 12, 0, 99}});
  REQUIRE(dropped_frozen_files(tree, merge) ==
          std::vector<FileId>{FileId(1), FileId(2), FileId(3)});
  apply(tree, merge);
  REQUIRE(text_of(tree, 3) == "12: 10 0-29, 11 30-99");
  REQUIRE(frozen_text(tree) == "10x1 11x1 ");
  // A merge that leaves no copies ends them.
  const TreeEdit last = merge_edit(tree, {{3, 13, 0, 99}}, 0);
  REQUIRE(dropped_frozen_files(tree, last).size() == 2);
  apply(tree, last);
  REQUIRE(tree.frozen_files().empty());
  REQUIRE(!tree.levels()[3].runs[0].files[0].is_rewritten);
}

TEST_CASE("trees with copies come back from images, cached blocks do not") {
  TreeState tree = twice_merged();
  tree.note_blocks(FileId(2), {3, 4});
  REQUIRE(tree.frozen_files().at(FileId(2)).blocks.cached == 3);
  const auto restored = TreeState::restore(tree.image());
  REQUIRE(restored.has_value());
  REQUIRE(text_of(restored.value(), 3) == text_of(tree, 3));
  REQUIRE(frozen_text(restored.value()) == frozen_text(tree));
  REQUIRE(restored.value().frozen_files().at(FileId(2)).blocks.cached == 0);
}

TEST_CASE("edits and images with copies that do not fit are refused") {
  const TreeState tree = twice_merged();
  const auto refusal = [&](const auto& change) {
    TreeEdit edit;
    change(edit);
    const auto checked = tree.check(edit);
    REQUIRE(!checked.has_value());
    return checked.error().message;
  };
  const auto with_copy = [](TreeEdit& edit, std::uint64_t id, KeyRange keys) {
    File file = drawn_file({4, 20, 0, 9}, 1);
    file.copies.push_back({FileId(id), keys});
    edit.added.push_back({{4, std::nullopt}, {file}});
  };
  REQUIRE(refusal([&](TreeEdit& edit) {
            with_copy(edit, 77, {0, 9});
          }) == "file 20 has a copy of file 77, which is not frozen");
  REQUIRE(refusal([&](TreeEdit& edit) {
            with_copy(edit, 3, {5, 10});
          }) == "the copy of file 3 does not lie in the keys of file 20");
  REQUIRE(refusal([](TreeEdit& edit) { edit.trimmed = {FileId(77)}; }) ==
          "file 77 is trimmed and no copy");
  REQUIRE(refusal([](TreeEdit& edit) { edit.trimmed = {FileId(10)}; }) ==
          "file 10 is trimmed and no copy");
  REQUIRE(refusal([](TreeEdit& edit) {
            edit.trimmed = {FileId(3), FileId(1)};
          }) == "copy 1 is trimmed out of order");
  TreeImage nested = tree.image();
  nested.frozen_files[0].copies.push_back({FileId(3), {0, 9}});
  const auto restored = TreeState::restore(nested);
  REQUIRE(!restored.has_value());
  REQUIRE(restored.error().message == "file 1 is frozen and has copies");
}

}  // namespace
}  // namespace lsmlab::file_copies_test

// Virtual files: how edits make, cut, join and end them, and which edits and images are refused.
#include <functional>

#include "models/execution/plan_execution.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::virtual_file_test {
namespace {

// A slice's bytes are its number of keys.
TreeEdit refer_edit(TreeState& tree, const ReferPlan& refer) {
  const Plan plan{PlanReason::kLevelSaturated, refer, {}};
  TreeEdit edit = begin_edit(tree, plan);
  const VirtualFileSource source{[](FileId, const KeyRange& keys) -> Result<Bytes> {
                                   return Bytes(keys.largest - keys.smallest + 1);
                                 },
                                 [&] { return tree.allocate_file_id(); }};
  REQUIRE(add_virtual_files(tree, refer, source, edit).has_value());
  return edit;
}

void apply(TreeState& tree, const TreeEdit& edit) {
  const auto applied = tree.apply(edit);
  INFO((applied ? "" : applied.error().message));
  REQUIRE(applied.has_value());
}

PlanInput whole(const TreeState& tree, std::uint32_t level, std::size_t run = 0) {
  const SortedRun& taken = tree.levels()[level].runs[run];
  return input_of(level, taken, taken.files);
}

// "0-9 of 3, 10-19 of 4; 20-29 of 4": files with their slices, oldest first.
std::string text_of(const TreeState& tree, std::uint32_t level) {
  std::string text;
  for (const File& file : tree.levels()[level].runs.front().files) {
    if (!text.empty()) text += "; ";
    std::string slices;
    for (const Slice& slice : file.slices) {
      if (!slices.empty()) slices += ", ";
      slices += fmt::format("{}-{} of {}", slice.keys.smallest, slice.keys.largest,
                            slice.frozen_file.value());
    }
    text += file.is_virtual ? slices : fmt::format("file {}", file.id.value());
  }
  return text;
}

// Level 0: files 2 (newer) and 1. Level 1: files 3 and 4.
DrawnTree four_files() {
  return DrawnTree({{0, 2, 5, 25, 50}, {0, 1, 0, 30, 40}, {1, 3, 0, 9, 10}, {1, 4, 20, 39, 20}});
}

ReferPlan all_into_one(const TreeState& tree) {
  return {{whole(tree, 0, 0), whole(tree, 0, 1), whole(tree, 1)}, {1, tree.levels()[1].runs[0].id}};
}

TEST_CASE("a virtual merge refers to its inputs, oldest first, and keeps their tables") {
  DrawnTree drawn = four_files();
  TreeState& tree = drawn.state();
  apply(tree, refer_edit(tree, all_into_one(tree)));
  REQUIRE(text_of(tree, 1) == "0-9 of 3, 20-39 of 4, 0-30 of 1, 5-25 of 2");
  REQUIRE(tree.levels()[0].runs.empty());
  const File& file = tree.levels()[1].runs[0].files[0];
  REQUIRE(file.keys == KeyRange{0, 39});
  REQUIRE(file.bytes == Bytes(0));
  REQUIRE(file.data_bytes() == Bytes(10 + 20 + 31 + 21));
  REQUIRE(level_bytes(tree, 1) == Bytes(82));
  REQUIRE(tree.levels()[1].sums.bytes == 0);
  REQUIRE(tree.frozen_files().size() == 4);
  REQUIRE(tree.frozen_files().sums().bytes == 50 + 40 + 10 + 20);
}

TEST_CASE("virtual files are cut at keys, and hand their slices on") {
  DrawnTree drawn = four_files();
  TreeState& tree = drawn.state();
  apply(tree, refer_edit(tree, all_into_one(tree)));
  const RunId run = tree.levels()[1].runs[0].id;
  apply(tree, refer_edit(tree, {{whole(tree, 1)}, {1, run}, {10, 25}}));
  REQUIRE(text_of(tree, 1) ==
          "0-9 of 3, 0-9 of 1, 5-9 of 2; 20-24 of 4, 10-24 of 1, 10-24 of 2; "
          "25-39 of 4, 25-30 of 1, 25-25 of 2");
  REQUIRE(tree.levels()[1].runs[0].id == run);
  REQUIRE(tree.frozen_files().at(FileId(1)).references == 3);
  REQUIRE(tree.frozen_files().at(FileId(3)).references == 1);
  REQUIRE(level_bytes(tree, 1) == Bytes(10 + 20 + 31 + 21));
  // Joined again: the slices of the files by key.
  apply(tree, refer_edit(tree, {{whole(tree, 1)}, {1, run}}));
  REQUIRE(tree.levels()[1].runs[0].files.size() == 1);
  REQUIRE(tree.levels()[1].runs[0].files[0].slices.size() == 9);
  REQUIRE(tree.frozen_files().at(FileId(1)).references == 3);
}

TEST_CASE("a frozen file goes with its last slice, and not with slices that are handed on") {
  DrawnTree drawn = four_files();
  TreeState& tree = drawn.state();
  apply(tree, refer_edit(tree, all_into_one(tree)));
  const RunId run = tree.levels()[1].runs[0].id;
  const TreeEdit cut = refer_edit(tree, {{whole(tree, 1)}, {1, run}, {15}});
  REQUIRE(dropped_frozen_files(tree, cut).empty());
  apply(tree, cut);
  TreeEdit merge;
  merge.removed = {tree.levels()[1].runs[0].files[0].id};
  REQUIRE(dropped_frozen_files(tree, merge) == std::vector{FileId(3)});
  apply(tree, merge);
  REQUIRE(!tree.frozen_files().contains(FileId(3)));
  merge.removed = {tree.levels()[1].runs[0].files[0].id};
  REQUIRE(dropped_frozen_files(tree, merge) == std::vector{FileId(1), FileId(2), FileId(4)});
  apply(tree, merge);
  REQUIRE(tree.frozen_files().empty());
}

TEST_CASE("a merge of the newest slices leaves the others, and its output becomes the newest") {
  DrawnTree drawn = four_files();
  TreeState& tree = drawn.state();
  apply(tree, refer_edit(tree, all_into_one(tree)));
  MergePlan merge;
  merge.inputs = {whole(tree, 1)};
  merge.target = {1, tree.levels()[1].runs[0].id};
  merge.newest_slices = 2;
  merge.drops_tombstones = false;
  const Plan plan{PlanReason::kSortedRunCount, merge, {}};
  REQUIRE(tree.reserve(plan).has_value());
  const PlanSums sums = merge_sums(tree, merge, {});
  REQUIRE(sums.read_bytes == 31 + 21);
  REQUIRE(sums.sources == 2);
  TreeEdit edit = begin_edit(tree, plan);
  edit.added.push_back(begin_added(plan));
  edit.added[0].files.push_back(drawn_file({1, 9, 0, 29, 33}, 100));
  REQUIRE(dropped_frozen_files(tree, edit) == std::vector{FileId(1), FileId(2)});
  apply(tree, edit);
  REQUIRE(text_of(tree, 1) == "0-9 of 3, 20-39 of 4, 0-29 of 9");
  REQUIRE(!tree.levels()[1].runs[0].busy());
  REQUIRE(level_bytes(tree, 1) == Bytes(10 + 20 + 33));
  REQUIRE(tree.frozen_files().size() == 3);
}

TEST_CASE("edits that would lose data or refer to nothing are refused, and change nothing") {
  DrawnTree drawn = four_files();
  TreeState& tree = drawn.state();
  apply(tree, refer_edit(tree, all_into_one(tree)));
  const FileId range = tree.levels()[1].runs[0].files[0].id;
  const auto refused = [&](const std::string& words, const std::function<void(TreeEdit&)>& make) {
    TreeEdit edit;
    make(edit);
    const auto applied = tree.apply(edit);
    REQUIRE(!applied.has_value());
    INFO(applied.error().message);
    REQUIRE(applied.error().message.find(words) != std::string::npos);
    REQUIRE(tree.levels()[1].runs[0].files[0].slices.size() == 4);
    REQUIRE(tree.frozen_files().size() == 4);
  };
  const auto added = [](FileId frozen) {
    File file;
    file.id = FileId(90);
    file.keys = {100, 109};
    file.is_virtual = true;
    file.slices = {{frozen, {100, 109}, Bytes(1)}};
    return TreeEdit::Added{{2, std::nullopt}, {file}};
  };
  refused("lacks its frozen file", [&](TreeEdit& edit) { edit.added = {added(FileId(77))}; });
  refused("has data of its own", [&](TreeEdit& edit) {
    edit.added = {added(FileId(1))};
    edit.added[0].files[0].bytes = Bytes(1);
  });
  refused("already has slices", [&](TreeEdit& edit) {
    edit.added = {added(FileId(1))};
    edit.added[0].files[0].is_virtual = false;
  });
  refused("is frozen and virtual", [&](TreeEdit& edit) {
    edit.frozen = {range};
    edit.added = {added(range)};
  });
  refused("of 5 slices that stays", [&](TreeEdit& edit) { edit.taken_slices = {{range, 5}}; });
  refused("slices that stays", [&](TreeEdit& edit) {
    edit.taken_slices = {{range, 1}, {range, 1}};
  });
  refused("slices that stays", [&](TreeEdit& edit) {
    edit.removed = {range};
    edit.taken_slices = {{range, 1}};
  });
  refused("takes one slice", [&](TreeEdit& edit) {
    edit.added = {{{1, std::nullopt}, {}, FileId(1)}};
  });
}

TEST_CASE("the tree notes the keys and values that a slice has before compression") {
  // 40 and 80 bytes; compressed to 10 and 20. A slice's bytes are its number of keys.
  DrawnTree drawn({{0, 1, 5, 14, 10, {}, 1, 0, 40}, {1, 2, 0, 19, 20, {}, 1, 0, 80}});
  TreeState& tree = drawn.state();
  const auto entry_bytes = [](const TreeState& of) {
    std::vector<std::uint64_t> bytes;
    for (const File& file : of.levels()[1].runs[0].files) {
      for (const Slice& slice : file.slices) bytes.push_back(slice.entry_bytes.value());
    }
    return bytes;
  };
  const RunId run = tree.levels()[1].runs[0].id;
  apply(tree, refer_edit(tree, {{whole(tree, 1)}, {1, run}, {15}}));
  REQUIRE(entry_bytes(tree) == std::vector<std::uint64_t>{60, 20});
  const Plan plan{PlanReason::kMemtableFull,
                  LinkPlan{whole(tree, 0), {tree.levels()[1].runs[0].files[0].id}},
                  {}};
  TreeEdit link = begin_edit(tree, plan);
  add_links(
      tree, std::get<LinkPlan>(plan.action), [](const KeyRange&) { return Bytes(5); }, link);
  apply(tree, link);
  const std::vector<std::uint64_t> all{60, 20, 20};
  REQUIRE(entry_bytes(tree) == all);
  TreeImage image = tree.image();
  image.levels[1].runs[0].files.change(0, [](File& file) {
    for (Slice& slice : file.slices) slice.entry_bytes = Bytes(0);
  });
  REQUIRE(entry_bytes(TreeState::restore(image).value()) == all);
}

TEST_CASE("an image with virtual files gives the same tree again") {
  DrawnTree drawn = four_files();
  TreeState& tree = drawn.state();
  apply(tree, refer_edit(tree, all_into_one(tree)));
  const RunId run = tree.levels()[1].runs[0].id;
  apply(tree, refer_edit(tree, {{whole(tree, 1)}, {1, run}, {10, 25}}));
  const auto restored = TreeState::restore(tree.image());
  REQUIRE(restored.has_value());
  REQUIRE(text_of(restored.value(), 1) == text_of(tree, 1));
  REQUIRE(restored.value().levels()[1].sums == tree.levels()[1].sums);
  REQUIRE(restored.value().frozen_files().at(FileId(1)).references == 3);
  TreeImage image = tree.image();
  image.levels[1].runs[0].files.change(0, [](File& file) { file.bytes = Bytes(1); });
  REQUIRE(!TreeState::restore(image).has_value());
  image = tree.image();
  image.frozen_files.front().is_virtual = true;
  REQUIRE(!TreeState::restore(image).has_value());
}

}  // namespace
}  // namespace lsmlab::virtual_file_test

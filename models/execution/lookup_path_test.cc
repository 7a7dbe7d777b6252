// The path of a lookup through a hand-made tree, and the file that it charges with a seek.
#include "models/execution/lookup_path.h"

#include <fmt/format.h>

#include <string>

#include "testing/catch.h"
#include "testing/sliced_tree.h"

namespace lsmlab::lookup_path_test {
namespace {

// Such as "t1 a1 t4 a7 a6, charged 1": the touched files and the asked tables. The walk ends at
// table `found`.
std::string walk(std::uint64_t key, std::uint64_t found = 0) {
  const DrawnTree drawn = testing::sliced_tree();
  std::string text;
  const auto charged = walk_lookup(
      drawn.view(), key,
      [&](const FileLocation& at) {
        text += fmt::format("t{} ", drawn.view().file_at(at).id.value());
      },
      [&](const FileLocation&, FileId table) {
        text += fmt::format("a{} ", table.value());
        return table == FileId(found);
      });
  if (charged) text += fmt::format("charged {}", drawn.view().file_at(*charged).id.value());
  return text;
}

TEST_CASE("a lookup visits levels top down, runs newest first, slices before their file") {
  REQUIRE(walk(7) == "t1 a1 t3 a6 a3 charged 1");
  REQUIRE(walk(15) == "t1 a1 t2 a2 t4 a6 charged 1");
  REQUIRE(walk(28) == "t2 a2 t4 a7 a6 a4 charged 2");
  REQUIRE(walk(3) == "t3 a6 a3 ");
  // Keys in a gap belong to the file to the right, and keys beyond the end to the last file.
  REQUIRE(walk(35) == "t2 a2 t5 a7 charged 2");
  REQUIRE(walk(70) == "t5 a7 ");
  REQUIRE(walk(71).empty());
}

TEST_CASE("a lookup ends where it is told to") {
  REQUIRE(walk(15, 1) == "t1 a1 ");
  REQUIRE(walk(15, 2) == "t1 a1 t2 a2 charged 1");
  REQUIRE(walk(28, 7) == "t2 a2 t4 a7 charged 2");
  REQUIRE(walk(28, 6) == "t2 a2 t4 a7 a6 charged 2");
}

// The tree of file 9 with the copies 3, 1 and 2, newest first. `passes`: what file 9's filter says.
std::string walk_copies(std::uint64_t key, bool passes, std::uint64_t found = 0) {
  DrawnTree drawn({{1, 1, 0, 39}, {1, 2, 40, 99}, {2, 3, 20, 60}});
  TreeState& tree = drawn.state();
  TreeEdit edit;
  edit.is_merge = true;
  edit.frozen = {FileId(1), FileId(2), FileId(3)};
  File file = drawn_file({3, 9, 0, 99}, 1);
  file.copies = {{FileId(3), {20, 60}}, {FileId(1), {0, 39}}, {FileId(2), {40, 99}}};
  edit.added.push_back({{3, std::nullopt}, {file}});
  REQUIRE(tree.apply(edit).has_value());
  std::string text;
  static_cast<void>(walk_lookup(
      tree, key, [&](const FileLocation&) { text += "t "; },
      [&](const FileLocation&, FileId table) {
        text += fmt::format("a{} ", table.value());
        return table == FileId(found);
      },
      [&](const FileLocation&, FileId table) {
        text += fmt::format("?{} ", table.value());
        return passes;
      }));
  return text;
}

TEST_CASE("a lookup visits copies, newest first, if the file's filter passes the key") {
  REQUIRE(walk_copies(30, true) == "t ?9 a3 a1 a9 ");
  REQUIRE(walk_copies(30, true, 3) == "t ?9 a3 ");
  REQUIRE(walk_copies(30, false) == "t ?9 ");
  REQUIRE(walk_copies(99, true) == "t ?9 a2 a9 ");
  REQUIRE(walk_copies(100, true).empty());
}

TEST_CASE("the file that is responsible for a key") {
  const DrawnTree drawn = testing::sliced_tree();
  const SortedRun& run = drawn.view().levels()[1].runs[0];
  for (const auto& [key, index] : std::vector<std::pair<std::uint64_t, std::size_t>>{
           {0, 0}, {9, 0}, {10, 1}, {29, 1}, {30, 2}, {60, 2}, {1000, 2}}) {
    CAPTURE(key);
    REQUIRE(responsible_file(run.files, key) == index);
    const KeyRange range = responsible_range(run, index);
    REQUIRE(holds(range, key));
  }
}

}  // namespace
}  // namespace lsmlab::lookup_path_test

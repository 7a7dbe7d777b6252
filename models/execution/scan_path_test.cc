// The path of a scan through a hand-made tree: the order in which it opens files, and what it
// counts.
#include "models/execution/scan_path.h"

#include <fmt/format.h>

#include <string>

#include "models/execution/whole_tree.h"
#include "testing/catch.h"
#include "testing/sliced_tree.h"

namespace lsmlab::scan_path_test {
namespace {

// A scan that returns no entries; all tables but those in `empty` hold some. Such as "1 2 6 3 | 6 7
// 4": tables in the order of their opening; the bar separates the files that the scan opens first
// from the later ones.
struct Walk {
  std::string text;
  std::uint64_t runs_touched = 0;
};
Walk walk(std::uint64_t first_key, std::uint64_t last_key, std::uint64_t empty = 0) {
  const DrawnTree drawn = testing::sliced_tree();
  const auto no_entries = [](std::size_t, std::size_t) { return false; };
  ScanEvents events;
  Walk walk;
  const auto open = [&](const FileLocation& at, bool is_run_touched) -> Result<void> {
    const ScanOpening opening = BOOST_OUTCOME_TRYX(
        open_scanned_file(drawn.view(), at, is_run_touched, last_key,
                          [&](FileId id, const KeyRange& keys) -> Result<bool> {
                            if (keys.largest < first_key || keys.smallest > last_key) return false;
                            walk.text += fmt::format("{} ", id.value());
                            return id != FileId(empty);
                          }));
    walk.runs_touched += opening.runs_touched;
    if (opening.next) events.push(*opening.next, no_entries);
    return success();
  };
  REQUIRE(open_first_files(drawn.view(), first_key,
                           [&](const FileLocation& at) { return open(at, false); }));
  walk.text += "|";
  while (!events.empty()) {
    const ScanEvent event = events.pop(no_entries);
    REQUIRE(!event.is_entry);
    walk.text += fmt::format(" @{} ", event.key);
    REQUIRE(open(event.file, event.is_run_touched));
  }
  return walk;
}

TEST_CASE("a scan opens files as the merged view reaches them, slices oldest first") {
  REQUIRE(walk(0, 100).text == "1 2 6 3 | @10 6 7 4  @30 6 7 5 ");
  REQUIRE(walk(28, 100).text == "2 6 7 4 | @30 6 7 5 ");
  REQUIRE(walk(0, 9).text == "1 6 3 |");
  REQUIRE(walk(0, 10).text == "1 2 6 3 | @10 6 ");
}

TEST_CASE("a run counts once however many of its files a scan reads, and a slice is a run") {
  // Runs 1, 2 and the run of level 1; slices of 6 on files 3, 4 and 5; slices of 7 on files 4 and
  // 5.
  REQUIRE(walk(0, 100).runs_touched == 3 + 5);
  REQUIRE(walk(0, 100, 3).runs_touched == 3 + 5);  // file 4 is then the first read file of its run
  REQUIRE(walk(0, 100, 1).runs_touched == 2 + 5);
}

TEST_CASE("files open before entries of their key, and of one key the newest entry comes first") {
  ScanEvents events;
  const auto is_newer = [](std::size_t a, std::size_t b) { return a > b; };
  events.push({7, true, 1}, is_newer);
  events.push({7, true, 3}, is_newer);
  events.push({7, false, 0, {1, 0, 0}}, is_newer);
  events.push({7, false, 0, {0, 2, 0}}, is_newer);
  events.push({7, false, 0, {0, 1, 4}}, is_newer);
  events.push({6, true, 0}, is_newer);
  std::string text;
  while (!events.empty()) {
    const ScanEvent event = events.pop(is_newer);
    text += event.is_entry ? fmt::format("e{} ", event.source)
                           : fmt::format("f{}.{} ", event.file.level, event.file.run);
  }
  REQUIRE(text == "e0 f0.1 f0.2 f1.0 e3 e1 ");
}

TEST_CASE("a whole tree is sequences that rise by key: runs, and slices by their place") {
  const DrawnTree drawn = testing::sliced_tree();
  std::string text;
  for (const std::vector<TableRange>& sequence : rising_sequences(drawn.view())) {
    for (const TableRange& range : sequence) {
      const bool is_whole = range.keys == KeyRange{};
      text += fmt::format("{}{} ", range.table.value(), is_whole ? "" : "s");
    }
    text += "| ";
    for (std::size_t i = 1; i < sequence.size(); ++i) {
      if (sequence[i].keys == KeyRange{}) continue;
      REQUIRE(sequence[i - 1].keys.largest < sequence[i].keys.smallest);
    }
  }
  REQUIRE(text == "1 | 2 | 3 4 5 | 6s 6s 6s | 7s 7s | ");
}

}  // namespace
}  // namespace lsmlab::scan_path_test

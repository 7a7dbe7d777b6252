// The trees with which simulations of a store begin.
#include "validate/stores/store_start.h"

#include <fmt/format.h>

#include "testing/catch.h"
#include "validate/stores/key_shares.h"

namespace lsmlab::store_start_test {
namespace {

using stores::EditKind;
using stores::HistoryEdit;

stores::AddedFile file(std::uint32_t level, std::uint64_t number, std::string smallest,
                       std::string largest, std::uint64_t bytes) {
  stores::AddedFile added;
  added.level = level;
  added.file.number = number;
  added.file.bytes = bytes;
  added.file.smallest_key = std::move(smallest);
  added.file.largest_key = std::move(largest);
  added.file.smallest_sequence = number * 10;
  added.file.largest_sequence = number * 10 + 9;
  return added;
}

HistoryEdit edit(EditKind kind, std::vector<stores::AddedFile> added) {
  HistoryEdit step;
  step.kind = kind;
  step.edit.has_rocksdb_fields = true;
  step.edit.added = std::move(added);
  return step;
}

// Entries of 100 bytes. Level 2 has 400 in the first quarter of the keys and 1200 in the rest; a
// file of level 1 lies in the middle. Then a flush of 100 follows.
stores::Store store_with(bool is_flush_logged, bool is_snapshot_logged) {
  stores::Store store;
  store.manifest.emplace();
  store.manifest->families[0].name = "default";
  store.manifest->history = {edit(EditKind::kSnapshot, {file(2, 1, "key000", "key249", 40'000),
                                                        file(2, 2, "key250", "key999", 120'000),
                                                        file(1, 3, "key125", "key625", 20'000)}),
                             edit(EditKind::kFlush, {file(0, 4, "key000", "key999", 10'000)})};
  store.logs.emplace_back();
  stores::LoggedFlush flush;
  flush.family = "default";
  if (is_flush_logged) flush.outputs.push_back({4, 10'000, 100});
  if (is_snapshot_logged) flush.outputs.push_back({3, 20'000, 200});
  store.logs[0].log.flushes.push_back(flush);
  return store;
}

stores::FamilyFigures figures() {
  stores::FamilyFigures figures;
  figures.name = "default";
  figures.source = stores::HistorySource::kLog;
  figures.flushes.bytes = 10'000;
  figures.flushes.entries = 100;
  return figures;
}

TEST_CASE("a store's tree is known when its history begins, and today") {
  const StoreStarts starts = starts_of(store_with(true, false), figures(), {}).value();
  REQUIRE(starts.at_history);
  REQUIRE(starts.now);
  const StartingTree& before = *starts.at_history;
  REQUIRE(before.records == 1800);
  REQUIRE(before.runs.size() == 2);
  REQUIRE(before.runs[0].level == 2);
  REQUIRE(before.runs[0].files.size() == 2);
  REQUIRE(before.runs[0].files[0].entries == 400);
  // Nothing was overwritten: the file of level 1 adds half of its keys to each file below.
  REQUIRE(before.runs[0].files[0].first == 0);
  REQUIRE(before.runs[0].files[0].last == Approx(0.25).margin(0.002));
  REQUIRE(before.runs[0].files[1].last == 1);
  REQUIRE(before.runs[1].files[0].first == Approx(0.1111).margin(0.002));
  REQUIRE(before.runs[1].files[0].last == Approx(0.6667).margin(0.002));
  REQUIRE(starts.now->runs.size() == 3);
  REQUIRE(starts.now->runs[2].level == 0);
  REQUIRE(starts.now->records == 1900);
}

TEST_CASE("a store that is opened with dynamic levels has them at the end") {
  const auto levels_of = [](std::vector<std::uint32_t> levels) {
    StartingTree start;
    for (const std::uint32_t level : levels) start.runs.push_back({level, {}});
    std::vector<std::uint32_t> moved;
    for (const StartingRun& run : opened_with_dynamic_levels(start, 7).runs) {
      moved.push_back(run.level);
    }
    return moved;
  };
  using Levels = std::vector<std::uint32_t>;
  REQUIRE(levels_of({3, 2, 1, 0, 0}) == Levels{6, 5, 4, 0, 0});
  REQUIRE(levels_of({6, 4, 1}) == Levels{6, 5, 4});
  REQUIRE(levels_of({6, 5}) == Levels{6, 5});
  REQUIRE(levels_of({0}) == Levels{0});
}

TEST_CASE("obsolete entries are no records") {
  stores::StoreWorkload workload;
  workload.update_fraction = 1;
  const StoreStarts starts = starts_of(store_with(true, false), figures(), workload).value();
  REQUIRE(starts.at_history->records < 1700);
  REQUIRE(starts.at_history->records >= 1600);
}

TEST_CASE("today's records are those that the writes lately have left") {
  stores::StoreWorkload workload;
  workload.lately = stores::LateWrites{1, 0, {}, 1700, ""};
  const StoreStarts starts = starts_of(store_with(true, false), figures(), workload).value();
  REQUIRE(starts.at_history->records == 1800);
  REQUIRE(starts.now->records == Approx(1700).margin(1));
}

TEST_CASE("a history that is older than the MANIFEST has no known beginning") {
  const StoreStarts starts = starts_of(store_with(true, true), figures(), {}).value();
  REQUIRE(!starts.at_history);
  REQUIRE(starts.now);
  const StoreStarts none = starts_of(stores::Store(), figures(), {}).value();
  REQUIRE(!none.at_history);
  REQUIRE(!none.now);
}

TEST_CASE("without a LOG the history is that of the MANIFEST") {
  stores::FamilyFigures of_manifest = figures();
  of_manifest.source = stores::HistorySource::kManifest;
  const StoreStarts starts = starts_of(store_with(false, false), of_manifest, {}).value();
  REQUIRE(starts.at_history);
  REQUIRE(starts.at_history->runs.size() == 2);
}

TEST_CASE("an unknown order of keys is an error") {
  stores::Store store = store_with(true, false);
  store.manifest->families[0].comparator = "mine";
  REQUIRE(starts_of(store, figures(), {}).error().message.find("'mine'") != std::string::npos);
}

std::uint64_t room_of(const StartingFile& file, std::uint64_t records) {
  const StartingFile::Part part = file.part_of(records);
  return part.end - part.begin;
}

TEST_CASE("files outside the keys of the largest run have room for their entries, in their order") {
  stores::Store store = store_with(true, false);
  // Ingested files end up in a gap of the largest level, and behind its keys.
  store.manifest->history[0].edit.added = {
      file(6, 1, "key000", "key199", 40'000), file(6, 2, "key700", "key899", 40'000),
      file(3, 3, "key300", "key399", 30'000), file(3, 5, "key950", "key999", 30'000),
      file(1, 6, "key350", "key360", 500)};
  stores::StoreWorkload workload;
  workload.update_fraction = 1;
  const StoreStarts starts = starts_of(store, figures(), workload).value();
  const StartingTree& tree = *starts.at_history;
  REQUIRE(tree.runs.size() == 3);
  for (const StartingRun& run : tree.runs) {
    for (const StartingFile& one : run.files) REQUIRE(room_of(one, tree.records) >= one.entries);
  }
  REQUIRE(tree.runs[0].entries() == 800);
  REQUIRE(tree.runs[1].entries() == 600);
  REQUIRE(tree.runs[2].entries() == 5);
  REQUIRE(tree.records >= 1400);
  REQUIRE(tree.records <= 1405);
  const StartingFile& in_gap = tree.runs[1].files[0];
  REQUIRE(tree.runs[0].files[0].last <= in_gap.first);
  REQUIRE(in_gap.last <= tree.runs[0].files[1].first);
  REQUIRE(in_gap.first < tree.runs[2].files[0].first);
  REQUIRE(tree.runs[2].files[0].last < in_gap.last);
  REQUIRE(tree.runs[0].files[1].last <= tree.runs[1].files[1].first);
}

TEST_CASE("a file of one key has a place of its own") {
  stores::Store store = store_with(true, false);
  store.manifest->history[0].edit.added = {file(2, 1, "key000", "key999", 100'000),
                                           file(1, 2, "key500", "key500", 100)};
  const StoreStarts starts = starts_of(store, figures(), {}).value();
  const StartingFile& one = starts.at_history->runs[1].files[0];
  REQUIRE(one.entries == 1);
  REQUIRE(room_of(one, starts.at_history->records) == 1);
}

TEST_CASE("a file's place follows its digits, in either order of keys") {
  const stores::StoreFile low{1, 0, "a0", "a9"};
  const stores::StoreFile high{2, 0, "b0", "b9"};
  const stores::StoreFile across{3, 0, "a5", "b5"};
  std::vector<std::string> keys;
  for (const char letter : {'a', 'b'}) {
    for (const char digit : {'0', '5', '9'}) keys.push_back({letter, digit});
  }
  std::vector<const std::string*> all;
  for (const std::string& key : keys) all.push_back(&key);
  // Everything of the upper run is an older version of what is below.
  const KeyShares rising(all, {{{&low, 3000}, {&high, 1000}}, {{&across, 10}}}, 4000, false);
  REQUIRE(rising.records() <= 4001);
  REQUIRE(rising.before(low) == 0);
  REQUIRE(rising.up_to(low) == Approx(0.75).margin(0.001));
  REQUIRE(rising.before(high) == Approx(0.75).margin(0.001));
  REQUIRE(rising.up_to(high) == 1);
  REQUIRE(rising.before(across) == Approx(0.75 * 5 / 9).margin(0.001));
  REQUIRE(rising.up_to(across) == Approx(0.75 + 0.25 * 5 / 9).margin(0.001));
  const stores::StoreFile first{1, 0, "b9", "b0"};
  const stores::StoreFile second{2, 0, "a9", "a0"};
  const stores::StoreFile middle{3, 0, "b5", "a5"};
  const KeyShares falling(all, {{{&first, 1000}, {&second, 3000}}, {{&middle, 10}}}, 4000, true);
  REQUIRE(falling.before(first) == 0);
  REQUIRE(falling.up_to(first) == Approx(0.25).margin(0.001));
  REQUIRE(falling.before(middle) == Approx(0.25 * 4 / 9).margin(0.001));
  REQUIRE(falling.up_to(middle) == Approx(0.25 + 0.75 * 4 / 9).margin(0.001));
}

}  // namespace
}  // namespace lsmlab::store_start_test

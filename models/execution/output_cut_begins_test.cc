// Cuts by GrandparentRule::kGrandparentBegins: cases of Pebble 2.1.7's
// internal/compact/testdata/{output_splitter,table_split_limit}, with numbers for letters, and
// random cases compared with a literal statement of the rule.
#include <algorithm>
#include <random>

#include "models/execution/output_cut.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::output_cut_begins_test {
namespace {

constexpr std::uint64_t kKeyBytes = 8;
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

// A key, and the value bytes with which the open file has `bytes` before the next key.
struct Write {
  std::uint64_t key = 0;
  std::uint64_t value_bytes = 0;
};
using Writes = std::vector<Write>;
using Files = std::vector<std::vector<std::uint64_t>>;

// A hundred bytes each, with equal values.
Writes even(const std::vector<std::uint64_t>& keys) {
  std::uint64_t value_bytes = 0;
  while (buffered_entry_bytes(kKeyBytes, value_bytes) < 100) ++value_bytes;
  Writes writes;
  for (const std::uint64_t key : keys) writes.push_back({key, value_bytes});
  return writes;
}

// Asks for each key, or only where the interface requires it.
Files written(OutputCutter cutter, const Writes& writes, bool in_bulk) {
  Files files;
  SstableSize size({});
  bool is_open = false;
  for (const Write& write : writes) {
    const auto quiet = cutter.quiet_until();
    const bool must_ask = quiet && write.key > *quiet;
    if (!in_bulk || must_ask) {
      const bool ends = cutter.ends_before(write.key, is_open ? size : SstableSize({}));
      REQUIRE((must_ask || !ends));
      if (ends) is_open = false;
    }
    if (!is_open) {
      files.emplace_back();
      size = SstableSize({});
      is_open = true;
    }
    files.back().push_back(write.key);
    size.add(kKeyBytes, write.value_bytes);
    if (cutter.ends_after(size)) is_open = false;
  }
  return files;
}

// Level 1 is rewritten above grandparents in level 2.
Files cut(const std::vector<DrawnFile>& grandparents, std::uint64_t file_bytes,
          std::uint64_t overlap_max, const std::vector<std::uint64_t>& limits, const Writes& writes,
          GrandparentRule rule = GrandparentRule::kGrandparentBegins) {
  std::vector<DrawnFile> files = grandparents;
  files.push_back({1, 1, writes.front().key, writes.back().key, 1});
  const DrawnTree tree(files);
  const SortedRun* run = newest_run(tree.view(), 1);
  MergePlan plan;
  plan.inputs = {input_of(1, *run, run->files)};
  plan.target = {1, run->id};
  plan.cut.grandparents = rule;
  plan.cut.file_bytes = Bytes(file_bytes);
  plan.cut.grandparent_bytes_max = Bytes(overlap_max);
  plan.cut.limits = limits;
  Files single = written(OutputCutter(tree.view(), plan), writes, false);
  REQUIRE(written(OutputCutter(tree.view(), plan), writes, true) == single);
  return single;
}

TEST_CASE("without grandparents a file ends at its size, or at a limit") {
  REQUIRE(cut({}, 300, kNoLimit, {}, even({1, 2, 3, 4, 5, 6, 7})) ==
          Files{{1, 2, 3}, {4, 5, 6}, {7}});
  REQUIRE(cut({}, 1000, kNoLimit, {6}, even({1, 2, 4, 5, 6, 7})) == Files{{1, 2, 4, 5}, {6, 7}});
  REQUIRE(cut({}, 1000, kNoLimit, {6}, even({1, 2, 4, 21, 22})) == Files{{1, 2, 4}, {21, 22}});
  REQUIRE(cut({}, 1000, kNoLimit, {2, 6, 9}, even({3, 4, 21, 22})) == Files{{3, 4}, {21, 22}});
  // The limit where a full file ends ends no further file.
  REQUIRE(cut({}, 200, kNoLimit, {3}, even({1, 2, 3, 4, 5})) == Files{{1, 2}, {3, 4}, {5}});
}

TEST_CASE("a file of half to twice its size ends where a grandparent begins") {
  const std::vector<DrawnFile> five{{2, 11, 40, 41, 1},
                                    {2, 12, 50, 51, 1},
                                    {2, 13, 60, 61, 1},
                                    {2, 14, 70, 71, 1},
                                    {2, 15, 80, 81, 1}};
  // The first begin that it passes: half is enough.
  REQUIRE(cut(five, 400, kNoLimit, {}, even({1, 2, 40, 42, 90})) == Files{{1, 2}, {40, 42, 90}});
  REQUIRE(cut(five, 400, kNoLimit, {}, even({1, 40, 42, 45})) == Files{{1, 40, 42, 45}});
  // It also ends before a key behind the begin.
  REQUIRE(cut(five, 400, kNoLimit, {}, even({1, 2, 45, 46})) == Files{{1, 2}, {45, 46}});
  // The fifth begin asks for seven tenths.
  REQUIRE(cut(five, 1000, kNoLimit, {}, even({1, 2, 3, 75, 76, 77, 80})) ==
          Files{{1, 2, 3, 75, 76, 77, 80}});
  REQUIRE(cut(five, 1000, kNoLimit, {}, even({1, 2, 3, 75, 76, 77, 78, 80})) ==
          Files{{1, 2, 3, 75, 76, 77, 78}, {80}});
  // Twice its size while a begin lies ahead, once behind the last.
  REQUIRE(cut(five, 300, kNoLimit, {}, even({52, 53, 54, 55, 56, 57, 58, 59})) ==
          Files{{52, 53, 54}, {55, 56, 57}, {58, 59}});
  REQUIRE(cut(five, 300, kNoLimit, {}, even({51, 52, 53, 54, 55, 56, 57, 80})) ==
          Files{{51, 52, 53, 54, 55, 56}, {57, 80}});
  REQUIRE(cut(five, 300, kNoLimit, {}, even({79, 81, 82, 83, 84})) ==
          Files{{79, 81, 82}, {83, 84}});
}

TEST_CASE("before Pebble 1.0 a file ends where a grandparent begins only at the limit") {
  const std::vector<DrawnFile> two{{2, 11, 40, 41, 2}, {2, 12, 50, 51, 2}};
  const auto old = [&](std::uint64_t overlap_max, const std::vector<std::uint64_t>& keys) {
    return cut(two, 400, overlap_max, {}, even(keys), GrandparentRule::kGrandparentLimit);
  };
  REQUIRE(old(kNoLimit, {1, 2, 40, 42, 50}) == Files{{1, 2, 40, 42}, {50}});
  REQUIRE(old(2, {1, 2, 40, 50, 52}) == Files{{1, 2, 40}, {50, 52}});
}

TEST_CASE("a file overlaps a limited number of grandparents' bytes") {
  const std::vector<DrawnFile> three{{2, 11, 0, 1, 2}, {2, 12, 2, 3, 2}, {2, 13, 4, 5, 2}};
  const Writes all = even({0, 1, 2, 3, 4, 5, 6});
  REQUIRE(cut(three, 100000, 1, {}, all) == Files{{0, 1}, {2, 3}, {4, 5, 6}});
  REQUIRE(cut(three, 100000, 2, {}, all) == Files{{0, 1}, {2, 3}, {4, 5, 6}});
  REQUIRE(cut(three, 100000, 4, {}, all) == Files{{0, 1, 2, 3}, {4, 5, 6}});
  REQUIRE(cut(three, 100000, 6, {}, all) == Files{{0, 1, 2, 3, 4, 5, 6}});
  REQUIRE(cut(three, 100000, 6, {1}, all) == Files{{0}, {1, 2, 3, 4, 5, 6}});
}

// For each file: what it may do before each key, from all grandparents.
Files literally(const std::vector<DrawnFile>& grandparents, std::uint64_t target,
                std::uint64_t overlap_max, const std::vector<std::uint64_t>& limits,
                const Writes& writes, bool ends_at_begins) {
  Files files;
  std::uint64_t bytes = 0;
  std::uint64_t passed = 0;
  bool was_full = false;
  for (const Write& write : writes) {
    const auto is_met = [&](const DrawnFile& file) {
      return file.smallest <= writes.back().key && file.largest >= writes.front().key;
    };
    std::uint64_t crossed = 0;
    bool lies_ahead = false;
    bool ends = files.empty();
    bool at_boundary = files.empty();
    if (!ends) {
      const std::uint64_t first = files.back().front();
      const std::uint64_t last = files.back().back();
      Uint128 limit = Uint128{1} << 64;
      std::uint64_t overlapped = 0;
      for (const DrawnFile& file : grandparents) {
        if (!is_met(file)) continue;
        if (file.smallest > first) {
          overlapped += file.bytes;
          if (overlapped > overlap_max) limit = std::min(limit, Uint128{file.smallest});
        } else if (was_full || file.largest >= first) {
          overlapped = file.bytes;
        }
        if (file.smallest > last && file.smallest <= write.key) ++crossed;
      }
      for (const std::uint64_t key : limits) {
        if (key > first) limit = std::min(limit, Uint128{key});
        at_boundary = at_boundary || (key > last && key <= write.key);
      }
      for (const DrawnFile& file : grandparents) {
        lies_ahead = lies_ahead ||
                     (is_met(file) && file.smallest > write.key && Uint128{file.smallest} < limit);
      }
      at_boundary = at_boundary || crossed > 0;
      passed += crossed;
      const std::uint64_t percent = std::min<std::uint64_t>(90, 45 + 5 * passed);
      const bool is_full = bytes >= 2 * target || (bytes >= target && !lies_ahead) ||
                           (crossed > 0 && bytes >= target / 2 && bytes >= target * percent / 100);
      ends = write.key >= limit || (ends_at_begins ? is_full : bytes >= target);
    }
    if (ends) {
      files.emplace_back();
      was_full = !at_boundary;
      bytes = passed = 0;
    }
    files.back().push_back(write.key);
    bytes += buffered_entry_bytes(kKeyBytes, write.value_bytes);
  }
  return files;
}

TEST_CASE("random cuts at begins of grandparents are those of the rule as it reads") {
  const std::uint64_t seed = 20261128;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 3000; ++round) {
    INFO("seed " << seed << ", round " << round);
    Writes writes;
    const std::uint64_t step = 1 + random() % 12;
    for (std::uint64_t key = random() % 30; key < 600; key += 1 + random() % step) {
      writes.push_back({key, random() % 200});
    }
    std::vector<DrawnFile> grandparents;
    for (std::uint64_t key = random() % 20; key < 650 && round % 7 != 0;) {
      const std::uint64_t largest = key + random() % 60;
      grandparents.push_back({2, grandparents.size() + 10, key, largest, 1 + random() % 2000});
      key = largest + 1 + (random() % 2) * (random() % 30);
    }
    std::vector<std::uint64_t> limits;
    for (std::uint64_t key = random() % 300; key < 600 && round % 3 == 0;) {
      limits.push_back(key);
      key += 1 + random() % 200;
    }
    const std::uint64_t target = 200 + random() % 5000;
    const std::uint64_t overlap_max = random() % 10'000;
    REQUIRE(cut(grandparents, target, overlap_max, limits, writes) ==
            literally(grandparents, target, overlap_max, limits, writes, true));
    REQUIRE(cut(grandparents, target, overlap_max, limits, writes,
                GrandparentRule::kGrandparentLimit) ==
            literally(grandparents, target, overlap_max, limits, writes, false));
  }
}

}  // namespace
}  // namespace lsmlab::output_cut_begins_test

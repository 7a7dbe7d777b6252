// Cuts of merge outputs: the cases of RocksDB 7.8.3's compaction_job_test.cc, and random cases
// compared with a literal statement of the rule that starts anew for each key.
#include "models/execution/output_cut.h"

#include <fmt/format.h>
#include <algorithm>

#include <random>

#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::output_cut_test {
namespace {

constexpr std::uint64_t kKeyBytes = 8;
constexpr std::uint64_t kValueBytes = 80;

std::uint64_t entry_bytes() { return buffered_entry_bytes(kKeyBytes, kValueBytes); }

using Keys = std::vector<std::uint64_t>;
using Files = std::vector<Keys>;

// Writes the keys through a cutter. A bulk writer asks only where the interface requires it.
Files written(OutputCutter cutter, const Keys& keys, bool in_bulk) {
  Files files;
  SstableSize size({});
  std::uint64_t entries_until_asked = 0;
  bool is_open = false;
  for (const std::uint64_t key : keys) {
    const auto quiet = cutter.quiet_until();
    const bool must_ask = quiet && key > *quiet;
    if (!in_bulk || must_ask) {
      const bool ends = cutter.ends_before(key, is_open ? size : SstableSize({}));
      REQUIRE((must_ask || !ends));
      if (ends) is_open = false;
    }
    if (!is_open) {
      files.emplace_back();
      size = SstableSize({});
      is_open = true;
      entries_until_asked = cutter.entries_to_end(size, kKeyBytes, kValueBytes);
    }
    files.back().push_back(key);
    size.add(kKeyBytes, kValueBytes);
    if (--entries_until_asked > 0 && in_bulk) continue;
    if (cutter.ends_after(size)) is_open = false;
    entries_until_asked = cutter.entries_to_end(size, kKeyBytes, kValueBytes);
  }
  return files;
}

// The plan: all files of level 1 merge in place; grandparents are in level 2 or 3.
struct Merge {
  DrawnTree tree;
  MergePlan plan;
};

Merge merge_of(const std::vector<DrawnFile>& grandparents, const OutputCut& cut,
               const KeyRange& keys) {
  std::vector<DrawnFile> files = grandparents;
  files.push_back({1, 1, keys.smallest, keys.largest, 1});
  Merge merge{DrawnTree(files), {}};
  const SortedRun* run = newest_run(merge.tree.view(), 1);
  merge.plan.inputs = {input_of(1, *run, run->files)};
  merge.plan.target = {1, run->id};
  merge.plan.cut = cut;
  return merge;
}

Files cut_by(const std::vector<DrawnFile>& grandparents, const OutputCut& cut, const Keys& keys) {
  const Merge merge = merge_of(grandparents, cut, {keys.front(), keys.back()});
  const Files files = written(OutputCutter(merge.tree.view(), merge.plan), keys, false);
  REQUIRE(written(OutputCutter(merge.tree.view(), merge.plan), keys, true) == files);
  return files;
}

OutputCut cut_of(GrandparentRule rule, std::uint64_t file_bytes, std::uint64_t limit) {
  OutputCut cut;
  cut.grandparents = rule;
  cut.file_bytes = Bytes(file_bytes);
  cut.grandparent_bytes_max = Bytes(limit);
  return cut;
}

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

TEST_CASE("a file and what it overlaps below stay within the limit: CutForMaxCompactionBytes") {
  // Numbers replace RocksDB's letters. Three grandparents of 10 entries each; at most 21 entries
  // with the file.
  const std::uint64_t e = entry_bytes();
  const std::vector<DrawnFile> grandparents{
      {2, 11, 2, 5, 10 * e}, {2, 12, 8, 11, 10 * e}, {2, 13, 12, 15, 10 * e}};
  for (const auto rule : {GrandparentRule::kCompactionLimit, GrandparentRule::kDynamicFileSize}) {
    REQUIRE(cut_by(grandparents, cut_of(rule, 80 * e, 21 * e), {3, 8, 10, 14}) ==
            Files{{3, 8, 10}, {14}});
  }
}

TEST_CASE("a file ends before a grandparent that it need not overlap: CutToSkipGrandparentFile") {
  const std::uint64_t e = entry_bytes();
  const std::vector<DrawnFile> grandparents{
      {2, 11, 2, 4, 10 * e}, {2, 12, 8, 9, 10 * e}, {2, 13, 22, 25, 10 * e}};
  const Keys keys{1, 3, 24, 26};
  REQUIRE(cut_by(grandparents, cut_of(GrandparentRule::kDynamicFileSize, 70 * e, kNoLimit), keys) ==
          Files{{1, 3}, {24, 26}});
  REQUIRE(cut_by(grandparents, cut_of(GrandparentRule::kCompactionLimit, 70 * e, kNoLimit), keys) ==
          Files{keys});
}

TEST_CASE("a file of half its size ends at a boundary: CutToAlignGrandparentBoundary") {
  const std::uint64_t e = entry_bytes();
  const std::vector<DrawnFile> grandparents{{2, 11, 1, 2, 10},
                                            {2, 12, 3, 5, 10},
                                            {2, 13, 8, 10, 10},
                                            {2, 14, 11, 14, 10},
                                            {2, 15, 17, 20, 10}};
  const Keys keys{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19};
  REQUIRE(cut_by(grandparents, cut_of(GrandparentRule::kDynamicFileSize, 10 * e, kNoLimit), keys) ==
          Files{{4, 5, 6, 7, 8, 9, 10}, {11, 12, 13, 14, 15, 19}});
  REQUIRE(cut_by(grandparents, cut_of(GrandparentRule::kCompactionLimit, 10 * e, kNoLimit), keys) ==
          Files{{4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {14, 15, 19}});
}

TEST_CASE("only where there are grandparents may files be twice as large") {
  const OutputCut cut = cut_of(GrandparentRule::kDynamicFileSize, 4 * entry_bytes(), kNoLimit);
  const Keys keys{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  REQUIRE(cut_by({}, cut, keys) == Files{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10}});
  REQUIRE(cut_by({{3, 11, 0, 99, 1}}, cut, keys) == Files{{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10}});
  // Level 2 has files, but none that the inputs overlap.
  REQUIRE(cut_by({{2, 12, 50, 60, 1}, {3, 11, 0, 99, 1}}, cut, keys) ==
          Files{{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10}});
}

TEST_CASE("a file ends once at the split key") {
  OutputCut cut = cut_of(GrandparentRule::kIgnored, 3 * entry_bytes(), 0);
  cut.split_key = 3;
  REQUIRE(cut_by({}, cut, {1, 2, 4, 5, 6, 7}) == Files{{1, 2}, {4, 5, 6}, {7}});
  // The file ends by size at that key, and RocksDB splits one entry later.
  cut.split_key = 4;
  REQUIRE(cut_by({}, cut, {1, 2, 3, 4, 5, 6, 7}) == Files{{1, 2, 3}, {4}, {5, 6, 7}});
}

TEST_CASE("a file ends where it reaches or leaves the range of an old file") {
  OutputCut cut = cut_of(GrandparentRule::kIgnored, kNoLimit, 0);
  cut.set_apart = {{10, 20}};
  REQUIRE(cut_by({}, cut, {5, 10, 15, 20, 25, 30}) == Files{{5}, {10, 15, 20}, {25, 30}});
  REQUIRE(cut_by({}, cut, {5, 9, 21, 30}) == Files{{5, 9, 21, 30}});  // no entry is in it
  // As in RocksDB, the first entry of a file is not looked at.
  REQUIRE(cut_by({}, cut, {10, 15, 20, 25}) == Files{{10}, {15, 20}, {25}});
  cut.set_apart = {{10, 12}, {13, 20}};
  REQUIRE(cut_by({}, cut, {5, 11, 12, 13, 14, 30}) == Files{{5}, {11, 12}, {13}, {14}, {30}});
  // A file that ends by its size at a range's begin.
  cut.set_apart = {{10, 20}};
  cut.file_bytes = Bytes(2 * entry_bytes());
  REQUIRE(cut_by({}, cut, {5, 6, 10, 11, 12, 30}) == Files{{5, 6}, {10}, {11, 12}, {30}});
}

TEST_CASE("random ranges of old files cut as a literal statement of RocksDB's rule") {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    OutputCut cut = cut_of(GrandparentRule::kIgnored, (1 + random() % 6) * entry_bytes(), 0);
    std::uint64_t at = random() % 8;
    while (at < 100) {
      const std::uint64_t end = at + random() % 9;
      cut.set_apart.push_back({at, end});
      at = end + 1 + random() % 12;
    }
    Keys keys;
    for (std::uint64_t key = 0; key < 110; ++key) {
      if (random() % 3 == 0) keys.push_back(key);
    }
    if (keys.empty()) continue;
    // ShouldStopBefore: the ranges' numbers, and -1 outside of one.
    Files expected;
    int inside = -1;
    std::size_t next = 0;
    SstableSize size({});
    for (const std::uint64_t key : keys) {
      bool ends = expected.empty();
      if (!ends && size.stored_data_bytes() >= *cut.file_bytes) {
        ends = true;
      } else if (!ends && inside >= 0) {
        ends = key > cut.set_apart[static_cast<std::size_t>(inside)].largest;
        if (ends) next = static_cast<std::size_t>(std::exchange(inside, -1)) + 1;
      } else if (!ends) {
        while (next < cut.set_apart.size() && key > cut.set_apart[next].largest) ++next;
        ends = next < cut.set_apart.size() && key >= cut.set_apart[next].smallest;
        if (ends) inside = static_cast<int>(next);
      }
      if (ends) {
        expected.emplace_back();
        size = SstableSize({});
      }
      expected.back().push_back(key);
      size.add(kKeyBytes, kValueBytes);
    }
    cut.measure = CutMeasure::kStoredBlocks;
    REQUIRE(cut_by({}, cut, keys) == expected);
  }
}

TEST_CASE("LevelDB's limit counts the next level's files that were passed") {
  const OutputCut cut = cut_of(GrandparentRule::kOverlapLimit, kNoLimit, 15);
  const std::vector<DrawnFile> grandparents{
      {2, 11, 0, 3, 10}, {2, 12, 4, 6, 10}, {2, 13, 7, 9, 10}, {2, 14, 10, 12, 10}};
  REQUIRE(cut_by(grandparents, cut, {1, 5, 8, 9, 11, 13}) == Files{{1, 5}, {8, 9, 11}, {13}});
  REQUIRE(cut_by(grandparents, cut, {0, 5, 8, 9, 11, 13}) == Files{{0, 5}, {8, 9, 11}, {13}});
}

// A literal statement of the rule: it counts everything anew for every key.
class NaiveCut {
 public:
  NaiveCut(std::vector<DrawnFile> grandparents, const OutputCut& cut)
      : grandparents_(std::move(grandparents)), cut_(cut) {}

  [[nodiscard]] Files written(const Keys& keys) {
    Files files;
    SstableSize size({});
    for (const std::uint64_t key : keys) {
      if (files.empty() || ends(files.back(), key, size)) {
        files.emplace_back();
        size = SstableSize({});
      }
      files.back().push_back(key);
      size.add(kKeyBytes, kValueBytes);
    }
    return files;
  }

 private:
  [[nodiscard]] std::uint64_t overlapped(std::uint64_t first, std::uint64_t last) const {
    std::uint64_t bytes = 0;
    for (const DrawnFile& file : grandparents_) {
      if (file.smallest <= last && file.largest >= first) bytes += file.bytes;
    }
    return bytes;
  }
  // The number of beginnings and ends of grandparents between two keys.
  [[nodiscard]] std::uint64_t boundaries(std::uint64_t first, std::uint64_t last) const {
    std::uint64_t count = 0;
    for (const DrawnFile& file : grandparents_) {
      count += file.smallest > first && file.smallest <= last;
      count += file.largest >= first && file.largest < last;
    }
    return count;
  }
  [[nodiscard]] bool ends(const Keys& file, std::uint64_t key, const SstableSize& size) {
    const bool is_dynamic = cut_.grandparents == GrandparentRule::kDynamicFileSize;
    const std::uint64_t target = cut_.file_bytes->value();
    const std::uint64_t bytes = cut_.measure == CutMeasure::kEntries
                                    ? size.entry_bytes().value()
                                    : size.stored_data_bytes().value();
    if (cut_.file_begins) {
      if (bytes >= target) return true;
      return bytes >= cut_.file_begin_bytes_min.value() &&
             std::any_of(cut_.file_begins->begin(), cut_.file_begins->end(),
                         [&](std::uint64_t begin) { return file.back() < begin && begin <= key; });
    }
    if (bytes >= target * (is_dynamic && !grandparents_.empty() ? 2 : 1)) return true;
    if (cut_.split_key && key >= *cut_.split_key) {
      cut_.split_key.reset();
      return true;
    }
    const std::uint64_t crossed = boundaries(file.back(), key);
    if (crossed == 0) return false;
    const std::uint64_t overlap = overlapped(file.front(), key);
    if (overlap + bytes > cut_.grandparent_bytes_max.value()) return true;
    if (!is_dynamic) return false;
    const bool in_gap = overlapped(key, key) == 0;
    if (crossed >= (in_gap ? 2u : 3u) &&
        overlap - overlapped(file.front(), file.back()) > target / 8) {
      return true;
    }
    const std::uint64_t percent =
        std::min<std::uint64_t>(50 + 5 * boundaries(file.front(), key), 90);
    return bytes >= (target + 99) / 100 * percent;
  }

  std::vector<DrawnFile> grandparents_;
  OutputCut cut_;
};

std::vector<DrawnFile> random_grandparents(std::mt19937_64& random, std::uint64_t key_end) {
  std::vector<DrawnFile> files;
  std::uint64_t key = random() % 20;
  while (key < key_end) {
    const std::uint64_t largest = key + random() % 60;
    files.push_back({2, files.size() + 10, key, largest, 1 + random() % 20'000});
    key = largest + 1 + (random() % 2) * (random() % 30);
  }
  return files;
}

TEST_CASE("cuts are those of the rule as it reads, asked singly or in bulk") {
  const std::uint64_t seed = 20261121;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 3000; ++round) {
    INFO("seed " << seed << ", round " << round);
    Keys keys;
    const std::uint64_t step = 1 + random() % 12;
    for (std::uint64_t key = random() % 30; key < 600; key += 1 + random() % step) {
      keys.push_back(key);
    }
    std::vector<DrawnFile> grandparents = random_grandparents(random, 600);
    if (random() % 10 == 0) grandparents.clear();
    OutputCut cut = cut_of(
        random() % 2 == 0 ? GrandparentRule::kDynamicFileSize : GrandparentRule::kCompactionLimit,
        500 + random() % 12'000, 5'000 + random() % 100'000);
    if (random() % 2 == 0) cut.measure = CutMeasure::kStoredBlocks;
    if (random() % 3 == 0) cut.split_key = keys.front() + 1 + random() % 600;
    if (random() % 4 == 0) {
      cut.file_begins.emplace();
      if (random() % 2 == 0) cut.file_begin_bytes_min = Bytes(random() % 3000);
      for (std::uint64_t key = random() % 100; key < 600; key += 1 + random() % 100) {
        cut.file_begins->push_back(key);
      }
    }
    std::erase_if(grandparents, [&](const DrawnFile& file) {
      return file.largest < keys.front() || file.smallest > keys.back();
    });
    REQUIRE(cut_by(grandparents, cut, keys) == NaiveCut(grandparents, cut).written(keys));
  }
}

}  // namespace
}  // namespace lsmlab::output_cut_test

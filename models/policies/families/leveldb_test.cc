// LevelDB's rules: hand-made cases, each with its reason; random trees compared with an oracle (a
// second statement of db/version_set.cc); and runs over keys.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <set>

#include "testing/oracles/map_store.h"
#include "testing/pick_on.h"
#include "testing/tree_text.h"

namespace lsmlab::leveldb_test {
namespace {

using testing::configured;
using testing::MapStore;
using testing::PickCase;
using testing::plan_text;
using testing::tree_of_text;

// Level 1 holds 1000 bytes, level 2 holds 10000; grandparents are limited to 1000, grown merges to
// below 2500.
const char* const kSpec = "leveldb:buffer=100,file_size=100,size_ratio=10,level_base=1000";

void require_picked(const std::vector<PickCase>& cases) {
  const auto policy = configured(kSpec).policy;
  for (const PickCase& test : cases) {
    INFO(test.why << ": " << test.tree);
    const TreeState tree = tree_of_text(test.tree);
    REQUIRE(plan_text(tree, testing::pick_on(*policy, tree)) == test.plan);
  }
}

TEST_CASE("leveldb picks level and file as PickCompaction does") {
  require_picked({
      {"an empty tree wants nothing", "", "nothing"},
      {"three files in level 0 are one too few", "0 3:0-9*100 2:0-9*100 1:0-9*100", "nothing"},
      {"level 0 goes by smallest key too, not by age; a file alone moves",
       "0 4:40-49*9 3:30-39*9 2:0-9*9 1:10-19*9", "move 0:2 -> 1, level-saturated, cursor 0=9"},
      {"files of level 0 that overlap go together, also through one another",
       "0 4:20-30*9 3:10-20*9 2:0-10*9 1:50-60*9",
       "merge 0:4 0:3 0:2 -> 1, level-saturated, cursor 0=30"},
      {"the cursor passes over a file that ends at it",
       "0@20 4:0-9*9 3:10-20*9 2:21-30*9 1:40-50*9", "move 0:2 -> 1, level-saturated, cursor 0=30"},
      {"beyond the last file the cursor wraps", "0@60 4:0-9*9 3:10-20*9 2:21-30*9 1:40-50*9",
       "move 0:4 -> 1, level-saturated, cursor 0=9"},
      {"of equal smallest keys the newer file is first",
       "0 4:40-49*9 3:5-6*9 2:40-41*9 1:5-9*9; 1 9:0-4*9",
       "merge 0:3 0:1 -> 1, level-saturated, cursor 0=9"},
      {"a level is too full at its capacity", "1 1:0-9*500 2:20-29*500; 2 3:5-6*10",
       "merge 1:1 2:3 -> 2, level-saturated, cursor 1=9"},
      {"and not below", "1 1:0-9*500 2:20-29*499; 2 3:5-6*10", "nothing"},
      {"equal scores: the shallower level", "0 4:0-9*9 3:0-9*9 2:0-9*9 1:0-9*9; 1 5:20-29*1000",
       "merge 0:4 0:3 0:2 0:1 -> 1, level-saturated, cursor 0=9"},
      {"the higher score: a deeper level", "0 4:0-9*9 3:0-9*9 2:0-9*9 1:0-9*9; 1 5:20-29*1001",
       "move 1:5 -> 2, level-saturated, cursor 1=29"},
  });
}

TEST_CASE("leveldb merges take company as SetupOtherInputs has it, or move") {
  require_picked({
      {"the upper set grows where the lower one does not; the cursor goes with it",
       "1 1:0-9*600 2:10-19*600; 2 3:5-15*100",
       "merge 1:1 1:2 2:3 -> 2, level-saturated, cursor 1=19"},
      {"growth stops short of 25 files", "1 1:0-9*1200 2:10-19*1200; 2 3:5-15*100",
       "merge 1:1 2:3 -> 2, level-saturated, cursor 1=9"},
      {"growth may not bring in a further file below",
       "1 1:0-9*600 2:10-19*600; 2 3:5-15*100 4:18-25*100",
       "merge 1:1 2:3 -> 2, level-saturated, cursor 1=9"},
      {"growth in level 0 brings in what overlaps what it brought in",
       "0 4:12-18*9 3:14-16*9 2:0-5*9 1:40-45*9; 1 5:4-13*9",
       "merge 0:4 0:3 0:2 1:5 -> 1, level-saturated, cursor 0=18"},
      {"ten files' worth of grandparents may be moved upon", "1 1:0-9*1000; 3 5:0-4*600 6:5-9*400",
       "move 1:1 -> 2, level-saturated, cursor 1=9"},
      {"more make the file be cut anew", "1 1:0-9*1000; 3 5:0-4*600 6:5-9*401",
       "merge 1:1 -> 2, level-saturated, cursor 1=9"},
  });
}

TEST_CASE("leveldb merges files that lookups wore out, where no level is too full") {
  require_picked({
      {"a hundred seeks", "1 1:0-9*10!100; 2 3:5-6*10", "merge 1:1 2:3 -> 2, seeks, cursor 1=9"},
      {"ninety-nine", "1 1:0-9*10!99; 2 3:5-6*10", "nothing"},
      {"size goes before seeks", "1 1:0-9*1000; 2 3:5-6*10!500",
       "merge 1:1 2:3 -> 2, level-saturated, cursor 1=9"},
      {"of several worn files: the shallowest level, the smallest key",
       "1 1:0-9*10!99 2:20-29*10!100 3:30-39*10!300; 2 4:0-9*10!900",
       "move 1:2 -> 2, seeks, cursor 1=29"},
      {"nothing leaves the last level", "6 1:0-9*99999999!99999", "nothing"},
      {"the last but one is a source", "5 1:0-9*10!100", "move 5:1 -> 6, seeks, cursor 5=9"},
  });
}

TEST_CASE("leveldb flushes land as deep as nothing is in the way") {
  struct FlushCase {
    std::string why;
    std::string tree;
    KeyRange keys;
    std::uint32_t level;
  };
  const auto policy = configured(kSpec).policy;
  for (const FlushCase& test : std::vector<FlushCase>{
           {"an empty tree: level 2, not the last", "", {10, 20}, 2},
           {"overlap in level 0", "0 1:20-30*9", {10, 20}, 0},
           {"a gap in level 0 is no overlap", "0 1:0-9*9 2:21-30*9", {10, 20}, 2},
           {"overlap in level 1", "1 1:0-10*9", {10, 20}, 0},
           {"overlap in level 2", "2 1:0-10*9", {10, 20}, 1},
           {"a hole in a run", "2 1:0-9*9 2:21-30*9", {10, 20}, 2},
           {"level 4 is not looked at", "2 1:0-9*9; 3 3:0-99*9; 4 4:0-50*1001", {10, 20}, 2},
           {"too many of level 0: it stays although level 1 is free", "2 1:0-99*1001", {10, 20}, 0},
           {"level 3 is looked at for its bytes only", "3 3:0-99*1000", {10, 20}, 2},
           {"and holds back a flush from level 1's successor", "3 3:0-99*1001", {10, 20}, 1},
       }) {
    INFO(test.why << ": " << test.tree);
    TreeState tree = tree_of_text(test.tree);
    tree.begin_flush({Bytes(100), Entries(100), test.keys});
    const auto plan = testing::pick_on(*policy, tree);
    REQUIRE(plan_text(tree, plan) == fmt::format("flush -> {}, memtable-full", test.level));
    const SortedRun* run = test.level == 0 || test.level >= tree.levels().size() ||
                                   tree.levels()[test.level].runs.empty()
                               ? nullptr
                               : &tree.levels()[test.level].runs.front();
    const auto& target = std::get<FlushPlan>(plan->action).target;
    REQUIRE(target.run == (run == nullptr ? std::nullopt : std::optional(run->id)));
  }
  TreeState tree;
  tree.begin_flush({Bytes(100), Entries(100), {1, 2}});
  const auto shallow = configured(std::string(kSpec) + ",flush_level_max=0").policy;
  REQUIRE(plan_text(tree, testing::pick_on(*shallow, tree)) == "flush -> 0, memtable-full");
}

TEST_CASE("leveldb runs one merge at a time and keeps flushes out of its way") {
  const auto policy = configured(kSpec).policy;
  TreeState tree = tree_of_text("1 1:0-9*600 2:40-49*600; 2 3:0-5*10 4:45-60*10; 3 5:70-79*10!100");
  const auto plan = testing::pick_on(*policy, tree);
  REQUIRE(plan_text(tree, plan) == "merge 1:1 2:3 -> 2, level-saturated, cursor 1=9");
  REQUIRE(tree.reserve(*plan).has_value());
  REQUIRE(!testing::pick_on(*policy, tree));
  tree.begin_flush({Bytes(1), Entries(1), {6, 8}});
  REQUIRE(plan_text(tree, testing::pick_on(*policy, tree)) == "flush -> 0, memtable-full");
}

TEST_CASE("a merge that runs may write between its files: no flush lands there") {
  const auto policy = configured(kSpec).policy;
  TreeState tree = tree_of_text("1 1:0-4*600 2:16-20*600; 2 3:4-4*10 4:16-16*10");
  const RunId upper = tree.levels()[1].runs[0].id;
  const Plan running{
      PlanReason::kLevelSaturated,
      MergePlan{false, {{1, upper, {FileId(1), FileId(2)}}}, {2, tree.levels()[2].runs[0].id}},
      {}};
  tree.begin_flush({Bytes(1), Entries(1), {8, 9}});
  REQUIRE(plan_text(tree, testing::pick_on(*policy, tree)) == "flush -> 2, memtable-full");
  REQUIRE(tree.reserve(running).has_value());
  REQUIRE(plan_text(tree, testing::pick_on(*policy, tree)) == "flush -> 0, memtable-full");
}

TEST_CASE("seek budgets: one for 16 KiB, at least 100, none where seeks do not count") {
  const auto policy = configured(kSpec).policy;
  File file;
  file.bytes = Bytes(10);
  REQUIRE(policy->seeks_max(file) == 100u);
  file.bytes = Bytes(101 * 16384 + 16383);
  REQUIRE(policy->seeks_max(file) == 101u);
  const auto without = configured(std::string(kSpec) + ",seek_compaction=false").policy;
  REQUIRE(!without->seeks_max(file));
  const TreeState tree = tree_of_text("1 1:0-9*10!100");
  REQUIRE(!testing::pick_on(*without, tree));
}

TEST_CASE("leveldb merges cut and place their outputs as LevelDB") {
  const auto policy = configured(kSpec).policy;
  const TreeState tree = tree_of_text("1 1:0-9*1000; 2 3:5-6*10");
  const auto merge = std::get<MergePlan>(testing::pick_on(*policy, tree)->action);
  REQUIRE(merge.target.run == tree.levels()[2].runs[0].id);
  REQUIRE(merge.cut.file_bytes == Bytes(100));
  REQUIRE(merge.cut.measure == CutMeasure::kStoredBlocks);
  REQUIRE(merge.cut.grandparents == GrandparentRule::kOverlapLimit);
  REQUIRE(merge.cut.grandparent_bytes_max == Bytes(1000));
  REQUIRE(merge.drops_tombstones);
}

TEST_CASE("leveldb refuses a flush level that does not exist") {
  const auto refused = make_policy(parse_spec("leveldb:levels=2,flush_level_max=2").value());
  REQUIRE(!refused.has_value());
  REQUIRE(refused.error().message.find("flush_level_max=2 must be below") != std::string::npos);
  REQUIRE(make_policy(parse_spec("leveldb:levels=2,flush_level_max=1").value()).has_value());
  REQUIRE(make_policy(parse_spec("leveldb:levels=2").value()).has_value());
}

TEST_CASE("a moved file has its seeks before it again") {
  TreeState tree = tree_of_text("1 1:0-9*10!100");
  TreeEdit edit;
  edit.moved.push_back({{FileId(1)}, {2, std::nullopt}});
  testing::require_applied(tree, edit);
  REQUIRE(tree.levels()[2].runs[0].files[0].seeks == 0);
}

// A second statement of LevelDB's rules, over flat lists of files and with its floating-point
// scores.
class Oracle {
 public:
  explicit Oracle(const TreeView& tree) {
    for (std::size_t level = 0; level < tree.levels().size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) {
        for (const File& file : run.files) files_[level].push_back(file);
      }
      cursors_[level] = tree.levels()[level].cursor;
    }
  }

  std::string plan() const {
    double best_score = -1;
    std::size_t best = 0;
    for (std::size_t level = 0; level < 6; ++level) {
      double score = static_cast<double>(files_[level].size()) / 4.0;
      if (level > 0) {
        double capacity = 1000;
        for (std::size_t i = 1; i < level; ++i) capacity *= 10;
        score = static_cast<double>(bytes(files_[level])) / capacity;
      }
      if (score > best_score) {
        best_score = score;
        best = level;
      }
    }
    if (best_score >= 1) return compaction(best, next(best), "level-saturated");
    for (std::size_t level = 0; level < 6; ++level) {
      std::vector<File> files = files_[level];
      std::stable_sort(files.begin(), files.end(), by_smallest);
      for (const File& file : files) {
        if (file.seeks >= 100) return compaction(level, file, "seeks");
      }
    }
    return "nothing";
  }

 private:
  static bool by_smallest(const File& a, const File& b) {
    return a.keys.smallest < b.keys.smallest;
  }
  static std::uint64_t bytes(const std::vector<File>& files) {
    std::uint64_t sum = 0;
    for (const File& file : files) sum += file.bytes.value();
    return sum;
  }
  static KeyRange range(const std::vector<File>& files) {
    KeyRange keys = files.front().keys;
    for (const File& file : files) {
      keys.smallest = std::min(keys.smallest, file.keys.smallest);
      keys.largest = std::max(keys.largest, file.keys.largest);
    }
    return keys;
  }

  File next(std::size_t level) const {
    std::vector<File> files = files_[level];
    std::stable_sort(files.begin(), files.end(), by_smallest);
    for (const File& file : files) {
      if (!cursors_[level] || file.keys.largest > *cursors_[level]) return file;
    }
    return files.front();
  }

  // Level 0: starts again with a wider range whenever a file extends beyond the range.
  std::vector<File> overlapping(std::size_t level, KeyRange keys) const {
    std::vector<File> found;
    for (std::size_t i = 0; i < files_[level].size(); ++i) {
      const File& file = files_[level][i];
      if (file.keys.largest < keys.smallest || file.keys.smallest > keys.largest) continue;
      found.push_back(file);
      if (level > 0 || hull(keys, file.keys) == keys) continue;
      return overlapping(level, hull(keys, file.keys));
    }
    return found;
  }
  static KeyRange hull(const KeyRange& a, const KeyRange& b) {
    return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
  }

  std::string compaction(std::size_t level, const File& file, const std::string& reason) const {
    std::vector<File> upper = overlapping(level, file.keys);
    const std::vector<File> lower = overlapping(level + 1, range(upper));
    if (!lower.empty()) {
      std::vector<File> all = upper;
      all.insert(all.end(), lower.begin(), lower.end());
      const std::vector<File> grown = overlapping(level, range(all));
      const bool fits = bytes(grown) + bytes(lower) < 2500;
      if (fits && overlapping(level + 1, range(grown)).size() == lower.size()) upper = grown;
    }
    const bool moves =
        upper.size() == 1 && lower.empty() && bytes(overlapping(level + 2, range(upper))) <= 1000;
    std::string text = moves ? "move" : "merge";
    for (const File& input : upper) text += fmt::format(" {}:{}", level, input.id.value());
    for (const File& input : lower) text += fmt::format(" {}:{}", level + 1, input.id.value());
    return fmt::format("{} -> {}, {}, cursor {}={}", text, level + 1, reason, level,
                       range(upper).largest);
  }

  std::vector<File> files_[8];
  std::optional<std::uint64_t> cursors_[8];
};

std::string random_tree(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::string text = "0";
  if (below(2) == 0) text += fmt::format("@{}", below(120));
  std::uint64_t id = 1;
  for (std::uint64_t files = below(8); files > 0; --files) {
    const std::uint64_t smallest = below(100);
    text += fmt::format(" {}:{}-{}*{}", id++, smallest, smallest + below(15), 1 + below(300));
    if (below(12) == 0) text += "!100";
  }
  std::uint64_t bytes_max = 300;
  for (std::uint64_t level = 1; level < 6; ++level, bytes_max *= 4) {
    text += fmt::format("; {}", level);
    if (below(2) == 0) text += fmt::format("@{}", below(120));
    for (std::uint64_t key = below(60); key < 110 && below(8) > 0; key += 1 + below(10)) {
      const std::uint64_t smallest = key;
      key += below(12);
      text += fmt::format(" {}:{}-{}*{}", id++, smallest, key, 1 + below(bytes_max));
      if (below(20) == 0) text += "!150";
      ++key;
    }
  }
  return text;
}

TEST_CASE("leveldb agrees with a second statement of its rules on random trees") {
  const auto policy = configured(kSpec).policy;
  std::set<std::string> kinds;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = random_tree(random);
    INFO("seed " << seed << ": " << text);
    const TreeState tree = tree_of_text(text);
    const std::string plan = plan_text(tree, testing::pick_on(*policy, tree));
    REQUIRE(plan == Oracle(tree).plan());
    kinds.insert(plan.substr(0, plan.find(' ')));
  }
  REQUIRE(kinds == std::set<std::string>{"merge", "move", "nothing"});
}

TEST_CASE("rising keys are written once: every flush lands in level 2 and moves on") {
  MapStore store("leveldb:buffer=10,file_size=10,size_ratio=4,level_base=40");
  for (std::uint64_t key = 1; key <= 20'000; ++key) store.write(key);
  REQUIRE(store.counts().flushes == 2000);
  REQUIRE(store.counts().merges == 0);
  REQUIRE(store.counts().moves > 0);
  REQUIRE(store.tree().levels()[0].runs.empty());
  REQUIRE(store.tree().levels()[1].runs.empty());
}

TEST_CASE("leveldb over random keys: lookups find the newest version, levels stay in bounds") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const std::uint64_t keys = 300 * seed;
    MapStore store("leveldb:buffer=20,file_size=15,size_ratio=3,level_base=60,l0_trigger=3");
    for (int i = 0; i < 8000; ++i) {
      const std::uint64_t key = random() % keys;
      store.write(key, random() % 5 == 0);
      for (int j = 0; j < 8; ++j) {
        const std::uint64_t sought = random() % keys;
        REQUIRE(store.lookup(sought) == store.expected(sought));
      }
    }
    store.flush();
    for (std::uint64_t key = 0; key < keys; ++key) {
      REQUIRE(store.lookup(key) == store.expected(key));
    }
    store.settle();
    REQUIRE(store.counts().reasons.contains(PlanReason::kSeeks));
    REQUIRE(store.tree().levels()[0].runs.size() < 3);
    std::uint64_t capacity = 60;
    for (std::size_t level = 1; level < store.tree().levels().size(); ++level, capacity *= 3) {
      REQUIRE(store.tree().levels()[level].runs.size() <= 1);
      for (const SortedRun& run : store.tree().levels()[level].runs) {
        if (level < 6) REQUIRE(run.bytes().value() < capacity);
      }
    }
  }
}

}  // namespace
}  // namespace lsmlab::leveldb_test

// LDC: the paper's examples, hand-made cases, random runs compared with an oracle (a second
// statement of the rules), and the invariants of these runs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <random>

#include "testing/oracles/map_store.h"
#include "testing/pick_on.h"
#include "testing/tree_text.h"

namespace lsmlab::ldc_test {
namespace {

using testing::configured;
using testing::MapStore;
using testing::PickCase;
using testing::plan_text;
using testing::require_applied;
using testing::tree_of_text;

// Level 1 holds 1000 bytes, level 2 holds 10000; 10 times file_size is 1000.
const char* const kSpec =
    "ldc:buffer=100,file_size=100,size_ratio=10,level_base=1000,slice_threshold=3";

// Links the slices of a file to files of the level below, as an executor does.
void link(TreeState& tree, std::uint64_t upper, const std::vector<std::uint64_t>& lower) {
  const KeyRange keys = tree.file_at(*tree.find_file(FileId(upper))).keys;
  TreeEdit edit;
  edit.frozen = {FileId(upper)};
  for (const std::uint64_t id : lower) {
    const FileLocation at = *tree.find_file(FileId(id));
    const KeyRange range = responsible_range(tree.levels()[at.level].runs[at.run], at.file);
    const KeyRange part{std::max(range.smallest, keys.smallest),
                        std::min(range.largest, keys.largest)};
    edit.linked.push_back({FileId(upper), FileId(id), {FileId(upper), part, Bytes(1)}});
  }
  require_applied(tree, edit);
}

TEST_CASE("examples 3.1 and 3.2: A is linked to B, C and D by their responsible ranges") {
  // Fig. 5: B is responsible for the keys from the smallest up to its largest, C from there to its
  // own largest, D for the rest. A overlaps all three.
  const auto policy = configured(kSpec).policy;
  TreeState tree =
      tree_of_text("1 1:15-75*600 9:80-90*400; 2 2:10-20*100 3:30-40*100 4:60-70*100 5:80-90*100");
  const auto plan = testing::pick_on(*policy, tree);
  REQUIRE(plan_text(tree, plan) == "link 1:1 -> 2:2,3,4,5, level-saturated, cursor 1=75");
  const SortedRun& run = tree.levels()[2].runs[0];
  REQUIRE(responsible_range(run, 0) == KeyRange{0, 20});
  REQUIRE(responsible_range(run, 1) == KeyRange{21, 40});
  REQUIRE(responsible_range(run, 2) == KeyRange{41, 70});
  REQUIRE(responsible_range(run, 3).smallest == 71);
  link(tree, 1, {2, 3, 4, 5});
  REQUIRE(tree.frozen_files().at(FileId(1)).references == 4);
  REQUIRE(!tree.find_file(FileId(1)));
}

TEST_CASE("example 3.3: D is merged with its slices of A, B and C alone") {
  // Fig. 6: D becomes D' and D''. The other slices of A, B and C remain.
  const auto policy = configured(kSpec).policy;
  TreeState tree = tree_of_text("2 10:0-20*100 4:30-50*100");
  for (const std::string upper : {"1:5-40*10", "2:10-45*10", "3:15-50*10"}) {
    TreeEdit edit;
    edit.added.push_back({{1, std::nullopt}, {testing::file_of_text(upper)}});
    require_applied(tree, edit);
    const std::uint64_t id = edit.added[0].files[0].id.value();
    link(tree, id, id == 3 ? std::vector<std::uint64_t>{4} : std::vector<std::uint64_t>{10, 4});
  }
  const auto plan = testing::pick_on(*policy, tree);
  REQUIRE(plan_text(tree, plan) == "merge 2:4 -> 2, slice-count");
  const auto& merge = std::get<MergePlan>(plan->action);
  REQUIRE(merge.target.run == tree.levels()[2].runs[0].id);
  REQUIRE(merge.cut.file_bytes == Bytes(100));
  TreeEdit edit;
  edit.removed = {FileId(4)};
  edit.added.push_back(
      {merge.target, {testing::file_of_text("20:21-34*60"), testing::file_of_text("21:35-50*60")}});
  require_applied(tree, edit);
  REQUIRE(tree.frozen_files().at(FileId(1)).references == 1);
  REQUIRE(tree.frozen_files().at(FileId(2)).references == 1);
  REQUIRE(!tree.frozen_files().contains(FileId(3)));
}

TEST_CASE("ldc chooses level and file as LevelDB does, and links") {
  const auto policy = configured(kSpec).policy;
  for (const PickCase& test : std::vector<PickCase>{
           {"an empty tree wants nothing", "", "nothing"},
           {"level 0 gives up its oldest file, alone, whatever its keys and the cursor",
            "0@3 4:0-9*9 3:0-9*9 2:0-9*9 1:5-20*9; 1 5:0-9*9 6:15-19*9",
            "link 0:1 -> 1:5,6, level-saturated"},
           {"into an empty level a file moves", "0 4:0-9*9 3:0-9*9 2:0-9*9 1:5-20*9; 2 5:0-50*9999",
            "move 0:1 -> 1, level-saturated"},
           {"between files too", "1 1:10-19*1000; 2 2:0-9*9 3:20-29*9",
            "move 1:1 -> 2, level-saturated, cursor 1=19"},
           {"not upon too many grandparents: it is linked to the file that answers for its keys",
            "1 1:10-19*1000; 2 2:0-9*9 3:20-29*9; 3 4:0-99*1001",
            "link 1:1 -> 2:3, level-saturated, cursor 1=19"},
           {"keys beyond the last file are the last file's", "1 1:5-90*1000; 2 2:0-9*9 3:20-29*9",
            "link 1:1 -> 2:2,3, level-saturated, cursor 1=90"},
           {"round robin", "1@19 1:10-19*500 2:30-39*500; 2 3:0-50*9",
            "link 1:2 -> 2:3, level-saturated, cursor 1=39"},
           {"round robin wraps", "1@39 1:10-19*500 2:30-39*500; 2 3:0-50*9",
            "link 1:1 -> 2:3, level-saturated, cursor 1=19"},
           {"the highest score", "0 4:0-9*9 3:0-9*9 2:0-9*9 1:0-9*9; 1 5:20-29*1001; 2 6:25-26*1",
            "link 1:5 -> 2:6, level-saturated, cursor 1=29"},
           {"seeks start nothing", "1 1:0-9*10!500; 2 3:5-6*10", "nothing"},
           {"nothing leaves the last level", "6 1:0-9*99999999", "nothing"},
       }) {
    INFO(test.why << ": " << test.tree);
    const TreeState tree = tree_of_text(test.tree);
    REQUIRE(plan_text(tree, testing::pick_on(*policy, tree)) == test.plan);
  }
}

TEST_CASE("files with slices are passed over, and merged where there is no other") {
  const auto policy = configured(kSpec).policy;
  TreeState tree =
      tree_of_text("0 7:5-25*9 6:15-25*9; 1 1:0-9*500 2:10-19*500 3:20-29*500; 2 5:0-50*9");
  link(tree, 6, {2, 3});
  REQUIRE(plan_text(tree, testing::pick_on(*policy, tree)) ==
          "link 1:1 -> 2:5, level-saturated, cursor 1=9");
  link(tree, 7, {1, 2, 3});
  // Files 2 and 3 have two slices each, one less than T_s; the smaller key decides.
  REQUIRE(plan_text(tree, testing::pick_on(*policy, tree)) == "merge 1:2 -> 1, level-saturated");
}

TEST_CASE("a level that has nothing to link gives way to the next before it merges") {
  const auto policy = configured(kSpec).policy;
  TreeState tree =
      tree_of_text("0 9:0-9*9 8:0-9*9 7:0-9*9 6:0-9*9 5:0-9*9; 1 1:0-9*5000; 2 2:0-50*9");
  link(tree, 5, {1});
  REQUIRE(plan_text(tree, testing::pick_on(*policy, tree)) == "link 0:6 -> 1:1, level-saturated");
}

TEST_CASE("T_s slices are merged before anything is linked, shallower levels first") {
  const auto policy = configured(kSpec).policy;
  TreeState tree = tree_of_text("0 9:0-9*9 8:0-9*9 7:0-9*9; 1 1:0-9*50; 2 2:0-50*9");
  for (std::uint64_t id = 7; id <= 9; ++id) link(tree, id, {1});
  for (const std::string upper : {"20:20-29*9", "21:20-29*9", "22:20-29*9"}) {
    TreeEdit edit;
    edit.added.push_back({{1, tree.levels()[1].runs[0].id}, {}});
    // Next to file 1, whose slices do not exceed its largest key.
    edit.added[0].files.push_back(testing::file_of_text(upper));
    require_applied(tree, edit);
    link(tree, edit.added[0].files[0].id.value(), {2});
  }
  TreeEdit flushes;
  for (const std::string file : {"30:0-9*9", "31:0-9*9", "32:0-9*9", "33:0-9*9"}) {
    flushes.added.push_back({{0, std::nullopt}, {testing::file_of_text(file)}});
  }
  require_applied(tree, flushes);
  const auto plan = testing::pick_on(*policy, tree);
  REQUIRE(plan_text(tree, plan) == "merge 1:1 -> 1, slice-count");
  REQUIRE(tree.reserve(*plan).has_value());
  REQUIRE(!testing::pick_on(*policy, tree));  // one at a time
}

TEST_CASE("nothing arrives where a slice would be cut off from its file") {
  const auto policy = configured(kSpec).policy;
  // A slice of keys 25 to 28 is linked to the last file of level 1, which ends at 19.
  TreeState tree = tree_of_text("0 5:25-28*9; 1 1:10-19*9");
  link(tree, 5, {1});
  const auto lands = [&](KeyRange keys) {
    TreeState copy = tree;
    copy.begin_flush({Bytes(1), Entries(1), keys});
    return plan_text(copy, testing::pick_on(*policy, copy));
  };
  REQUIRE(lands({30, 31}) == "flush -> 0, memtable-full");  // 1 would no longer be the last file
  REQUIRE(lands({26, 27}) == "flush -> 0, memtable-full");
  REQUIRE(lands({5, 8}) == "flush -> 2, memtable-full");  // no slice lies to the left
  TreeEdit edit;
  edit.added.push_back({{1, tree.levels()[1].runs[0].id}, {testing::file_of_text("6:30-31*9")}});
  REQUIRE(!tree.apply(edit).has_value());
}

TEST_CASE("the threshold is the fan-out by default, and refused where it cannot adapt") {
  const auto value = [](const std::string& spec) {
    for (const auto& [name, given] : configured(spec).options) {
      if (name == "slice_threshold") return option_value_text(given);
    }
    return std::string();
  };
  REQUIRE(value("ldc") == "10");
  REQUIRE(value("ldc:size_ratio=4") == "4");
  REQUIRE(value("ldc:slice_threshold=7") == "7");
  for (const std::string bad :
       {"ldc:adaptive=true,slice_threshold=1", "ldc:adaptive=true,slice_threshold=21",
        "ldc:flush_level_max=7", "ldc:seek_compaction=true", "ldc:slice_threshold=0"}) {
    INFO(bad);
    REQUIRE(!make_policy(parse_spec(bad).value()).has_value());
  }
  REQUIRE(make_policy(parse_spec("ldc:slice_threshold=21").value()).has_value());
}

TEST_CASE("the adaptive threshold follows the square root of writes over lookups") {
  // 10 * sqrt(w / l), from 2 to 20. The policy merges a file with `slices` slices, or not.
  const auto policy = configured("ldc:adaptive=true,l0_trigger=1000").policy;
  const auto merges = [&](Traffic traffic, std::uint64_t slices) {
    TreeState tree = tree_of_text("1 999:0-9*50");
    for (std::uint64_t i = 1; i <= slices; ++i) {
      TreeEdit edit;
      edit.added.push_back(
          {{0, std::nullopt}, {testing::file_of_text(fmt::format("{}:0-9*9", i))}});
      require_applied(tree, edit);
      link(tree, i, {999});
    }
    tree.begin_flush({Bytes(9), Entries(9), {0, 9}, Entries(), traffic});
    TreeEdit flush;
    flush.takes_memtable = true;
    require_applied(tree, flush);
    return plan_text(tree, testing::pick_on(*policy, tree)) == "merge 1:999 -> 1, slice-count";
  };
  struct Case {
    Traffic traffic;
    std::uint64_t threshold;
  };
  for (const Case& test : std::vector<Case>{{{0, 0}, 10},    // nothing counted
                                            {{50, 50}, 10},  // where the paper measured it
                                            {{0, 9}, 20},    // writes only
                                            {{9, 0}, 2},     // lookups only
                                            {{30, 70}, 15},  // "write-heavy": 15.3
                                            {{70, 30}, 6},   // "read-heavy": 6.5
                                            {{100, 25}, 5},
                                            {{100, 24}, 4},
                                            {{1, 1'000'000}, 20},
                                            {{1'000'000, 1}, 2}}) {
    INFO(test.traffic.lookups << " lookups, " << test.traffic.writes << " writes");
    REQUIRE(merges(test.traffic, test.threshold));
    REQUIRE(!merges(test.traffic, test.threshold - 1));
  }
}

// Sizes for random runs: levels fill quickly, and slices accumulate.
struct Shape {
  std::uint64_t threshold = 3;
  std::uint64_t ratio = 3;
  std::uint64_t base = 60;
  std::uint64_t trigger = 3;
  std::uint64_t file_size = 15;
  [[nodiscard]] std::string spec() const {
    return fmt::format(
        "ldc:buffer=20,file_size={},size_ratio={},level_base={},l0_trigger={},slice_threshold={}",
        file_size, ratio, base, trigger, threshold);
  }
};

// A second statement of Algorithm 1 and the rules around it, over flat lists of files.
class Oracle {
 public:
  Oracle(const TreeView& tree, const Shape& shape) : shape_(shape) {
    for (std::size_t level = 0; level < tree.levels().size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) {
        files_[level].insert(files_[level].end(), run.files.begin(), run.files.end());
      }
      cursors_[level] = tree.levels()[level].cursor;
    }
  }

  [[nodiscard]] std::string plan() const {
    for (std::size_t level = 0; level < 7; ++level) {
      for (const File& file : files_[level]) {
        if (file.slices.size() >= shape_.threshold) return merge(level, file, "slice-count");
      }
    }
    const std::vector<std::size_t> full = full_levels();
    for (const std::size_t level : full) {
      if (const auto file = next(level)) return push_down(level, *file);
    }
    if (full.empty()) return "nothing";
    std::vector<File> files = files_[full.front()];
    std::stable_sort(files.begin(), files.end(), [](const File& a, const File& b) {
      return a.slices.size() > b.slices.size();
    });
    return merge(full.front(), files.front(), "level-saturated");
  }

 private:
  static std::string merge(std::size_t level, const File& file, const std::string& reason) {
    return fmt::format("merge {0}:{1} -> {0}, {2}", level, file.id.value(), reason);
  }

  std::vector<std::size_t> full_levels() const {
    std::vector<std::pair<double, std::size_t>> full;  // negative scores, so that they sort
    auto capacity = static_cast<double>(shape_.base);
    for (std::size_t level = 0; level < 6; ++level) {
      double score =
          static_cast<double>(files_[level].size()) / static_cast<double>(shape_.trigger);
      if (level > 0) {
        double bytes = 0;
        for (const File& file : files_[level]) bytes += static_cast<double>(file.bytes.value());
        score = bytes / capacity;
        capacity *= static_cast<double>(shape_.ratio);
      }
      if (score >= 1) full.push_back({-score, level});
    }
    std::sort(full.begin(), full.end());
    std::vector<std::size_t> levels;
    for (const auto& [score, level] : full) levels.push_back(level);
    return levels;
  }

  std::optional<File> next(std::size_t level) const {
    if (level == 0) return files_[0].back();
    std::vector<File> beyond;
    std::vector<File> before;
    for (const File& file : files_[level]) {
      if (!file.slices.empty()) continue;
      const bool is_beyond = !cursors_[level] || file.keys.largest > *cursors_[level];
      (is_beyond ? beyond : before).push_back(file);
    }
    beyond.insert(beyond.end(), before.begin(), before.end());
    return beyond.empty() ? std::nullopt : std::optional(beyond.front());
  }

  // Whether the level below would be a run with every slice in the range of its file.
  bool fits(std::size_t level, const File& file) const {
    std::vector<File> files = files_[level];
    files.push_back(file);
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.keys.smallest < b.keys.smallest; });
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (i > 0 && files[i - 1].keys.largest >= files[i].keys.smallest) return false;
      for (const Slice& slice : files[i].slices) {
        if (i > 0 && slice.keys.smallest <= files[i - 1].keys.largest) return false;
        if (i + 1 < files.size() && slice.keys.largest > files[i].keys.largest) return false;
      }
    }
    return true;
  }

  std::string push_down(std::size_t level, const File& file) const {
    std::uint64_t upon = 0;
    for (const File& grandparent : files_[level + 2]) {
      if (grandparent.keys.overlaps(file.keys)) upon += grandparent.bytes.value();
    }
    std::string end = ", level-saturated";
    if (level > 0) end += fmt::format(", cursor {}={}", level, file.keys.largest);
    const std::vector<File>& below = files_[level + 1];
    if (below.empty() || (fits(level + 1, file) && upon <= 10 * shape_.file_size)) {
      return fmt::format("move {}:{} -> {}{}", level, file.id.value(), level + 1, end);
    }
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < below.size(); ++i) {
      const bool begins = i == 0 || file.keys.largest > below[i - 1].keys.largest;
      const bool ends = i + 1 == below.size() || file.keys.smallest <= below[i].keys.largest;
      if (begins && ends) ids.push_back(below[i].id.value());
    }
    return fmt::format("link {}:{} -> {}:{}{}", level, file.id.value(), level + 1,
                       fmt::join(ids, ","), end);
  }

  Shape shape_;
  std::vector<File> files_[9];
  std::optional<std::uint64_t> cursors_[9];
};

// The invariants that hold when the policy wants nothing more.
void require_settled(const TreeView& tree, const Shape& shape) {
  std::map<FileId, std::uint64_t> references;
  std::uint64_t capacity = shape.base;
  for (std::size_t level = 0; level < tree.levels().size(); ++level) {
    const std::vector<SortedRun>& runs = tree.levels()[level].runs;
    if (level == 0) REQUIRE(runs.size() < shape.trigger);
    if (level > 0) REQUIRE(runs.size() <= 1);
    for (const SortedRun& run : runs) {
      if (level > 0 && level < 6) REQUIRE(run.bytes().value() < capacity);
      for (const File& file : run.files) {
        REQUIRE(file.slices.size() < shape.threshold);
        for (const Slice& slice : file.slices) ++references[slice.frozen_file];
      }
    }
    if (level > 0) capacity *= shape.ratio;
  }
  REQUIRE(references.size() == tree.frozen_files().size());
  for (const FrozenFile& frozen : tree.frozen_files()) {
    REQUIRE(frozen.references == references.at(frozen.file.id));
  }
}

TEST_CASE("ldc over random keys settles, agrees with its oracle and loses nothing") {
  std::uint64_t moves = 0;
  std::uint64_t merges_of_few = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    std::mt19937_64 random(seed);
    Shape shape;
    shape.threshold = 1 + random() % 5;
    shape.ratio = 2 + random() % 4;
    shape.base = 20 * (1 + random() % 6);
    shape.trigger = 1 + random() % 4;
    shape.file_size = 5 + random() % 30;
    const std::uint64_t keys = 100 + random() % 2000;
    const std::uint64_t width = seed % 3 == 0 ? 60 : keys;  // every third: in narrow bands
    INFO("seed " << seed << ": " << shape.spec() << ", keys " << keys << ", width " << width);
    MapStore store(shape.spec(), [&](const TreeView& tree, const std::optional<Plan>& plan) {
      const std::string text = plan_text(tree, plan);
      if (!tree.pending_flush()) REQUIRE(text == Oracle(tree, shape).plan());
      if (plan && plan->reason == PlanReason::kLevelSaturated && text.starts_with("merge")) {
        ++merges_of_few;
      }
    });
    for (int i = 0; i < 6000; ++i) {
      const std::uint64_t band = (static_cast<std::uint64_t>(i) / 500) * 97 % keys;
      store.write((band + random() % width) % keys, random() % 6 == 0);
      const std::uint64_t sought = random() % keys;
      REQUIRE(store.lookup(sought) == store.expected(sought));
      if (i % 500 == 0) require_settled(store.tree(), shape);
    }
    store.flush();
    require_settled(store.tree(), shape);
    for (std::uint64_t key = 0; key < keys; ++key) {
      REQUIRE(store.lookup(key) == store.expected(key));
    }
    moves += store.counts().moves;
    REQUIRE(store.counts().links > 0);
    REQUIRE(store.counts().reasons.contains(PlanReason::kSliceCount));
  }
  REQUIRE(moves > 0);
  REQUIRE(merges_of_few > 0);
}

TEST_CASE("the adaptive threshold settles too, whatever the mix of operations") {
  std::mt19937_64 random(7);
  MapStore store("ldc:buffer=20,file_size=15,size_ratio=4,level_base=80,adaptive=true");
  for (int i = 0; i < 20'000; ++i) {
    store.write(random() % 1500, random() % 6 == 0);
    for (int j = (i / 2000) % 2 == 0 ? 20 : 0; j > 0; --j) {
      const std::uint64_t sought = random() % 1500;
      REQUIRE(store.lookup(sought) == store.expected(sought));
    }
  }
  REQUIRE(store.counts().links > 0);
}

TEST_CASE("ldc writes rising keys once, as LevelDB") {
  MapStore store("ldc:buffer=10,file_size=10,size_ratio=4,level_base=40");
  for (std::uint64_t key = 1; key <= 20'000; ++key) store.write(key);
  REQUIRE(store.counts().merges == 0);
  REQUIRE(store.counts().links == 0);
  REQUIRE(store.counts().moves > 0);
}

TEST_CASE("at the paper's fan-out ldc merges about half of what udc does, or less") {
  // Fig. 10: LDC saves about half of the compaction's writes; more slices save more (Fig. 12 d).
  const auto merged = [](const std::string& policy) {
    std::mt19937_64 random(11);
    MapStore store(policy + ":buffer=100,file_size=100,size_ratio=10");
    for (int i = 0; i < 150'000; ++i) store.write(random() % 1'000'000);
    return store.counts().entries_merged;
  };
  const std::uint64_t udc = merged("leveldb");
  const std::uint64_t ldc = merged("ldc");
  INFO("udc " << udc << ", ldc " << ldc);
  REQUIRE(2 * ldc < udc);
}

}  // namespace
}  // namespace lsmlab::ldc_test

// Picks of sifrdb on hand-made trees, and against a walk over lists of files that compares every
// two of them.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "models/base/random.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::sifrdb_test {
namespace {

const std::string kTwo = "growth_factor=2,file_size=100";

TEST_CASE("sifrdb merges the oldest trees of level 0, and moves files that overlap nothing") {
  check_picks(
      "sifrdb",
      {
          {"as many trees as the growth factor", kTwo, {{0, 1, 0, 9}, {0, 2, 0, 9}}, {}, "nothing"},
          {"one more: the two oldest merge",
           kTwo,
           {{0, 1, 0, 9}, {0, 2, 0, 9}, {0, 3, 5, 14}},
           {},
           "merge L0 2,3 to L1"},
          {"10 is the default",
           "",
           {{0, 1, 0, 9},
            {0, 2, 0, 9},
            {0, 3, 0, 9},
            {0, 4, 0, 9},
            {0, 5, 0, 9},
            {0, 6, 0, 9},
            {0, 7, 0, 9},
            {0, 8, 0, 9},
            {0, 9, 0, 9},
            {0, 10, 0, 9},
            {0, 11, 0, 9}},
           {},
           "merge L0 2,3,4,5,6,7,8,9,10,11 to L1"},
          {"disjoint trees become one without a merge, whatever the newest overlaps",
           kTwo,
           {{0, 1, 0, 99}, {0, 2, 0, 9}, {0, 3, 10, 19}},
           {},
           "move L0 2,3 to L1"},
          {"a common key is an overlap",
           kTwo,
           {{0, 1, 0, 9}, {0, 2, 0, 10}, {0, 3, 10, 19}},
           {},
           "merge L0 2,3 to L1"},
          {"told to rewrite",
           kTwo + ",adopt_files=false",
           {{0, 1, 0, 99}, {0, 2, 0, 9}, {0, 3, 10, 19}},
           {},
           "merge L0 2,3 to L1"},
          {"a tree that stays is an input of a running merge: the level is locked",
           kTwo,
           {{0, 1, 0, 9}, {0, 2, 0, 9}, {0, 3, 5, 14}},
           {1},
           "nothing"},
          {"level 1 is one run here",
           kTwo,
           {{0, 1, 0, 9}, {0, 2, 0, 9}, {1, 3, 0, 4}, {1, 4, 5, 9}, {1, 5, 10, 19}},
           {},
           "nothing"},
      });
}

// Files of each tree, the newest tree first.
using Trees = std::vector<std::vector<File>>;

// A tree state whose level has these trees.
void add_trees(TreeState& state, std::uint32_t level, const Trees& trees) {
  for (const std::vector<File>& files : trees) {
    TreeEdit edit;
    edit.added.push_back({{level, std::nullopt}, files});
    REQUIRE(state.apply(edit).has_value());
  }
}

File file_of(std::uint64_t id, const KeyRange& keys, std::uint64_t flush) {
  File file;
  file.id = FileId(id);
  file.keys = keys;
  file.bytes = Bytes(10);
  file.flushes = {flush, flush};
  return file;
}

Trees plain_trees(std::size_t count, std::uint64_t& id, std::uint64_t& flush) {
  Trees trees;
  for (std::size_t i = 0; i < count; ++i) trees.push_back({file_of(id++, {0, 9}, flush--)});
  return trees;
}

// Numbers of trees by level; nothing of level 0 is busy.
std::string plan_of_counts(const std::vector<std::size_t>& counts) {
  TreeState state;
  std::uint64_t id = 1;
  std::uint64_t flush = 1'000;
  for (std::uint32_t level = 0; level < counts.size(); ++level) {
    add_trees(state, level, plain_trees(counts[level], id, flush));
  }
  return plan_text(pick_of("sifrdb", kTwo, state));
}

TEST_CASE("sifrdb looks at level 1 first and at level 0 last, and only deeper levels need room") {
  REQUIRE(plan_of_counts({3, 3, 3}) == "merge L1 5,6 to L2");
  REQUIRE(plan_of_counts({3, 2, 3}) == "merge L2 7,8 to L3");
  // More than 1.5 * 2 trees of level 2 keep level 1 from merging.
  REQUIRE(plan_of_counts({3, 3, 4}) == "merge L2 9,10 to L3");
  REQUIRE(plan_of_counts({3, 3, 4, 4}) == "merge L3 13,14 to L4");
  REQUIRE(plan_of_counts({3, 9}) == "merge L1 11,12 to L2");
  REQUIRE(plan_of_counts({3, 2, 2}) == "merge L0 2,3 to L1");
  REQUIRE(plan_of_counts({2, 2, 2}) == "nothing");
}

TEST_CASE("the deepest of sifrdb's 20 levels never merges") {
  std::vector<std::size_t> counts(20, 0);
  counts[18] = 3;
  REQUIRE(plan_of_counts(counts) == "merge L18 2,3 to L19");
  counts[18] = 0;
  counts[19] = 30;
  REQUIRE(plan_of_counts(counts) == "nothing");
}

Trees random_trees(SplitMix64& random, std::size_t count, std::uint64_t gaps) {
  Trees trees;
  std::uint64_t id = 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<File> files;
    for (std::uint64_t key = random.below(60); key < 300; key += 1 + random.below(gaps)) {
      const std::uint64_t largest = key + random.below(25);
      files.push_back(file_of(id++, {key, largest}, 100 - i));
      key = largest;
    }
    if (files.empty()) files.push_back(file_of(id++, {300, 300}, 100 - i));
    trees.push_back(files);
  }
  return trees;
}

// Files of the trees first..last-1 that meet no file of another one of these trees.
std::set<std::uint64_t> free_files(const Trees& trees, std::size_t first) {
  std::set<std::uint64_t> ids;
  for (std::size_t i = first; i < trees.size(); ++i) {
    for (const File& file : trees[i]) {
      bool meets = false;
      for (std::size_t j = first; j < trees.size(); ++j) {
        for (const File& other : trees[j])
          meets = meets || (i != j && file.keys.overlaps(other.keys));
      }
      if (!meets) ids.insert(file.id.value());
    }
  }
  return ids;
}

std::set<std::uint64_t> files_taken(const Plan& plan) {
  std::set<std::uint64_t> ids;
  for (const PlanInput& input : plan_inputs(plan)) {
    for (const FileId id : input.files) ids.insert(id.value());
  }
  return ids;
}

// Applies the merge as one output that spans its inputs but leaves room where files are to come.
void finish(TreeState& state, const MergePlan& merge, std::uint64_t flush,
            const std::vector<CursorUpdate>& cursors) {
  TreeEdit edit;
  edit.is_merge = true;
  edit.cursors = cursors;
  std::uint64_t id = 1'000;
  std::vector<File> outputs;
  std::vector<KeyRange> ranges;
  for (const PlanInput& input : merge.inputs) {
    for (const FileId file : input.files) {
      edit.removed.push_back(file);
      ranges.push_back(state.file_at(*state.find_file(file)).keys);
    }
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const KeyRange& a, const KeyRange& b) { return a.smallest < b.smallest; });
  for (const KeyRange& range : ranges) {
    const bool is_new = outputs.empty() || outputs.back().keys.largest < range.smallest;
    if (is_new) {
      outputs.push_back(file_of(id++, range, flush));
    } else {
      outputs.back().keys.largest = std::max(outputs.back().keys.largest, range.largest);
    }
  }
  edit.added.push_back({merge.target, outputs});
  REQUIRE(state.apply(edit).has_value());
}

TEST_CASE("sifrdb rewrites the files that meet others, then moves the rest into the same tree") {
  std::size_t moves = 0;
  std::size_t merges_alone = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    INFO("seed " << seed);
    SplitMix64 random(seed);
    const Trees trees = random_trees(random, 3 + random.below(3), seed % 4 == 0 ? 3 : 60);
    TreeState state;
    add_trees(state, 1, trees);
    const std::size_t first = trees.size() - 2;
    const std::set<std::uint64_t> free = free_files(trees, first);
    std::set<std::uint64_t> meeting;
    std::vector<std::uint64_t> begins;
    for (std::size_t i = first; i < trees.size(); ++i) {
      for (const File& file : trees[i]) {
        if (free.contains(file.id.value())) {
          begins.push_back(file.keys.smallest);
        } else {
          meeting.insert(file.id.value());
        }
      }
    }
    std::sort(begins.begin(), begins.end());
    auto plan = pick_of("sifrdb", kTwo, state);
    REQUIRE(plan.has_value());
    REQUIRE(plan_target(*plan).level == 2);
    REQUIRE(!plan_target(*plan).run.has_value());
    if (meeting.empty()) {
      REQUIRE(std::holds_alternative<MovePlan>(plan->action));
      REQUIRE(files_taken(*plan) == free);
      continue;
    }
    REQUIRE(files_taken(*plan) == meeting);
    const auto& merge = std::get<MergePlan>(plan->action);
    REQUIRE(!merge.drops_tombstones);
    REQUIRE(merge.cut.file_bytes == Bytes(100));
    REQUIRE(merge.cut.file_begins.value_or(std::vector<std::uint64_t>()) == begins);
    finish(state, merge, 100 - first, plan->cursors);
    plan = pick_of("sifrdb", kTwo, state);
    if (free.empty()) {
      ++merges_alone;
    } else {
      ++moves;
      REQUIRE(plan.has_value());
      REQUIRE(std::holds_alternative<MovePlan>(plan->action));
      REQUIRE(files_taken(*plan) == free);
      REQUIRE(plan_target(*plan).run == state.levels()[2].runs[0].id);
      TreeEdit edit;
      for (const PlanInput& input : plan_inputs(*plan)) {
        edit.moved.push_back({input.files, plan_target(*plan)});
      }
      REQUIRE(state.apply(edit).has_value());
      plan = pick_of("sifrdb", kTwo, state);
    }
    // As many trees stay as the factor allows, or the next two merge.
    REQUIRE(plan.has_value() == (first > 2));
    REQUIRE(state.levels()[1].runs.size() == first);
    REQUIRE(state.levels()[2].runs.size() == 1);
  }
  REQUIRE(moves > 100);
  REQUIRE(merges_alone > 10);
}

TEST_CASE("sifrdb's options are checked") {
  const auto fault = [](const std::string& options) {
    const auto made = make_policy(parse_spec("sifrdb:" + options).value());
    REQUIRE(!made.has_value());
    return made.error().message;
  };
  REQUIRE(fault("growth_factor=1").find("growth_factor") != std::string::npos);
  REQUIRE(fault("file_size=0").find("file_size") != std::string::npos);
  REQUIRE(fault("adopt_files=maybe").find("adopt_files") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::sifrdb_test

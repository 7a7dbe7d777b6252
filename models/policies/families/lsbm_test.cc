// lsbm: picks on hand-made trees, each with its reason; every pick of a run over random keys beside
// a second statement of the rules as loops over lists; and what whole levels write, in closed form.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/oracles/map_store.h"
#include "testing/sized_store.h"

namespace lsmlab::lsbm_test {
namespace {

// Level 0 rolls above 30 bytes and holds 100, level 1 holds 300; slices and files of 20 bytes.
const std::string kSmall =
    "l0_size=100,size_ratio=3,levels=3,file_size=20,l0_compaction_trigger=30";

TEST_CASE("lsbm rolls flushes into level 0's insertion part, and moves full parts down") {
  check_picks(
      "lsbm",
      {
          {"at the trigger", kSmall, {{0, 1, 0, 9, 15}, {0, 2, 0, 9, 15}}, {}, "nothing"},
          {"above it", kSmall, {{0, 1, 0, 9, 15}, {0, 2, 0, 9, 16}}, {}, "merge L0 1,2 to L1"},
          {"with what the flushes overlap",
           kSmall,
           {{0, 1, 0, 9, 15},
            {0, 2, 20, 29, 16},
            {1, 3, 0, 5, 20},
            {1, 4, 15, 16, 20},
            {1, 5, 40, 49, 20}},
           {},
           "merge L0 1,2 + L1 3,4 to L1"},
          {"an insertion part at its capacity stays", kSmall, {{1, 1, 0, 9, 100}}, {}, "nothing"},
          {"a full one moves as a whole",
           kSmall,
           {{1, 1, 0, 9, 60}, {1, 2, 10, 19, 41}, {3, 3, 0, 9, 50}},
           {},
           "move L1 1,2 to L2"},
          {"also if level 0 is to roll",
           kSmall,
           {{0, 1, 0, 9, 99}, {1, 2, 0, 9, 101}},
           {},
           "move L1 2 to L2"},
          {"level 1's waits for its own deletion part",
           kSmall,
           {{2, 1, 0, 9, 10}, {3, 2, 0, 9, 301}},
           {},
           "nothing"},
          {"and has the one below finished first",
           kSmall,
           {{3, 2, 0, 9, 301}, {4, 1, 0, 9, 1}, {5, 3, 0, 9, 1}},
           {},
           "merge L4 1 + L5 3 to L5"},
          {"the last level has no capacity", kSmall, {{5, 1, 0, 9, 99'999}}, {}, "nothing"},
          {"a running merge keeps others away",
           kSmall,
           {{0, 1, 0, 9, 40}, {5, 2, 0, 9, 1}},
           {2},
           "nothing"},
      });
}

TEST_CASE("lsbm's deletion parts merge slice by slice, while the part above fills") {
  check_picks("lsbm",
              {
                  {"together as much as level 0 holds",
                   kSmall,
                   {{1, 1, 0, 9, 40}, {2, 2, 0, 9, 60}, {3, 3, 0, 9, 1}},
                   {},
                   "nothing"},
                  {"more: the first files up to 20 bytes",
                   kSmall,
                   {{1, 1, 0, 9, 41},
                    {2, 2, 0, 9, 10},
                    {2, 3, 10, 19, 10},
                    {2, 4, 20, 29, 40},
                    {3, 5, 0, 15, 1},
                    {3, 6, 17, 18, 1},
                    {3, 7, 21, 22, 1}},
                   {},
                   "merge L2 2,3 + L3 5,6 to L3"},
                  {"a file above the slice's size alone",
                   kSmall,
                   {{1, 1, 0, 9, 41}, {2, 2, 0, 9, 20}, {2, 3, 30, 39, 40}, {3, 4, 5, 25, 1}},
                   {},
                   "merge L2 2 + L3 4 to L3"},
                  {"five times as much in the last level",
                   kSmall,
                   {{3, 1, 0, 9, 150},
                    {4, 2, 0, 9, 50},
                    {4, 3, 10, 19, 49},
                    {4, 4, 20, 29, 1},
                    {4, 6, 30, 39, 60},
                    {5, 5, 0, 15, 1}},
                   {},
                   "merge L4 2,3,4 + L5 5 to L5"},
                  {"it grows by files that overlap the merge",
                   kSmall,
                   {{1, 1, 0, 9, 41}, {2, 2, 0, 9, 20}, {2, 3, 20, 29, 40}, {3, 4, 5, 35, 1}},
                   {},
                   "merge L2 2,3 + L3 4 to L3"},
                  {"unless these overlap a further file",
                   kSmall,
                   {{1, 1, 0, 9, 41},
                    {2, 2, 0, 9, 20},
                    {2, 3, 20, 29, 40},
                    {3, 4, 5, 25, 1},
                    {3, 5, 27, 28, 1}},
                   {},
                   "merge L2 2 + L3 4 to L3"},
                  {"or the inputs become 25 files' bytes",
                   kSmall,
                   {{1, 1, 0, 9, 41}, {2, 2, 0, 9, 20}, {2, 3, 20, 29, 40}, {3, 4, 5, 35, 440}},
                   {},
                   "merge L2 2 + L3 4 to L3"},
                  {"a slice that overlaps nothing moves",
                   kSmall,
                   {{1, 1, 0, 9, 41},
                    {2, 2, 0, 9, 10},
                    {2, 3, 10, 19, 30},
                    {2, 4, 20, 29, 40},
                    {3, 5, 25, 26, 1}},
                   {},
                   "move L2 2,3 to L3"},
              });
}

TEST_CASE("the lsbm level with the highest score acts, above 1") {
  check_picks("lsbm", {
                          {"the higher score acts",
                           kSmall,
                           {{1, 1, 0, 9, 30},
                            {2, 2, 0, 9, 80},
                            {3, 3, 0, 9, 30},
                            {4, 4, 0, 9, 301},
                            {5, 5, 0, 9, 1}},
                           {},
                           "merge L4 4 + L5 5 to L5"},
                          {"level 0 scores 1.05 at most",
                           kSmall,
                           {{0, 1, 0, 9, 90}, {1, 2, 0, 9, 53}, {2, 3, 0, 9, 53}, {3, 4, 0, 9, 1}},
                           {},
                           "merge L2 3 + L3 4 to L3"},
                          {"and acts first where scores are equal",
                           kSmall,
                           {{0, 1, 0, 9, 90}, {1, 2, 0, 9, 52}, {2, 3, 0, 9, 53}, {3, 4, 0, 9, 1}},
                           {},
                           "merge L0 1 + L1 2 to L1"},
                          {"a rest below comes before a full part above",
                           kSmall,
                           {{1, 1, 0, 9, 120}, {2, 2, 0, 9, 1}, {3, 3, 0, 9, 1}},
                           {},
                           "merge L2 2 + L3 3 to L3"},
                      });
}

struct Listed {
  std::uint64_t id = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t bytes = 0;
};
using Part = std::vector<Listed>;

std::uint64_t bytes_of(const Part& part) {
  std::uint64_t bytes = 0;
  for (const Listed& one : part) bytes += one.bytes;
  return bytes;
}

Part meeting(const Part& part, const Part& others) {
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t last = 0;
  for (const Listed& one : others) {
    first = std::min(first, one.first);
    last = std::max(last, one.last);
  }
  Part met;
  for (const Listed& one : part) {
    if (one.first <= last && first <= one.last) met.push_back(one);
  }
  return met;
}

std::string named(std::size_t level, const Part& files) {
  std::string text = fmt::format("L{} ", level);
  for (std::size_t i = 0; i < files.size(); ++i) {
    text += fmt::format("{}{}", i > 0 ? "," : "", files[i].id);
  }
  return text;
}

// The second statement: levels as pairs of lists, scores as floating-point numbers.
class Lists {
 public:
  Lists(const TreeView& tree, std::size_t levels) : insertion_(levels), deletion_(levels) {
    for (std::size_t level = 0; level < tree.levels().size(); ++level) {
      Part& part = (level % 2 == 0 ? deletion_ : insertion_).at(level / 2);
      for (const SortedRun& run : tree.levels()[level].runs) {
        for (const File& file : run.files) {
          part.push_back(
              {file.id.value(), file.keys.smallest, file.keys.largest, file.bytes.value()});
        }
      }
    }
  }

  [[nodiscard]] std::string wanted() const {
    double best = 1;
    std::string plan = "nothing";
    for (std::size_t level = 0; level < insertion_.size(); ++level) {
      std::string action;
      const double score = score_of(level, action);
      if (score > best) {
        best = score;
        plan = action == "move"
                   ? fmt::format("move {} to L{}", named(2 * level + 1, insertion_[level]),
                                 2 * level + 2)
                   : merged(level);
      }
    }
    return plan;
  }

 private:
  [[nodiscard]] double score_of(std::size_t level, std::string& action) const {
    const double held = static_cast<double>(bytes_of(insertion_[level]));
    const double gone = static_cast<double>(bytes_of(deletion_[level]));
    double capacity = 100;
    double above = 0;
    for (std::size_t i = 0; i < level; ++i, capacity *= 3) above = capacity;
    if (level == 0) {
      action = held > capacity ? "move" : "merge";
      const double score = held > capacity ? held / capacity : gone / 30;
      return score > 1 ? std::min(score, 1.05) : 0;
    }
    action = deletion_[level].empty() ? "move" : "merge";
    if (action == "merge") {
      return (static_cast<double>(bytes_of(insertion_[level - 1])) + gone) / above;
    }
    const bool has_room = level + 1 < insertion_.size() && deletion_[level + 1].empty();
    return has_room ? held / capacity : 0;
  }

  [[nodiscard]] std::string merged(std::size_t level) const {
    Part slice;
    for (const Listed& one : deletion_[level]) {
      slice.push_back(one);
      const std::uint64_t most = level + 1 == insertion_.size() ? 100 : 20;
      if (level > 0 && bytes_of(slice) >= most) break;
    }
    const Part met = meeting(insertion_[level], slice);
    if (met.empty() && level > 0) {
      return fmt::format("move {} to L{}", named(2 * level, slice), 2 * level + 1);
    }
    Part all = slice;
    all.insert(all.end(), met.begin(), met.end());
    const Part grown = meeting(deletion_[level], all);
    if (level > 0 && grown.size() > slice.size() && bytes_of(met) + bytes_of(grown) < 500 &&
        meeting(insertion_[level], grown).size() == met.size()) {
      slice = grown;
    }
    std::string text = "merge " + named(2 * level, slice);
    if (!met.empty()) text += " + " + named(2 * level + 1, met);
    return text + fmt::format(" to L{}", 2 * level + 1);
  }

  std::vector<Part> insertion_;
  std::vector<Part> deletion_;
};

TEST_CASE("lsbm's every plan is that of loops over lists") {
  std::uint64_t slices = 0;
  std::uint64_t moved_slices = 0;
  std::uint64_t moved_parts = 0;
  for (const std::uint64_t span : {300u, 3'000u, 1'000'000u}) {
    INFO(span << " keys");
    const auto watch = [&](const TreeView& tree, const std::optional<Plan>& plan) {
      if (tree.pending_flush()) return;
      REQUIRE(plan_text(plan) == Lists(tree, 3).wanted());
      if (!plan) return;
      const bool is_slice = plan_inputs(*plan).front().level % 2 == 0;
      if (std::holds_alternative<MergePlan>(plan->action)) slices += is_slice ? 1 : 0;
      if (std::holds_alternative<MovePlan>(plan->action)) ++(is_slice ? moved_slices : moved_parts);
    };
    testing::MapStore store("lsbm:buffer=10," + kSmall, watch);
    std::mt19937_64 random(span);
    for (int i = 0; i < 12'000; ++i) {
      // A stretch of rising keys in between, which overlap nothing.
      const bool rises = i / 1'500 % 3 == 2;
      const std::uint64_t key = rises ? 2'000'000 + static_cast<std::uint64_t>(i) : random() % span;
      store.write(key, random() % 10 == 0);
      if (i % 16 == 0) {
        const std::uint64_t asked = random() % span;
        REQUIRE(store.lookup(asked) == store.expected(asked));
      }
    }
    for (std::uint64_t key = 0; key < std::min<std::uint64_t>(span, 3'000); ++key) {
      REQUIRE(store.lookup(key) == store.expected(key));
    }
  }
  REQUIRE(slices > 1'000);
  REQUIRE(moved_slices > 100);
  REQUIRE(moved_parts > 100);
}

// With parts of one file: 4 flushes roll, 3 rolls fill level 0 (12 > 11), 10 arrivals a level. The
// k-th arrival at a part writes what the part then holds; at levels below 0 the first one moves.
TEST_CASE("lsbm writes as leveling does: the k-th arrival at a part rewrites k of them") {
  const auto made = make_policy(
      parse_spec("lsbm:l0_size=11,size_ratio=10,l0_compaction_trigger=3,file_size=1TiB").value());
  REQUIRE(made.has_value());
  testing::SizedStore store(*made.value().policy);
  std::uint64_t expected = 0;
  for (std::uint64_t flush = 1; flush <= 5'000; ++flush) {
    store.flush(1);
    if (flush % 4 == 0) expected += (flush / 4 - 1) % 3 * 4 + 4;
    std::uint64_t arrival = 12;
    // The last level, which never moves on, is not reached: 120 * 10 * 10 flushes.
    for (; flush % arrival == 0; arrival *= 10) {
      const std::uint64_t nth = (flush / arrival - 1) % 10 + 1;
      if (nth > 1) expected += nth * arrival;
    }
    INFO(flush << " flushes: " << store.text());
    REQUIRE(store.written() == expected + flush);
  }
}

TEST_CASE("lsbm's merges keep deletes but for the last level's") {
  for (const std::uint32_t level : {0u, 2u, 4u}) {
    DrawnTree tree({{level, 1, 0, 9, 400}, {level + 1, 2, 0, 9, 50}});
    const auto plan = pick_of("lsbm", kSmall, tree.view());
    REQUIRE(plan.has_value());
    REQUIRE(std::get<MergePlan>(plan->action).drops_tombstones == (level == 4));
  }
}

TEST_CASE("lsbm's options are checked, and sizes follow from others") {
  for (const std::string option : {"l0_size=0", "size_ratio=1", "levels=1", "file_size=0",
                                   "l0_compaction_trigger=0", "data_merged_each_round=0"}) {
    INFO(option);
    const auto made = make_policy(parse_spec("lsbm:" + option).value());
    REQUIRE(!made.has_value());
    REQUIRE(made.error().message.find(option.substr(0, option.find('='))) != std::string::npos);
  }
  const auto made = make_policy(parse_spec("lsbm").value());
  REQUIRE(made.has_value());
  const auto has = [&](const std::string& name, std::uint64_t value) {
    return std::any_of(made.value().options.begin(), made.value().options.end(),
                       [&](const auto& option) {
                         return option.first == name && option.second == OptionValue(value);
                       });
  };
  REQUIRE(has("l0_compaction_trigger", std::uint64_t{35} << 20));
  REQUIRE(has("data_merged_each_round", std::uint64_t{8} << 20));
}

}  // namespace
}  // namespace lsmlab::lsbm_test

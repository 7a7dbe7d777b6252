// dCompaction: hand-made cases, random runs compared with a second statement of its own rule, and
// what it saves.
#include <random>

#include "testing/oracles/map_store.h"
#include "testing/pick_on.h"
#include "testing/tree_text.h"

namespace lsmlab::dcompaction_test {
namespace {

using testing::configured;
using testing::MapStore;
using testing::PickCase;
using testing::plan_text;
using testing::tree_of_text;

// Level 1 holds 1000 bytes; 10 times file_size is 1000.
const char* const kSpec =
    "dcompaction:buffer=100,file_size=100,size_ratio=10,level_base=1000,merge_threshold=4";

TEST_CASE("dcompaction merges virtually where LevelDB merges, below the threshold") {
  const auto policy = configured(kSpec).policy;
  for (const PickCase& test : std::vector<PickCase>{
           {"an empty tree wants nothing", "", "nothing"},
           {"three SSTables are fewer than four", "1 1:0-20*1000; 2 2:0-9*9 3:20-29*9",
            "refer 1:1 2:2 2:3 -> 2, level-saturated, cursor 1=20"},
           {"four are not", "1 1:0-20*1000; 2 2:0-9*9 3:10-19*9 4:20-29*9",
            "merge 1:1 2:2 2:3 2:4 -> 2, level-saturated, cursor 1=20"},
           {"a file that overlaps nothing moves", "1 1:10-19*1000; 2 2:0-9*9 3:20-29*9",
            "move 1:1 -> 2, level-saturated, cursor 1=19"},
           {"level 0 takes all that overlap", "0 4:0-9*9 3:5-15*9 2:20-30*9 1:40-50*9",
            "refer 0:4 0:3 -> 1, level-saturated, cursor 0=15"},
           {"the highest score", "1 1:0-9*1000; 2 2:5-6*10001; 3 3:6-7*9",
            "refer 2:2 3:3 -> 3, level-saturated, cursor 2=6"},
           {"real files are not merged after seeks", "1 1:0-9*10!500; 2 3:5-6*10", "nothing"},
       }) {
    INFO(test.why << ": " << test.tree);
    const TreeState tree = tree_of_text(test.tree);
    REQUIRE(plan_text(tree, testing::pick_on(*policy, tree)) == test.plan);
  }
}

TEST_CASE("dcompaction refuses bad options, and its thresholds follow the size ratio") {
  const auto value = [](const std::string& spec, const std::string& option) {
    for (const auto& [name, given] : configured(spec).options) {
      if (name == option) return option_value_text(given);
    }
    return std::string();
  };
  REQUIRE(value("dcompaction", "merge_threshold") == "20");
  REQUIRE(value("dcompaction:size_ratio=4", "merge_threshold") == "8");
  REQUIRE(value("dcompaction:size_ratio=4", "read_threshold") == "4");
  for (const std::string bad : {"dcompaction:merge_threshold=0", "dcompaction:read_threshold=1",
                                "dcompaction:slice_threshold=3", "dcompaction:flush_level_max=7"}) {
    INFO(bad);
    REQUIRE(!make_policy(parse_spec(bad).value()).has_value());
  }
}

// What the plan takes, as a plain list: the SSTables that its inputs consist of.
std::size_t sstables_taken(const TreeView& tree, const Plan& plan) {
  std::size_t count = 0;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) {
        for (const PlanInput& input : plan_inputs(plan)) {
          for (const FileId id : input.files) {
            if (id == file.id) count += file.slices.empty() ? 1 : file.slices.size();
          }
        }
      }
    }
  }
  return count;
}

TEST_CASE("dcompaction merges for real exactly from the threshold on, and loses no key") {
  std::uint64_t refers = 0;
  std::uint64_t seeks = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    const std::size_t threshold = 3 + random() % 12;
    const std::string spec = fmt::format(
        "dcompaction:buffer=20,file_size=15,size_ratio=3,level_base=60,merge_threshold={},"
        "read_threshold={}",
        threshold, 2 + random() % 6);
    const std::uint64_t keys = 100 + random() % 2000;
    INFO("seed " << seed << ": " << spec << ", keys " << keys);
    MapStore store(spec, [&](const TreeView& tree, const std::optional<Plan>& plan) {
      if (!plan || plan->reason != PlanReason::kLevelSaturated) return;
      const bool is_virtual = std::holds_alternative<ReferPlan>(plan->action);
      const bool is_real = std::holds_alternative<MergePlan>(plan->action);
      if (is_virtual) REQUIRE(sstables_taken(tree, *plan) < threshold);
      if (is_real) REQUIRE(sstables_taken(tree, *plan) >= threshold);
    });
    for (int i = 0; i < 5000; ++i) {
      store.write(random() % keys, random() % 6 == 0);
      const std::uint64_t sought = random() % keys;
      REQUIRE(store.lookup(sought) == store.expected(sought));
    }
    store.flush();
    for (std::uint64_t key = 0; key < keys; ++key) {
      REQUIRE(store.lookup(key) == store.expected(key));
    }
    REQUIRE(store.counts().merges > 0);
    refers += store.counts().refers;
    if (store.counts().reasons.contains(PlanReason::kSeeks)) ++seeks;
  }
  REQUIRE(refers > 100);
  REQUIRE(seeks > 0);
}

TEST_CASE("with a threshold of one dcompaction is LevelDB without seeks") {
  const auto merged = [](const std::string& policy) {
    std::mt19937_64 random(11);
    MapStore store(policy + "buffer=20,file_size=20,size_ratio=4,level_base=80");
    for (int i = 0; i < 20'000; ++i) store.write(random() % 5000, random() % 8 == 0);
    REQUIRE(store.counts().refers == 0);
    return std::pair(store.counts().merges, store.counts().entries_merged);
  };
  REQUIRE(merged("dcompaction:merge_threshold=1,") == merged("leveldb:seek_compaction=false,"));
}

TEST_CASE("dcompaction writes less with a higher threshold, and less than LevelDB") {
  const auto merged = [](const std::string& policy) {
    std::mt19937_64 random(11);
    MapStore store(policy + "buffer=100,file_size=100,size_ratio=10");
    for (int i = 0; i < 100'000; ++i) store.write(random() % 1'000'000);
    return store.counts().entries_merged;
  };
  const std::uint64_t leveldb = merged("leveldb:");
  const std::uint64_t low = merged("dcompaction:merge_threshold=12,");
  const std::uint64_t high = merged("dcompaction:merge_threshold=100,");
  INFO("leveldb " << leveldb << ", 12: " << low << ", 100: " << high);
  REQUIRE(high < low);
  REQUIRE(10 * high < 8 * leveldb);
}

}  // namespace
}  // namespace lsmlab::dcompaction_test

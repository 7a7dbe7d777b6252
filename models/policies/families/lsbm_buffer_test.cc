// lsbm's compaction buffer: which merges leave copies, which copies a trim takes, beside a second
// statement of the rule over a run of random writes and reads, and what lookups find through them.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/oracles/map_store.h"

namespace lsmlab::lsbm_buffer_test {
namespace {

const std::string kSmall =
    "l0_size=100,size_ratio=3,levels=4,file_size=20,l0_compaction_trigger=30";
const std::string kOn = kSmall + ",compaction_buffer=on,trim_flushes=3,hot_file_percent=50";

std::uint64_t copies_max_of(const std::string& options, std::uint32_t level) {
  DrawnTree tree({{level, 1, 0, 9, 4'000}, {level + 1, 2, 0, 9, 50}});
  const auto plan = pick_of("lsbm", options, tree.view());
  REQUIRE(plan.has_value());
  return std::get<MergePlan>(plan->action).copies_max;
}

TEST_CASE("lsbm's merges leave copies between the first and the last level, if the buffer is on") {
  for (const std::uint32_t level : {0u, 2u, 4u, 6u}) {
    INFO(level);
    REQUIRE(copies_max_of(kSmall, level) == 0);
    const bool is_between = level == 2 || level == 4;
    REQUIRE(copies_max_of(kOn, level) == (is_between ? 20 : 0));
    REQUIRE(copies_max_of(kOn + ",buffer_tables=7", level) == (is_between ? 7 : 0));
  }
}

// A second statement of Version::RefineCompactionBuffer as the header of lsbm.cc tells it: from the
// oldest copy of each file to the newest, what is hot or lies above something that stays, stays.
std::set<FileId> wanted_trim(const TreeView& tree, std::uint64_t last_trim) {
  std::set<FileId> judged;
  for (const FrozenFile& copy : tree.frozen_files()) {
    if (copy.file.level_since.value() >= last_trim) continue;
    const bool is_hot = copy.blocks.cached > 0 && 2 * copy.blocks.cached >= copy.blocks.all;
    if (!is_hot) judged.insert(copy.file.id);
  }
  std::set<FileId> gone = judged;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) {
        std::vector<bool> stays(file.copies.size());
        for (std::size_t i = file.copies.size(); i-- > 0;) {
          stays[i] = !judged.contains(file.copies[i].frozen_file);
          for (std::size_t older = i + 1; older < file.copies.size(); ++older) {
            if (stays[older] && file.copies[older].keys.overlaps(file.copies[i].keys)) {
              stays[i] = true;
            }
          }
          if (stays[i]) gone.erase(file.copies[i].frozen_file);
        }
      }
    }
  }
  return gone;
}

// No copy that lookups would find data in is hidden behind a hole: walks every key.
void check_copies(const TreeView& tree) {
  std::map<FileId, std::uint64_t> references;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) {
        for (const Copy& copy : file.copies) {
          ++references[copy.frozen_file];
          REQUIRE(tree.frozen_files().contains(copy.frozen_file));
        }
      }
    }
  }
  for (const FrozenFile& frozen : tree.frozen_files()) {
    REQUIRE(references[frozen.file.id] == frozen.references);
  }
}

TEST_CASE("lsbm's trims are those of a second statement, and lookups through copies are right") {
  for (const std::uint64_t span : {300u, 3'000u, 1'000'000u}) {
    INFO(span << " keys");
    std::uint64_t trims = 0;
    std::uint64_t trimmed = 0;
    std::uint64_t spared = 0;
    std::uint64_t last_flush = 0;
    std::uint64_t last_trim = 0;
    std::size_t copies_most = 0;
    const auto watch = [&](const TreeView& tree, const std::optional<Plan>& plan) {
      check_copies(tree);
      copies_most = std::max(copies_most, tree.frozen_files().size());
      const bool is_due = !tree.pending_flush() && !tree.frozen_files().empty() &&
                          tree.flush_count() >= last_flush + 3;
      const bool trims_now = plan && std::holds_alternative<TrimPlan>(plan->action);
      REQUIRE(trims_now == is_due);
      if (!is_due) return;
      const auto& copies = std::get<TrimPlan>(plan->action).copies;
      const std::set<FileId> wanted = wanted_trim(tree, last_trim);
      REQUIRE(copies == std::vector<FileId>(wanted.begin(), wanted.end()));
      REQUIRE(plan->reason == PlanReason::kColdCopies);
      last_flush = tree.flush_count();
      last_trim = tree.now().value();
      ++trims;
      trimmed += copies.size();
      spared += tree.frozen_files().size() - copies.size();
    };
    testing::MapStore store("lsbm:buffer=10," + kOn, watch);
    store.use_clock();
    std::mt19937_64 random(span);
    for (int i = 0; i < 8'000; ++i) {
      const bool rises = i / 1'500 % 3 == 2;
      const std::uint64_t key = rises ? 2'000'000 + static_cast<std::uint64_t>(i) : random() % span;
      store.write(key, random() % 10 == 0);
      const std::uint64_t asked = random() % span;
      REQUIRE(store.lookup(asked) == store.expected(asked));
    }
    for (std::uint64_t key = 0; key < std::min<std::uint64_t>(span, 3'000); ++key) {
      REQUIRE(store.lookup(key) == store.expected(key));
    }
    REQUIRE(trims > 100);
    REQUIRE(trimmed > 100);
    REQUIRE(spared > 100);
    REQUIRE(copies_most > 5);
  }
}

TEST_CASE("lsbm with its buffer off, or on, merges the same files") {
  std::vector<std::string> plans[2];
  for (const int on : {0, 1}) {
    const auto watch = [&, on](const TreeView& tree, const std::optional<Plan>& plan) {
      if (plan && std::holds_alternative<TrimPlan>(plan->action)) return;
      if (on == 0) REQUIRE(tree.frozen_files().empty());
      plans[on].push_back(plan_text(plan));
    };
    testing::MapStore store("lsbm:buffer=10," + (on == 1 ? kOn : kSmall), watch);
    std::mt19937_64 random(5);
    for (int i = 0; i < 6'000; ++i) store.write(random() % 3'000, random() % 10 == 0);
  }
  REQUIRE(plans[0] == plans[1]);
}

TEST_CASE("lsbm never trims where a copy without a cached block counts as hot") {
  std::uint64_t copies_most = 0;
  const auto watch = [&](const TreeView& tree, const std::optional<Plan>& plan) {
    REQUIRE_FALSE((plan && std::holds_alternative<TrimPlan>(plan->action)));
    copies_most = std::max<std::uint64_t>(copies_most, tree.frozen_files().size());
  };
  testing::MapStore store(
      "lsbm:buffer=10,compaction_buffer=on,trim_flushes=3,hot_file_percent=0," + kSmall, watch);
  std::mt19937_64 random(6);
  for (int i = 0; i < 6'000; ++i) store.write(random() % 3'000, random() % 10 == 0);
  REQUIRE(copies_most > 5);
}

TEST_CASE("lsbm's options of the buffer are checked") {
  for (const std::string option :
       {"compaction_buffer=maybe", "buffer_tables=0", "trim_flushes=0", "hot_file_percent=101"}) {
    INFO(option);
    const auto made = make_policy(parse_spec("lsbm:" + option).value());
    REQUIRE(!made.has_value());
    REQUIRE(made.error().message.find(option.substr(0, option.find('='))) != std::string::npos);
  }
}

}  // namespace
}  // namespace lsmlab::lsbm_buffer_test

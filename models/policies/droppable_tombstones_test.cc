// Cassandra's single-SSTable merges on hand-made trees, with a reason each, and against a search
// key by key.
#include "models/policies/droppable_tombstones.h"

#include <cmath>
#include <random>

#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/pick_on.h"
#include "testing/tree_reader.h"

namespace lsmlab::droppable_tombstones_test {
namespace {

const char* const kRule = "tiered:tombstone_threshold=20%,tombstone_compaction_interval=100";

struct DroppableCase {
  const char* why;
  const char* tree;
  const char* plan;
  std::uint64_t now = 100;
  const char* more = "";
};

TEST_CASE("tiered merges an SSTable with many tombstones by itself when no tier is full") {
  const DroppableCase cases[] = {
      {"3 of 10 entries, and nothing overlaps", "1: 0-9:10,n=10,t=3",
       "tombstone-density merge L1:1 -> L1 run"},
      {"2 of 10 are the threshold and not above it", "1: 0-9:10,n=10,t=2", "nothing"},
      {"too young", "1: 0-9:10,n=10,t=3,c=1", "nothing"},
      {"just old enough", "1: 0-9:10,n=10,t=3,c=1", "tombstone-density merge L1:1 -> L1 run", 101},
      {"an older SSTable overlaps all of its keys", "0: 0-9:10,n=10,t=9\n1: 0-9:10", "nothing"},
      {"a newer one does: Cassandra counts it too", "0: 0-9:10\n1: 0-9:10,n=10,t=9", "nothing"},
      {"unchecked: merged though nothing may go", "0: 0-9:10,n=10,t=9\n1: 0-9:10",
       "tombstone-density merge L0:1 -> L0 run", 100, ",unchecked_tombstone_compaction=true"},
      {"half of its keys are free, and 0.5 * 0.5 is above 0.2", "0: 0-9:10,n=10,t=5\n1: 5-14:10",
       "tombstone-density merge L0:1 -> L0 run"},
      {"0.5 * 0.4 is not", "0: 0-9:10,n=10,t=4\n1: 5-14:10", "nothing"},
      {"ranges that overlap each other count once", "0: 0-9:10,n=10,t=5\n1: 5-14:10 / 5-20:10",
       "tombstone-density merge L0:1 -> L0 run"},
      {"ranges on both sides leave 0.3 of its keys", "0: 0-9:10,n=10,t=6\n1: 0-2:10 / 6-9:10",
       "nothing"},
      {"tombstones only, older than the data that overlaps it",
       "0: 0-9:10,q=50,l=59\n1: 0-9:10,n=10,t=10,q=1,l=49",
       "tombstone-density merge L1:2 -> L1 run"},
      {"tombstones only, but not all are older",
       "0: 0-9:10,q=49,l=59\n1: 0-9:10,n=10,t=10,q=1,l=49", "nothing"},
      {"what overlaps it has tombstones only: no data is older",
       "0: 0-9:20,n=10,t=10,q=50,l=59\n1: 0-9:10,n=10,t=10,q=1,l=49",
       "tombstone-density merge L0:1 -> L0 run"},
      {"the largest of several", "0: 0-9:10,n=10,t=5\n1: 10-19:30,n=10,t=5\n2: 20-29:20,n=10,t=5",
       "tombstone-density merge L1:2 -> L1 run"},
      {"of equal ones the oldest", "0: 0-9:10,n=10,t=5 / 10-19:10,n=10,t=5",
       "tombstone-density merge L0:2 -> L0 run"},
      {"a busy one is passed over", "0: 0-9:10,n=10,t=5\n1: 10-19:30,n=10,t=5,busy",
       "tombstone-density merge L0:1 -> L0 run"},
      {"a busy one still overlaps", "0: 0-9:10,n=10,t=5\n1: 0-9:30,n=10,t=5,busy", "nothing"},
      {"the whole key space", "0: 0-18446744073709551615:10,n=10,t=5",
       "tombstone-density merge L0:1 -> L0 run"},
      {"no threshold needs one tombstone", "0: 0-9:10,n=1000,t=1",
       "tombstone-density merge L0:1 -> L0 run", 100, ",tombstone_threshold=0"},
      {"and not none", "0: 0-9:10,n=1000", "nothing", 100, ",tombstone_threshold=0"},
  };
  for (const DroppableCase& c : cases) {
    INFO(c.why << "\n" << c.tree);
    testing::TreeReader reader(c.tree);
    reader.tree().advance_now(Instant(c.now));
    // A later value of an option replaces an earlier one only in this text.
    std::string rule = std::string(c.more).find("threshold=0") == std::string::npos
                           ? kRule
                           : "tiered:tombstone_compaction_interval=100";
    const auto policy = testing::policy_of_text(rule + c.more);
    REQUIRE(testing::plan_text(testing::pick_on(*policy, reader.tree())) == c.plan);
  }
}

// The newest write is that of the second SSTable, 200; with gc_grace=50 tombstones go up to write
// 150.
TEST_CASE("with gc_grace only tombstones that are old enough count") {
  const DroppableCase cases[] = {
      {"3 of 10 are old enough", "0: 90-99:10,q=1,l=200\n1: 0-9:10,n=10,l=160,d=150x3+160x1",
       "tombstone-density merge L1:2 -> L1 run"},
      {"2 of 10 are the threshold, whatever the young ones are",
       "0: 90-99:10,q=1,l=200\n1: 0-9:10,n=10,l=160,d=150x2+151x8", "nothing"},
      {"all are: they count without their times", "0: 90-99:10,q=1,l=200\n1: 0-9:10,n=10,t=3,l=150",
       "tombstone-density merge L1:2 -> L1 run"},
      {"half of its keys are free, and 0.5 * 0.5 is above 0.2",
       "0: 90-99:10,q=1,l=200\n1: 0-9:10,n=10,l=160,d=150x5+160x5\n2: 5-14:10",
       "tombstone-density merge L1:2 -> L1 run"},
      {"0.5 * 0.4 is not", "0: 90-99:10,q=1,l=200\n1: 0-9:10,n=10,l=160,d=150x4+160x6\n2: 5-14:10",
       "nothing"},
      {"tombstones only, older than what overlaps, but not all may go",
       "0: 0-9:10,q=170,l=200\n1: 0-9:10,n=10,q=1,l=160,d=150x9+160x1", "nothing"},
      {"tombstones only, and all may go",
       "0: 0-9:10,q=170,l=200\n1: 0-9:10,n=10,q=1,l=150,d=150x10",
       "tombstone-density merge L1:2 -> L1 run"},
      {"unchecked: merged if enough are old",
       "0: 0-9:10,q=1,l=200\n1: 0-9:10,n=10,l=160,d=150x3+160x1",
       "tombstone-density merge L1:2 -> L1 run", 100, ",unchecked_tombstone_compaction=true"},
      {"unchecked, but too few are old", "0: 0-9:10,q=1,l=200\n1: 0-9:10,n=10,l=160,d=150x2+160x8",
       "nothing", 100, ",unchecked_tombstone_compaction=true"},
  };
  for (const DroppableCase& c : cases) {
    INFO(c.why << "\n" << c.tree);
    testing::TreeReader reader(c.tree);
    reader.tree().advance_now(Instant(c.now));
    const auto policy = testing::policy_of_text(std::string(kRule) + ",gc_grace=50" + c.more);
    REQUIRE(testing::plan_text(testing::pick_on(*policy, reader.tree())) == c.plan);
  }
}

TEST_CASE("a pending flush goes before a merge of one SSTable") {
  testing::TreeReader reader("1: 0-9:10,n=10,t=9");
  reader.tree().advance_now(Instant(1000));
  reader.tree().begin_flush({Bytes(10), Entries(1), {20, 29}});
  const auto policy = testing::policy_of_text(kRule);
  REQUIRE(testing::plan_text(testing::pick_on(*policy, reader.tree())) ==
          "memtable-full flush -> L0 new");
}

TEST_CASE("a full tier goes before a merge of one SSTable") {
  testing::TreeReader reader("0: 0-9:10 / 0-9:10\n1: 20-29:10,n=10,t=9");
  reader.tree().advance_now(Instant(1000));
  reader.tree().begin_flush({Bytes(10), Entries(1), {0, 9}});
  const auto policy = testing::policy_of_text(std::string(kRule) + ",size_ratio=3");
  REQUIRE(testing::plan_text(testing::pick_on(*policy, reader.tree())) ==
          "sorted-run-count merge L0:1 L0:2 -> L1 new");
}

// The rule on keys 0 to 99: looks at each key of a run.
bool is_worth(const TreeView& tree, const SortedRun& run, double threshold, std::uint64_t interval,
              bool is_unchecked) {
  const File& file = run.files[0];
  const auto tombstones = static_cast<double>(file.tombstones.value());
  const auto entries = static_cast<double>(file.entries.value());
  if (tree.now().value() < file.created.value() + interval) return false;
  if (tombstones / entries <= threshold) return false;
  if (is_unchecked) return true;
  bool overlaps = false;
  bool is_expired = file.tombstones == file.entries;
  int free = 0;
  int keys = 0;
  for (std::uint64_t key = file.keys.smallest; key <= file.keys.largest; ++key) {
    bool is_free = true;
    for (const Level& level : tree.levels()) {
      for (const SortedRun& other : level.runs) {
        const File& theirs = other.files[0];
        if (theirs.id == file.id || key < theirs.keys.smallest || key > theirs.keys.largest)
          continue;
        is_free = false;
        overlaps = true;
        const bool has_data = theirs.tombstones != theirs.entries;
        if (has_data && theirs.sequences.first <= file.sequences.last) is_expired = false;
      }
    }
    ++keys;
    free += is_free ? 1 : 0;
  }
  if (!overlaps || is_expired) return true;
  // In whole numbers where a quotient might round: threshold is a number of hundredths.
  const double left = free * tombstones * 100;
  const double right = std::round(threshold * 100) * entries * keys;
  return left > right + 1e-6 * right;
}

TEST_CASE("tiered takes the SSTable that a search key by key finds") {
  std::mt19937_64 random(5);
  const auto draw = [&](std::uint64_t below) { return random() % below; };
  int picked = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    CAPTURE(trial);
    std::string text;
    for (int level = 0; level < 3; ++level) {
      text += fmt::format("{}:", level);
      const std::uint64_t runs = draw(4);
      for (std::uint64_t i = 0; i < runs; ++i) {
        const std::uint64_t smallest = draw(90);
        const std::uint64_t entries = 1 + draw(30);
        const std::uint64_t tombstones = draw(4) == 0 ? entries : draw(entries + 1);
        const std::uint64_t first = draw(100);
        text += fmt::format("{} {}-{}:{},n={},t={},c={},q={},l={}{}", i > 0 ? " /" : "", smallest,
                            smallest + draw(100 - smallest), 1 + draw(5), entries, tombstones,
                            draw(60), first, first + draw(20), draw(8) == 0 ? ",busy" : "");
      }
      text += "\n";
    }
    INFO(text);
    testing::TreeReader reader(text);
    reader.tree().advance_now(Instant(100));
    const std::uint64_t hundredths = draw(60);
    const std::uint64_t interval = 1 + draw(110);
    const bool is_unchecked = draw(6) == 0;
    DroppableTombstones rule;
    rule.threshold = Decimal(static_cast<std::uint32_t>(hundredths), 100);
    rule.interval = interval;
    rule.is_unchecked = is_unchecked;
    const SortedRun* best = nullptr;
    for (const Level& level : reader.tree().levels()) {
      for (const SortedRun& run : level.runs) {
        const bool is_worth_it = is_worth(reader.tree(), run, static_cast<double>(hundredths) / 100,
                                          interval, is_unchecked);
        REQUIRE(rule.is_worth_merging(reader.tree(), run) == is_worth_it);
        if (!is_worth_it || run.files[0].busy) continue;
        if (best == nullptr || run.files[0].bytes >= best->files[0].bytes) best = &run;
      }
    }
    const std::optional<Plan> plan = rule.pick(reader.tree());
    REQUIRE(plan.has_value() == (best != nullptr));
    if (best == nullptr) continue;
    REQUIRE(plan_inputs(*plan).front().run == best->id);
    REQUIRE(plan_target(*plan).run == best->id);
    ++picked;
  }
  REQUIRE(picked > 1000);
}

TEST_CASE("a rule for single SSTables that is incomplete is refused") {
  const auto fault = [](const std::string& options) {
    const auto made = make_policy(parse_spec("tiered:" + options).value());
    return made ? std::string() : made.error().message;
  };
  REQUIRE(fault("tombstone_threshold=20%").find("needs tombstone_compaction_interval") !=
          std::string::npos);
  REQUIRE(fault("tombstone_compaction_interval=9").find("only with tombstone_threshold") !=
          std::string::npos);
  REQUIRE(fault("unchecked_tombstone_compaction=true").find("only with tombstone_threshold") !=
          std::string::npos);
  REQUIRE(!fault("tombstone_threshold=2,tombstone_compaction_interval=9").empty());
  REQUIRE(!fault("tombstone_threshold=20%,tombstone_compaction_interval=0").empty());
  const auto other = make_policy(parse_spec("leveled:tombstone_compaction_interval=9").value());
  REQUIRE(other.error().message.find("only tiered, cassandra-") != std::string::npos);
}

TEST_CASE("tiered needs keys only with a rule for single SSTables") {
  const auto plain = testing::policy_of_text("tiered");
  REQUIRE(plain->needs() == PolicyNeeds::kSizes);
  REQUIRE(plain->as_stack_policy() != nullptr);
  const auto single = testing::policy_of_text(kRule);
  REQUIRE(single->needs() == PolicyNeeds::kKeys);
  REQUIRE(single->options_that_need_keys() == std::vector<std::string>{"tombstone_threshold"});
  REQUIRE(single->bounds_runs());
  REQUIRE(single->gc_grace() == 0);
  const auto grace = testing::policy_of_text("tiered:gc_grace=7");
  REQUIRE(grace->needs() == PolicyNeeds::kKeys);
  REQUIRE(grace->options_that_need_keys() == std::vector<std::string>{"gc_grace"});
  REQUIRE(grace->bounds_runs());
  REQUIRE(grace->gc_grace() == 7);
}

TEST_CASE("every policy of Cassandra and ScyllaDB takes gc_grace, and others name those that do") {
  int takers = 0;
  for (const PolicyFamily& family : make_policy_families()) {
    const bool is_theirs = family.name.starts_with("cassandra-") ||
                           family.name.starts_with("scylla-") || family.name == "tiered";
    const auto made = make_policy(Spec{family.name, {{"gc_grace", "9"}}});
    INFO(family.name << ": " << (made ? "" : made.error().message));
    if (!is_theirs && family.name == "constant") continue;  // it needs other parameters, too
    REQUIRE(made.has_value() == is_theirs);
    if (made) REQUIRE(made.value().policy->gc_grace() == 9);
    takers += is_theirs ? 1 : 0;
  }
  REQUIRE(takers == 8);
  REQUIRE(make_policy(parse_spec("leveled:gc_grace=9").value()).error().message.find("gc_grace") !=
          std::string::npos);
  REQUIRE(!make_policy(parse_spec("tiered:gc_grace=-1").value()).has_value());
  REQUIRE(!make_policy(parse_spec("tiered:gc_grace=1.5").value()).has_value());
}

}  // namespace
}  // namespace lsmlab::droppable_tombstones_test

// Picks of cassandra-stcs and scylla-stcs on hand-made trees, and runs beside plain lists of sizes.
#include <algorithm>
#include <cmath>
#include <random>

#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/tree_reader.h"

namespace lsmlab::cassandra_stcs_test {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;

// SSTables 1, 2, ... with these sizes, newest first.
std::vector<DrawnFile> sstables(const std::vector<std::uint64_t>& bytes) {
  std::vector<DrawnFile> files;
  for (const std::uint64_t one : bytes) {
    files.push_back({0, files.size() + 1, 10, 90, one, {}, 10});
  }
  return files;
}

TEST_CASE("cassandra-stcs merges a tier of similar sizes") {
  const std::string exact = "min_sstable_size=0";
  check_picks(
      "cassandra-stcs",
      {
          {"three are too few", "", sstables({10, 10, 10}), {}, "nothing"},
          {"four", "", sstables({10, 10, 10, 10}), {}, "merge L0 1,2,3,4 to L0"},
          {"small ones are of one tier, whatever their sizes",
           "",
           sstables({1, 40 * kMebibyte, 3, 20}),
           {},
           "merge L0 1,2,3,4 to L0"},
          {"they need not be neighbours in age",
           exact,
           sstables({10, 100, 10, 10, 100, 10}),
           {},
           "merge L0 1,3,4,6 to L0"},
          {"1.5 times the average is too large", exact, sstables({10, 10, 10, 15}), {}, "nothing"},
          {"of two full tiers the larger SSTables",
           exact,
           sstables({10, 10, 10, 10, 100, 100, 100, 100}),
           {},
           "merge L0 5,6,7,8 to L0"},
          {"no more than max_threshold: the smallest, and of equal ones the oldest",
           exact + ",max_threshold=4",
           sstables({10, 12, 10, 11, 10, 10}),
           {},
           "merge L0 1,3,5,6 to L0"},
          {"a running merge's SSTables do not count",
           exact,
           sstables({10, 10, 10, 10, 10}),
           {2, 3},
           "nothing"},
          {"the others may merge beside it",
           exact,
           sstables({10, 10, 10, 10, 10}),
           {3},
           "merge L0 1,2,4,5 to L0"},
          {"what another policy left in a deeper level is an SSTable, too",
           exact,
           {{0, 1, 10, 90, 10},
            {0, 2, 10, 90, 10},
            {2, 3, 10, 49, 5},
            {2, 4, 50, 90, 5},
            {0, 5, 10, 90, 10}},
           {},
           "merge L0 1,2,5 + L2 3,4 to L2"},
      });
}

TEST_CASE("cassandra-stcs merges the tier of most SSTables where there are lookups") {
  DrawnTree drawn(sstables({100, 100, 100, 100, 10, 10, 10, 10}));
  TreeState& tree = drawn.state();
  PendingFlush flush{Bytes(10), Entries(1), {10, 90}};
  flush.traffic.lookups = 1;
  flush.traffic.writes = 1;
  tree.begin_flush(flush);
  REQUIRE(plan_text(pick_of("cassandra-stcs", "min_sstable_size=0", tree)) == "flush");
  TreeEdit edit;
  edit.takes_memtable = true;
  edit.added.push_back({{0, std::nullopt}, {drawn_file({0, 9, 10, 90, 10}, 1000)}});
  REQUIRE(tree.apply(edit).has_value());
  REQUIRE(plan_text(pick_of("cassandra-stcs", "min_sstable_size=0", tree)) ==
          "merge L0 9,5,6,7,8 to L0");
}

TEST_CASE("Without a full tier an SSTable with many tombstones merges by itself") {
  const std::string tree_text = "0: 0-9:10,n=10,t=3 / 20-29:30,n=10,t=3 / 40-49:90,n=10,t=2";
  const auto plan_at = [&](const std::string& policy, std::uint64_t now) {
    testing::TreeReader reader(tree_text);
    reader.tree().advance_now(Instant(now));
    return testing::plan_text(testing::pick_on(*testing::policy_of_text(policy), reader.tree()));
  };
  const std::string rule = ":min_sstable_size=0,tombstone_threshold=20%";
  const std::string interval = ",tombstone_compaction_interval=100";
  REQUIRE(plan_at("cassandra-stcs:min_sstable_size=0", 1000) == "nothing");
  REQUIRE(plan_at("cassandra-stcs" + rule + interval, 99) == "nothing");
  REQUIRE(plan_at("cassandra-stcs" + rule + interval, 100) ==
          "tombstone-density merge L0:2 -> L0 run");
  // ScyllaDB begins with the largest tier, and its threshold suffices.
  REQUIRE(plan_at("scylla-stcs" + rule + interval, 99) == "nothing");
  REQUIRE(plan_at("scylla-stcs" + rule + interval, 100) ==
          "tombstone-density merge L0:3 -> L0 new");
  REQUIRE(plan_at("scylla-stcs:min_sstable_size=0,tombstone_threshold=21%" + interval, 100) ==
          "tombstone-density merge L0:2 -> L0 new");
  REQUIRE(testing::policy_of_text("cassandra-stcs" + rule + interval)->needs() ==
          PolicyNeeds::kKeys);
  REQUIRE(testing::policy_of_text("cassandra-stcs")->needs() == PolicyNeeds::kSizes);
}

TEST_CASE("scylla-stcs needs sizes only, unless ages count") {
  REQUIRE(testing::policy_of_text("scylla-stcs")->needs() == PolicyNeeds::kSizes);
  REQUIRE(testing::policy_of_text("scylla-stcs:min_sstable_age=0")->needs() == PolicyNeeds::kSizes);
  REQUIRE(testing::policy_of_text("scylla-stcs:min_sstable_age=1")->options_that_need_keys() ==
          std::vector<std::string>{"min_sstable_age"});
  TreeState tree = DrawnTree(sstables({1, 40})).state();
  tree.advance_now(Instant(5));
  REQUIRE(plan_text(pick_of("scylla-stcs", "min_sstable_age=6", tree)) == "nothing");
  REQUIRE(plan_text(pick_of("scylla-stcs", "min_sstable_age=5", tree)) == "merge L0 1,2 to L0");
}

TEST_CASE("scylla-stcs takes the SSTable with the oldest write of the largest tier") {
  testing::TreeReader reader(
      "0: 0-9:30,n=10,t=9,q=50,l=60 / 0-9:32,n=10,t=9,q=5,l=9 / 0-9:10,n=10,t=9,q=1,l=2");
  reader.tree().advance_now(Instant(100));
  const auto policy = testing::policy_of_text(
      "scylla-stcs:enforce_min_threshold=true,min_sstable_size=0,tombstone_threshold=20%,"
      "tombstone_compaction_interval=100");
  REQUIRE(testing::plan_text(testing::pick_on(*policy, reader.tree())) ==
          "tombstone-density merge L0:2 -> L0 new");
}

TEST_CASE("scylla-stcs merges the most SSTables of a size, and pairs if there are no more") {
  const std::string exact = "min_sstable_size=0";
  const std::uint64_t kMegabyte = 1'000'000;
  const std::vector<std::uint64_t> tens(3, 10 * kMegabyte);
  std::vector<std::uint64_t> beside(3, 100 * kMegabyte);
  beside.insert(beside.end(), tens.begin(), tens.end());
  check_picks(
      "scylla-stcs",
      {
          {"a pair", exact, sstables({10, 10}), {}, "merge L0 1,2 to L0"},
          {"not if the threshold is enforced",
           exact + ",enforce_min_threshold=true",
           sstables({10, 10, 10}),
           {},
           "nothing"},
          {"a tier of four goes before a larger one of three",
           exact,
           sstables({100, 100, 100, 10, 10, 10, 10}),
           {},
           "merge L0 4,5,6,7 to L0"},
          {"of equals the smaller", exact, sstables({100, 100, 10, 10}), {}, "merge L0 3,4 to L0"},
          {"small ones are of one tier if all are old",
           "min_sstable_age=0",
           sstables({1, 40}),
           {},
           "merge L0 1,2 to L0"},
          {"and not while one is young", "min_sstable_age=1", sstables({1, 40}), {}, "nothing"},
          {"by default one always is", "", sstables({1, 40}), {}, "nothing"},
          {"beside a merge of three of another weight, three merge",
           exact,
           sstables(beside),
           {1, 2, 3},
           "merge L0 4,5,6 to L0"},
          {"but not two, which would be less efficient",
           exact,
           sstables(beside),
           {1, 2, 3, 4},
           "nothing"},
          {"and none of the same weight",
           exact,
           sstables({10, 10, 10, 100, 100, 100}),
           {1, 2, 3},
           "nothing"},
      });
}

// A store as a list of sizes, oldest first: merges as often as the rule finds something.
struct SizeList {
  std::vector<std::uint64_t> sizes;
  std::uint64_t written = 0;

  template <class Rule>
  void flush(std::uint64_t bytes, const Rule& rule) {
    sizes.push_back(bytes);
    written += bytes;
    while (true) {
      const std::vector<std::size_t> merged = rule(sizes);
      if (merged.empty()) return;
      std::uint64_t sum = 0;
      for (const std::size_t at : merged) sum += sizes[at];
      std::vector<std::uint64_t> left;
      for (std::size_t at = 0; at < sizes.size(); ++at) {
        const bool is_merged = std::find(merged.begin(), merged.end(), at) != merged.end();
        if (!is_merged) left.push_back(sizes[at]);
        if (at == *std::max_element(merged.begin(), merged.end())) left.push_back(sum);
      }
      sizes = left;
      written += sum;
    }
  }
};

// The positions by rising size, cut into lists of similar sizes.
std::vector<std::vector<std::size_t>> loop_tiers(const std::vector<std::uint64_t>& sizes,
                                                 bool is_scylla) {
  std::vector<std::size_t> order;
  for (std::size_t at = 0; at < sizes.size(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
  std::vector<std::vector<std::size_t>> tiers;
  double average = 0;
  for (const std::size_t at : order) {
    const auto size = static_cast<double>(sizes[at]);
    bool joins = !tiers.empty() && size > average / 2 && size < average * 3 / 2;
    if (joins) {
      const auto count = static_cast<double>(tiers.back().size());
      const double grown = (average * count + size) / (count + 1);
      joins = !is_scylla || static_cast<double>(sizes[tiers.back().front()]) > grown / 2;
      if (joins) average = is_scylla ? grown : std::floor(grown);
    }
    if (!joins) {
      tiers.emplace_back();
      average = size;
    }
    tiers.back().push_back(at);
  }
  return tiers;
}

std::vector<std::size_t> cassandra_rule(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::size_t> merged;
  for (const std::vector<std::size_t>& tier : loop_tiers(sizes, false)) {
    if (tier.size() >= 4) merged = tier;  // a later tier has larger SSTables
  }
  if (merged.size() > 6) merged.resize(6);
  return merged;
}

std::vector<std::size_t> scylla_rule(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::size_t> merged;
  for (const std::size_t least : {std::size_t{4}, std::size_t{2}}) {
    for (std::vector<std::size_t> tier : loop_tiers(sizes, true)) {
      if (tier.size() < least) continue;
      if (tier.size() > 6) tier.resize(6);
      if (tier.size() > merged.size()) merged = tier;
    }
    if (!merged.empty()) break;
  }
  return merged;
}

// Runs a policy over sizes alone: a merge's output is the sum of its inputs.
class SizeStore {
 public:
  explicit SizeStore(const std::string& spec) : policy_(testing::policy_of_text(spec)) {}

  void flush(std::uint64_t bytes) {
    tree_.begin_flush({Bytes(bytes), Entries(0), KeyRange{}});
    while (const std::optional<Plan> plan = policy_->pick(tree_)) run(*plan, bytes);
  }
  // Oldest first.
  [[nodiscard]] std::vector<std::uint64_t> sizes() const {
    std::vector<std::uint64_t> sizes;
    for (const SortedRun& run : tree_.levels()[0].runs) sizes.push_back(run.bytes().value());
    std::reverse(sizes.begin(), sizes.end());
    return sizes;
  }

 private:
  void run(const Plan& plan, std::uint64_t flushed) {
    TreeEdit edit;
    File file;
    file.id = tree_.allocate_file_id();
    edit.takes_memtable = std::holds_alternative<FlushPlan>(plan.action);
    if (edit.takes_memtable) {
      file.bytes = Bytes(flushed);
      file.flushes = {tree_.flush_count() + 1, tree_.flush_count() + 1};
    } else {
      file.flushes = {~std::uint64_t{0}, 0};
      edit.is_merge = true;
      for (const PlanInput& input : plan_inputs(plan)) {
        const File& one = tree_.file_at(*tree_.find_file(input.files.front()));
        file.bytes += one.bytes;
        file.flushes = {std::min(file.flushes.first, one.flushes.first),
                        std::max(file.flushes.last, one.flushes.last)};
        edit.removed.push_back(one.id);
      }
    }
    edit.added.push_back({plan_target(plan), {file}});
    REQUIRE(tree_.apply(edit).has_value());
  }

  std::shared_ptr<const Policy> policy_;
  TreeState tree_;
};

TEST_CASE("Over random flushes stcs keeps the SSTables that the rule keeps on a list of sizes") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 12; ++trial) {
    CAPTURE(trial);
    const bool is_scylla = trial % 2 == 1;
    SizeStore store((is_scylla ? "scylla-stcs" : "cassandra-stcs") +
                    std::string(":min_sstable_size=0,max_threshold=6"));
    SizeList list;
    const std::uint64_t spread = 1 + random() % 100'000;
    for (int flush = 0; flush < 600; ++flush) {
      const std::uint64_t bytes = 10'007 + random() % spread;
      store.flush(bytes);
      list.flush(bytes, is_scylla ? scylla_rule : cassandra_rule);
      REQUIRE(store.sizes() == list.sizes);
    }
    REQUIRE(list.written > 0);
  }
}

TEST_CASE("Of equal flushes cassandra-stcs is a counter to base 4") {
  // Four of a size make one of four times the size, so the sizes are the digits of the number of
  // flushes to base 4, and every byte is written once for each digit to the left of its place.
  SizeStore store("cassandra-stcs:min_sstable_size=0");
  for (std::uint64_t flushes = 1; flushes <= 1000; ++flushes) {
    store.flush(100);
    std::vector<std::uint64_t> digits;
    std::uint64_t size = 100;
    for (std::uint64_t rest = flushes; rest > 0; rest /= 4, size *= 4) {
      digits.insert(digits.begin(), rest % 4, size);
    }
    REQUIRE(store.sizes() == digits);
  }
}

TEST_CASE("Of equal flushes scylla-stcs is a counter to base 2, or 4 if it must") {
  for (const std::uint64_t base : {std::uint64_t{2}, std::uint64_t{4}}) {
    SizeStore store(base == 2 ? "scylla-stcs" : "scylla-stcs:enforce_min_threshold=true");
    for (std::uint64_t flushes = 1; flushes <= 1000; ++flushes) {
      store.flush(100);
      std::vector<std::uint64_t> digits;
      std::uint64_t size = 100;
      for (std::uint64_t rest = flushes; rest > 0; rest /= base, size *= base) {
        digits.insert(digits.begin(), rest % base, size);
      }
      REQUIRE(store.sizes() == digits);
    }
  }
}

TEST_CASE("stcs refuses options that contradict each other") {
  const auto fault = [](const std::string& text) {
    const auto made = make_policy(parse_spec(text).value());
    return made ? std::string() : made.error().message;
  };
  for (const std::string family : {"cassandra-stcs", "scylla-stcs"}) {
    const std::string faults =
        fault(family + ":min_threshold=5,max_threshold=4,bucket_low=1,bucket_high=1");
    REQUIRE(faults.find("min_threshold=5 is above max_threshold=4") != std::string::npos);
    REQUIRE(faults.find("bucket_low=1 must be below 1") != std::string::npos);
    REQUIRE(faults.find("bucket_high=1 must be above 1") != std::string::npos);
    REQUIRE(fault(family + ":tombstone_threshold=20%").find("tombstone_compaction_interval") !=
            std::string::npos);
    REQUIRE(!fault(family + ":min_threshold=1").empty());
  }
}

}  // namespace
}  // namespace lsmlab::cassandra_stcs_test

// Picks of scylla-ics on hand-made trees, and next to ScyllaDB's rule as plain loops over sizes.
#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include "testing/catch.h"
#include "testing/drawn_tree.h"

namespace lsmlab::scylla_ics_test {
namespace {

void check(const std::vector<PickCase>& cases) { check_picks("scylla-ics", cases); }

// Files 1, 2, ... of level 0 with these sizes, newest first.
std::vector<DrawnFile> runs(const std::vector<std::uint64_t>& bytes) {
  std::vector<DrawnFile> files;
  for (const std::uint64_t one : bytes) files.push_back({0, files.size() + 1, 10, 90, one, {}, 10});
  return files;
}

const std::string kPlain = "min_sstable_size=0";

TEST_CASE("scylla-ics merges runs of one bucket") {
  check({
      {"one run", kPlain, runs({100}), {}, "nothing"},
      {"a pair of equals", kPlain, runs({100, 100}), {}, "merge L0 1,2 to L0"},
      {"141 is below 1.4142 times 100, and 100 above 0.7071 times 120.5",
       kPlain,
       runs({100, 141}),
       {},
       "merge L0 1,2 to L0"},
      {"142 is not", kPlain, runs({100, 142}), {}, "nothing"},
      {"the old buckets are wider: 149 is below 150",
       kPlain + ",bucket_low=0.5,bucket_high=1.5",
       runs({100, 149}),
       {},
       "merge L0 1,2 to L0"},
      {"150 is not", kPlain + ",bucket_low=0.5,bucket_high=1.5", runs({100, 150}), {}, "nothing"},
      {"the mean drifts: 179 is below 1.4142 times 127, and 100 above 0.7071 times 140",
       kPlain,
       runs({179, 141, 140, 100}),
       {},
       "merge L0 1,2,3,4 to L0"},
      {"180 is not", kPlain, runs({180, 141, 140, 100}), {}, "merge L0 2,3,4 to L0"},
      {"100, 141 and 170 have the mean 137; 190 would make it 150.25, and 100 too small",
       kPlain,
       runs({190, 170, 141, 100}),
       {},
       "merge L0 2,3,4 to L0"},
      {"inputs need not be neighbours in age",
       kPlain,
       runs({100, 10'000, 100, 1}),
       {},
       "merge L0 1,3 to L0"},
      {"runs below min_sstable_size are one bucket, and so is what they reach",
       "min_sstable_size=100",
       runs({1, 10, 99}),
       {},
       "merge L0 1,2,3 to L0"},
      {"100 is not below 100", "min_sstable_size=100", runs({100, 10}), {}, "nothing"},
      {"50 MiB by default", "", runs({1, 52'428'799, 52'428'800}), {}, "merge L0 1,2 to L0"},
  });
}

TEST_CASE("scylla-ics takes the bucket with the most runs") {
  check({
      {"three against two", kPlain, runs({1000, 1000, 10, 10, 10}), {}, "merge L0 3,4,5 to L0"},
      {"of equals the smaller runs", kPlain, runs({1000, 1000, 10, 10}), {}, "merge L0 3,4 to L0"},
      {"four is the threshold",
       kPlain + ",enforce_min_threshold=true",
       runs({9, 9, 9}),
       {},
       "nothing"},
      {"which four reach",
       kPlain + ",enforce_min_threshold=true",
       runs({9, 9, 9, 9}),
       {},
       "merge L0 1,2,3,4 to L0"},
      {"at most max_threshold, the smallest",
       kPlain + ",min_threshold=2,max_threshold=3",
       runs({10, 11, 12, 13}),
       {},
       "merge L0 1,2,3 to L0"},
      {"beyond it, runs do not count: three and four are alike, the smaller runs win",
       kPlain + ",min_threshold=2,max_threshold=3",
       runs({1000, 1000, 1000, 1000, 10, 10, 10}),
       {},
       "merge L0 5,6,7 to L0"},
      {"of equal sizes the oldest",
       kPlain + ",min_threshold=2,max_threshold=2",
       runs({10, 10, 10}),
       {},
       "merge L0 2,3 to L0"},
      {"a busy run is in no bucket", kPlain, runs({10, 10, 10}), {2}, "merge L0 1,3 to L0"},
      {"nor is its partner alone enough", kPlain, runs({10, 10}), {2}, "nothing"},
  });
}

TEST_CASE("scylla-ics merges the two largest buckets when space asks for it") {
  const std::string goal = kPlain + ",space_amplification_goal=1.25";
  check({
      {"25 of 100 is just the goal", goal, runs({25, 100}), {}, "nothing"},
      {"26 is more", goal, runs({26, 100}), {}, "merge L0 1,2 to L0"},
      {"smaller buckets do not count, and stay",
       goal,
       runs({1, 4, 9, 26, 100}),
       {},
       "merge L0 4,5 to L0"},
      {"pairs go first", goal, runs({9, 9, 26, 100}), {}, "merge L0 1,2 to L0"},
      {"not while a run is busy", goal, runs({9, 26, 100}), {1}, "nothing"},
      {"no goal, no merge", kPlain, runs({26, 100}), {}, "nothing"},
      {"whole buckets: 60 of 240",
       goal + ",enforce_min_threshold=true",
       runs({30, 31, 120, 120}),
       {},
       "merge L0 1,2,3,4 to L0"},
  });
}

TEST_CASE("scylla-ics puts small runs together only once none of them is young") {
  const auto plan_at = [](std::uint64_t now) {
    std::vector<DrawnFile> files = runs({1, 10, 500});
    files[0].created = 900;
    files[1].created = 100;
    files[2].created = 950;  // not small
    DrawnTree tree(files);
    tree.state().advance_now(Instant(now));
    return plan_text(
        pick_of("scylla-ics", "min_sstable_size=100,min_sstable_age=200", tree.view()));
  };
  REQUIRE(plan_at(1099) == "nothing");
  REQUIRE(plan_at(1100) == "merge L0 1,2 to L0");
}

TEST_CASE("scylla-ics merges two buckets because of tombstones") {
  // Written at 1000; an hour is 10 operations.
  const auto plan_at = [](std::uint64_t now, const std::vector<std::uint64_t>& tombstones,
                          const std::string& more = "") {
    std::vector<DrawnFile> files = runs({10, 100, 1000});
    for (std::size_t i = 0; i < files.size(); ++i) {
      files[i].entries = 100;
      files[i].tombstones = tombstones[i];
      files[i].created = 1000;
    }
    DrawnTree tree(files);
    tree.state().advance_now(Instant(now));
    return plan_text(pick_of(
        "scylla-ics", kPlain + ",tombstone_threshold=0.2,tombstone_compaction_interval=240" + more,
        tree.view()));
  };
  REQUIRE(plan_at(1009, {99, 99, 99}) == "nothing");           // too young
  REQUIRE(plan_at(1010, {0, 0, 50}) == "merge L0 2,3 to L0");  // the largest, with the second
  REQUIRE(plan_at(1010, {0, 0, 49}) == "nothing");             // half of the entries, at first
  REQUIRE(plan_at(1240, {0, 0, 49}) == "nothing");
  REQUIRE(plan_at(1241, {0, 0, 20}) == "merge L0 2,3 to L0");
  REQUIRE(plan_at(1241, {0, 0, 19}) == "nothing");
  REQUIRE(plan_at(1241, {20, 0, 0}) == "merge L0 1,2 to L0");   // with the next larger one
  REQUIRE(plan_at(1241, {20, 20, 0}) == "merge L0 2,3 to L0");  // the larger bucket first
  REQUIRE(plan_at(1010, {0, 0, 0}, ",unchecked_tombstone_compaction=true") == "merge L0 2,3 to L0");
  REQUIRE(plan_at(1009, {0, 0, 0}, ",unchecked_tombstone_compaction=true") == "nothing");
}

TEST_CASE("scylla-ics writes fragments, and says why it merges") {
  const auto plan = pick_of("scylla-ics", kPlain, DrawnTree(runs({10, 10})).view());
  REQUIRE(plan.has_value());
  REQUIRE(plan->reason == PlanReason::kSizeRatio);
  const auto& merge = std::get<MergePlan>(plan->action);
  REQUIRE(merge.cut.file_bytes == Bytes(std::uint64_t{1000} << 20));
  REQUIRE(merge.drops_tombstones);
  REQUIRE(!merge.target.run);
  const auto space = pick_of("scylla-ics", kPlain + ",space_amplification_goal=1.1",
                             DrawnTree(runs({50, 100})).view());
  REQUIRE(space->reason == PlanReason::kSpaceAmplification);
}

TEST_CASE("scylla-ics refuses options that ScyllaDB refuses") {
  const auto fault = [](const std::string& options) {
    const auto made = make_policy(parse_spec("scylla-ics:" + options).value());
    return made ? std::string() : made.error().message;
  };
  REQUIRE(fault("bucket_low=0").find("bucket_low") != std::string::npos);
  REQUIRE(fault("bucket_low=1").find("bucket_low") != std::string::npos);
  REQUIRE(fault("bucket_high=1").find("bucket_high") != std::string::npos);
  REQUIRE(fault("min_threshold=40").find("max_threshold") != std::string::npos);
  REQUIRE(fault("space_amplification_goal=1").find("above 1") != std::string::npos);
  REQUIRE(fault("tombstone_threshold=0.2").find("need each other") != std::string::npos);
  REQUIRE(fault("unchecked_tombstone_compaction=true").find("applies only") != std::string::npos);
  REQUIRE(fault("space_amplification_goal=2,bucket_low=0.5,min_sstable_size=0").empty());
}

// ScyllaDB's rule over sizes alone, in doubles as there. Runs are numbered by age.
struct SizedRun {
  std::uint64_t id = 0;  // larger: newer
  std::uint64_t bytes = 0;
};

struct Rule {
  double low = 0.7071;
  double high = 1.4142;
  std::uint64_t small = 0;
  std::size_t fewest = 2;
  std::size_t most = 32;
  double goal = 0;
};

std::vector<std::vector<SizedRun>> buckets_of(std::vector<SizedRun> runs, const Rule& rule) {
  std::sort(runs.begin(), runs.end(), [](const SizedRun& a, const SizedRun& b) {
    return a.bytes < b.bytes || (a.bytes == b.bytes && a.id < b.id);
  });
  std::vector<std::vector<SizedRun>> buckets;
  double mean = 0;
  for (const SizedRun& run : runs) {
    const auto size = static_cast<double>(run.bytes);
    if (!buckets.empty()) {
      std::vector<SizedRun>& last = buckets.back();
      const bool similar = size > mean * rule.low && size < mean * rule.high;
      const bool small = run.bytes < rule.small && static_cast<std::uint64_t>(mean) < rule.small;
      const double count = static_cast<double>(last.size());
      const double next = (mean * count + size) / (count + 1);
      const bool fits =
          run.bytes < rule.small || static_cast<double>(last.front().bytes) > next * rule.low;
      if ((similar || small) && fits) {
        last.push_back(run);
        mean = next;
        continue;
      }
    }
    buckets.push_back({run});
    mean = size;
  }
  return buckets;
}

std::vector<SizedRun> choice_of(const std::vector<SizedRun>& runs, const Rule& rule) {
  std::vector<SizedRun> best;
  const auto buckets = buckets_of(runs, rule);
  for (std::vector<SizedRun> bucket : buckets) {
    if (bucket.size() > rule.most) bucket.resize(rule.most);
    if (bucket.size() >= rule.fewest && bucket.size() > best.size()) best = bucket;
  }
  if (!best.empty() || rule.goal == 0 || buckets.size() < 2) return best;
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    for (const SizedRun& run : buckets[buckets.size() - 1 - i]) {
      sums[i] += static_cast<double>(run.bytes);
    }
  }
  if ((sums[0] + sums[1]) / sums[0] <= rule.goal) return {};
  best = buckets.back();
  const auto& second = buckets[buckets.size() - 2];
  best.insert(best.end(), second.begin(), second.end());
  return best;
}

// Flushes of random sizes; the policy on a tree, the rule on a list.
void run_side_by_side(const std::string& options, const Rule& rule, std::uint64_t seed) {
  boost::random::mt19937_64 random(seed);
  boost::random::uniform_int_distribution<std::uint64_t> size(100, 2000);
  const auto configured = make_policy(parse_spec("scylla-ics:" + options).value());
  REQUIRE(configured.has_value());
  TreeState tree;
  std::vector<SizedRun> list;
  for (std::uint64_t flush = 1; flush <= 400; ++flush) {
    CAPTURE(options, seed, flush);
    TreeEdit edit;
    File file = drawn_file({0, tree.allocate_file_id().value(), 1, 9, size(random)}, flush);
    list.push_back({file.id.value(), file.bytes.value()});
    edit.added.push_back({{0, std::nullopt}, {file}});
    REQUIRE(tree.apply(edit).has_value());
    for (;;) {
      const std::optional<Plan> plan = configured.value().policy->pick(tree);
      const std::vector<SizedRun> expected = choice_of(list, rule);
      REQUIRE(plan.has_value() == !expected.empty());
      if (!plan) break;
      std::vector<std::uint64_t> taken;
      std::vector<std::uint64_t> ids;
      TreeEdit merged;
      merged.is_merge = true;
      std::uint64_t bytes = 0;
      for (const PlanInput& input : plan_inputs(*plan)) {
        for (const FileId id : input.files) {
          taken.push_back(id.value());
          bytes += tree.file_at(*tree.find_file(id)).bytes.value();
          merged.removed.push_back(id);
        }
      }
      for (const SizedRun& run : expected) ids.push_back(run.id);
      std::sort(taken.begin(), taken.end());
      std::sort(ids.begin(), ids.end());
      REQUIRE(taken == ids);
      // The output keeps the age of its newest input: ages order equal sizes.
      const File newest = tree.file_at(*tree.find_file(FileId(ids.back())));
      File output = newest;
      output.id = tree.allocate_file_id();
      output.bytes = Bytes(bytes - bytes / 50);
      output.flushes = newest.flushes;
      merged.added.push_back({{0, std::nullopt}, {output}});
      REQUIRE(tree.apply(merged).has_value());
      std::erase_if(list, [&](const SizedRun& run) {
        return std::binary_search(ids.begin(), ids.end(), run.id);
      });
      list.push_back({output.id.value(), output.bytes.value()});
    }
  }
}

TEST_CASE("scylla-ics chooses as ScyllaDB's rule does, over random flushes") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    run_side_by_side("min_sstable_size=0", {}, seed);
    run_side_by_side("min_sstable_size=900", {.small = 900}, seed);
    run_side_by_side("min_sstable_size=0,bucket_low=0.5,bucket_high=1.5", {.low = 0.5, .high = 1.5},
                     seed);
    run_side_by_side("min_sstable_size=0,bucket_low=0.5,bucket_high=2,max_threshold=5",
                     {.low = 0.5, .high = 2, .most = 5}, seed);
    run_side_by_side("min_sstable_size=700,enforce_min_threshold=true", {.small = 700, .fewest = 4},
                     seed);
    run_side_by_side("min_sstable_size=0,space_amplification_goal=1.25", {.goal = 1.25}, seed);
  }
}

}  // namespace
}  // namespace lsmlab::scylla_ics_test

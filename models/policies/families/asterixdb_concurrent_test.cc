// Picks of asterixdb-concurrent on hand-made trees, and next to AsterixDB's rules as plain loops.
#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/sized_store.h"

namespace lsmlab::asterixdb_concurrent_test {
namespace {

void check(const std::vector<PickCase>& cases) { check_picks("asterixdb-concurrent", cases); }

// Files 1, 2, ... of level 0 with these sizes, newest first.
std::vector<DrawnFile> runs(const std::vector<std::uint64_t>& bytes) {
  std::vector<DrawnFile> files;
  for (const std::uint64_t one : bytes) files.push_back({0, files.size() + 1, 10, 90, one, {}, 10});
  return files;
}

const std::string kSmall =
    "min_merge_component_count=3,max_merge_component_count=5,max_component_count=10,"
    "component_size_ratio=1";

TEST_CASE("asterixdb-concurrent merges the newest components that fit") {
  check({
      {"6 is as large as the others together",
       kSmall,
       runs({1, 2, 3, 6}),
       {},
       "merge L0 1,2,3,4 to L0"},
      {"too few", kSmall, runs({1, 2}), {}, "nothing"},
      {"7 is larger, 3 is not", kSmall, runs({1, 2, 3, 7}), {}, "merge L0 1,2,3 to L0"},
      {"at most five, from the oldest that fits",
       kSmall,
       runs({1, 2, 3, 4, 5, 6, 7, 100}),
       {},
       "merge L0 3,4,5,6,7 to L0"},
      {"only components newer than a busy one",
       kSmall,
       runs({1, 2, 3, 4, 5, 6, 7, 100}),
       {5},
       "merge L0 1,2,3,4 to L0"},
      {"nothing fits", kSmall, runs({1, 2, 4, 8, 16, 32}), {}, "nothing"},
      {"nothing fits, and there are ten",
       kSmall,
       runs({1, 2, 4, 8, 16, 32, 64, 128, 256, 512}),
       {},
       "merge L0 1,2,3,4,5,6,7,8,9,10 to L0"},
      {"but one is busy", kSmall, runs({1, 2, 4, 8, 16, 32, 64, 128, 256, 512}), {10}, "nothing"},
      {"the ratio is 1.2 by default", "", runs({10, 10, 24}), {}, "merge L0 1,2,3 to L0"},
      {"and 25 is too large for it", "", runs({10, 10, 25}), {}, "nothing"},
  });
}

TEST_CASE("asterixdb-concurrent bounds the size of a merge's inputs") {
  check({
      {"all are below the bound",
       kSmall + ",max_component_size=13",
       runs({1, 2, 3, 6}),
       {},
       "merge L0 1,2,3,4 to L0"},
      {"12 is not below 12: 2, 3 and 6 do not fit by ratio, 1, 2 and 3 do",
       kSmall + ",max_component_size=12",
       runs({1, 2, 3, 6}),
       {},
       "merge L0 1,2,3 to L0"},
      {"one more than the largest number",
       kSmall + ",max_component_size=1000",
       runs({9, 9, 9, 9, 9, 9, 9}),
       {},
       "merge L0 2,3,4,5,6,7 to L0"},
      {"however many there are, they do not merge by number",
       kSmall + ",max_component_size=1000000",
       runs({1, 2, 4, 8, 16, 32, 64, 128, 256, 512}),
       {},
       "nothing"},
  });
}

TEST_CASE("asterixdb-concurrent keeps deletes unless it takes the oldest component") {
  const auto drops = [](const std::vector<std::uint64_t>& bytes) {
    const auto plan = pick_of("asterixdb-concurrent", kSmall, DrawnTree(runs(bytes)).view());
    REQUIRE(plan.has_value());
    return std::get<MergePlan>(plan->action).drops_tombstones;
  };
  REQUIRE(drops({1, 2, 3, 6}));
  REQUIRE(!drops({1, 2, 3, 7}));
}

TEST_CASE("asterixdb-concurrent refuses a largest merge below the smallest") {
  const auto made =
      make_policy(parse_spec("asterixdb-concurrent:min_merge_component_count=11").value());
  REQUIRE(!made.has_value());
  REQUIRE(made.error().message.find("max_merge_component_count") != std::string::npos);
}

struct Rule {
  std::size_t fewest = 3;
  std::size_t most = 10;
  std::size_t components = 30;
  double ratio = 1.2;
  std::uint64_t bound = 0;
};

// Newest first; the result is [first, last], or {1, 0} for nothing.
std::pair<std::size_t, std::size_t> choice_of(const std::vector<std::uint64_t>& all,
                                              const std::vector<bool>& busy, const Rule& rule) {
  std::size_t idle = 0;
  while (idle < all.size() && !busy[idle]) ++idle;
  for (std::size_t last = idle; last-- > 0;) {
    if (last + 1 < rule.fewest) break;
    const auto at = static_cast<std::int64_t>(last);
    const std::int64_t width = static_cast<std::int64_t>(rule.most) + (rule.bound > 0 ? 1 : 0);
    const std::int64_t left = std::max<std::int64_t>(at - width + 1, 0);
    std::int64_t first = at;
    std::uint64_t sum = all[last];
    while (first - 1 >= left) {
      const std::uint64_t next = all[static_cast<std::size_t>(first - 1)];
      if (rule.bound > 0 && sum + next >= rule.bound) break;
      sum += next;
      --first;
    }
    const auto count = static_cast<std::size_t>(at - first + 1);
    const auto others = static_cast<double>(sum - all[last]);
    if (count >= rule.fewest && static_cast<double>(all[last]) <= rule.ratio * others) {
      return {static_cast<std::size_t>(first), last};
    }
  }
  const bool all_idle = idle == all.size();
  if (rule.bound == 0 && all_idle && all.size() >= rule.components) return {0, all.size() - 1};
  return {1, 0};
}

void run_side_by_side(const std::string& options, const Rule& rule, std::uint64_t seed) {
  CAPTURE(options, seed);
  boost::random::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t from, std::uint64_t to) {
    return boost::random::uniform_int_distribution<std::uint64_t>(from, to)(random);
  };
  const auto policy = make_policy(parse_spec("asterixdb-concurrent:" + options).value());
  REQUIRE(policy.has_value());
  testing::SizedStore store(*policy.value().policy);
  for (int flush = 0; flush < 400; ++flush) {
    store.begin_flush(draw(1, 1000));
    while (const std::optional<Plan> plan = store.pick()) {
      store.run(*plan);
      std::vector<std::uint64_t> bytes;
      std::vector<bool> busy;
      TreeState tree = store.tree();
      if (tree.levels().empty()) continue;
      for (const SortedRun& run : tree.levels()[0].runs) {
        bytes.push_back(run.bytes().value());
        busy.push_back(draw(0, 19) == 0);
        if (!busy.back()) continue;
        const Plan hold{
            PlanReason::kSizeRatio, MovePlan{{input_of(0, run, run.files)}, {1, std::nullopt}}, {}};
        REQUIRE(tree.reserve(hold).has_value());
      }
      const auto [first, last] = choice_of(bytes, busy, rule);
      const std::optional<Plan> next = policy.value().policy->pick(tree);
      REQUIRE(next.has_value() == (first <= last));
      if (!next) continue;
      const std::vector<PlanInput> inputs = plan_inputs(*next);
      REQUIRE(inputs.size() == last - first + 1);
      REQUIRE(inputs.front().run == tree.levels()[0].runs[first].id);
    }
  }
}

TEST_CASE("asterixdb-concurrent chooses as AsterixDB's rules do, over random flushes") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    run_side_by_side("max_merge_component_count=10", {}, seed);
    run_side_by_side(kSmall, {.fewest = 3, .most = 5, .components = 10, .ratio = 1}, seed);
    run_side_by_side("component_size_ratio=0.25,max_component_count=8",
                     {.components = 8, .ratio = 0.25}, seed);
    run_side_by_side("max_component_size=20000", {.bound = 20000}, seed);
    run_side_by_side(kSmall + ",max_component_size=5000",
                     {.fewest = 3, .most = 5, .ratio = 1, .bound = 5000}, seed);
  }
}

}  // namespace
}  // namespace lsmlab::asterixdb_concurrent_test

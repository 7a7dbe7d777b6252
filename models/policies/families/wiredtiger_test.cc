// wiredtiger over hand-made histories, and next to __lsm_merge_span as a plain loop over chunks.
#include <algorithm>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/uniform_int_distribution.hpp>

#include "testing/catch.h"
#include "testing/drawn_tree.h"
#include "testing/sized_store.h"

namespace lsmlab::wiredtiger_test {
namespace {

ConfiguredPolicy policy_of(const std::string& options) {
  auto made =
      make_policy(parse_spec(options.empty() ? "wiredtiger" : "wiredtiger:" + options).value());
  INFO(options << (made ? "" : made.error().message));
  REQUIRE(made.has_value());
  return std::move(made).value();
}

std::string state_after(const std::string& options, int flushes) {
  const ConfiguredPolicy policy = policy_of(options);
  testing::SizedStore store(*policy.policy);
  for (int flush = 0; flush < flushes; ++flush) store.flush(1);
  return store.text();
}

TEST_CASE("wiredtiger merges merge_min chunks of one generation") {
  REQUIRE(state_after("", 6) == "1,1,1,1,1,1");
  REQUIRE(state_after("", 7) == "/7");
  REQUIRE(state_after("", 48) == "1,1,1,1,1,1/7,7,7,7,7,7");
  REQUIRE(state_after("", 49) == "//49");
  REQUIRE(state_after("merge_max=4", 3) == "1/2");  // merge_min is 2
  REQUIRE(state_after("merge_max=4", 4) == "//4");
}

TEST_CASE("wiredtiger leaves generations above the worker's number alone") {
  // 2^5 flushes would be one chunk of generation 5.
  REQUIRE(state_after("merge_max=4,worker=2", 32) == "///8,8,8,8");
  REQUIRE(state_after("merge_max=4,worker=4", 32) == "/////32");
  REQUIRE(state_after("merge_max=4,worker=0", 6) == "/2,2,2");
}

TEST_CASE("wiredtiger keeps merges within chunk_max") {
  // Chunks of 7; 7 of them would be 49.
  REQUIRE(state_after("chunk_max=48", 49) == "/7,7,7,7,7,7,7");
  REQUIRE(state_after("chunk_max=48,merge_max=6", 27) == "///27");
  // Of 20 runs, the newest go until the rest is within the bound; merge_min are left.
  REQUIRE(state_after("chunk_max=6", 9) == "1,1,1,1,1,1,1,1,1");
}

TEST_CASE("wiredtiger takes up to merge_max chunks, the oldest of the generation") {
  const ConfiguredPolicy policy = policy_of("merge_max=4,merge_min=3");
  const auto pick = [&](int count, const std::vector<std::uint64_t>& busy = {}) {
    std::vector<DrawnFile> files;
    for (int i = 1; i <= count; ++i) {
      files.push_back({0, static_cast<std::uint64_t>(i), 1, 9, 10});
    }
    DrawnTree tree(files);
    for (const std::uint64_t id : busy) tree.set_busy(id);
    return plan_text(policy.policy->pick(tree.view()));
  };
  REQUIRE(pick(2) == "nothing");
  REQUIRE(pick(3) == "merge L0 1,2,3 to L1");
  REQUIRE(pick(4) == "merge L0 1,2,3,4 to L1");
  REQUIRE(pick(6) == "merge L0 3,4,5,6 to L1");
  REQUIRE(pick(6, {1}) == "merge L0 3,4,5,6 to L1");
  REQUIRE(pick(6, {6}) == "merge L0 3,4,5 to L1");  // 2 goes, because 6 is of the same generation
  REQUIRE(pick(6, {3}) == "nothing");               // 1 and 2 are too few
}

TEST_CASE("wiredtiger keeps deletes unless it takes the oldest chunk") {
  const ConfiguredPolicy policy = policy_of("merge_max=4,merge_min=2");
  const auto drops = [&](const std::vector<DrawnFile>& files) {
    const auto plan = policy.policy->pick(DrawnTree(files).view());
    REQUIRE(plan.has_value());
    return std::get<MergePlan>(plan->action).drops_tombstones;
  };
  REQUIRE(drops({{0, 1, 1, 9, 10}, {0, 2, 1, 9, 10}}));
  REQUIRE(!drops({{0, 1, 1, 9, 10}, {0, 2, 1, 9, 10}, {1, 3, 1, 9, 10}}));
}

TEST_CASE("wiredtiger merges across generations when it is aggressive") {
  const ConfiguredPolicy policy = policy_of("merge_max=4,merge_min=3,aggressiveness=1");
  const auto pick = [&](const ConfiguredPolicy& of, const std::vector<DrawnFile>& files) {
    return plan_text(of.policy->pick(DrawnTree(files).view()));
  };
  const std::vector<DrawnFile> two{{0, 1, 1, 9, 10}, {0, 2, 1, 9, 10}, {1, 3, 1, 9, 10}};
  const std::vector<DrawnFile> far{{0, 1, 1, 9, 10}, {0, 2, 1, 9, 10}, {2, 3, 1, 9, 10}};
  REQUIRE(pick(policy, two) == "merge L0 1,2 + L1 3 to L2");
  REQUIRE(pick(policy, far) == "nothing");
  REQUIRE(pick(policy_of("merge_max=4,merge_min=3"), two) == "nothing");
  REQUIRE(pick(policy_of("merge_max=4,merge_min=3,aggressiveness=3"), {far[0], far[1]}) ==
          "merge L0 1,2 to L1");
}

TEST_CASE("wiredtiger refuses a smallest merge above the largest") {
  const auto made = make_policy(parse_spec("wiredtiger:merge_max=4,merge_min=5").value());
  REQUIRE(!made.has_value());
  REQUIRE(made.error().message.find("merge_min=5") != std::string::npos);
}

// Chunks as WiredTiger has them: the oldest first.
struct Chunk {
  std::uint64_t bytes = 0;
  unsigned generation = 0;
  bool is_merging = false;
};

struct Rule {
  unsigned max = 15;
  unsigned min = 7;
  std::uint64_t chunk_max = ~std::uint64_t{0};
  unsigned worker = 2;
  unsigned aggressive = 0;
};

// The chunks [first, first + second) that merge; second is 0 if none do.
std::pair<std::size_t, std::size_t> span_of(const std::vector<Chunk>& chunks, const Rule& rule) {
  const unsigned max = rule.aggressive > 2 ? 100 : rule.max;
  const unsigned min = rule.aggressive > 2 ? 2 : rule.min;
  const unsigned gap = (rule.aggressive + 4) / 5;
  unsigned level0 = 0;
  for (const Chunk& chunk : chunks) level0 += chunk.generation == 0 && !chunk.is_merging ? 1 : 0;
  const bool is_throttled = level0 >= 2 * rule.min && chunks.size() >= rule.max;
  const unsigned level_max = is_throttled ? 0 : rule.worker + rule.aggressive;
  if (chunks.empty()) return {0, 0};
  std::size_t end = chunks.size() - 1;
  while (end > 0 && chunks[end].is_merging) --end;
  for (;; --end) {
    if (end + 1 < min) return {0, 0};
    unsigned youngest = chunks[end].generation;
    unsigned oldest = youngest;
    std::uint64_t size = 0;
    std::size_t start = end + 1;
    bool again = false;
    while (start > 0) {
      const Chunk& chunk = chunks[start - 1];
      std::size_t count = end + 1 - start;
      if (chunk.is_merging || chunk.generation > level_max) break;
      if (count >= min && chunk.generation > youngest + gap) break;
      size += chunk.bytes;
      if (size > rule.chunk_max) {
        if (count < min) break;
        const bool slides = chunk.generation <= chunks[end].generation ||
                            size - chunks[end].bytes <= rule.chunk_max;
        if (!slides) break;
      }
      if (chunk.generation < youngest) {
        youngest = chunk.generation;
      } else if (chunk.generation > oldest) {
        oldest = chunk.generation;
      }
      if (oldest - youngest > gap) break;
      --start;
      ++count;
      const bool is_full = count == max;
      again = size > rule.chunk_max ||
              (is_full && start > 0 && chunks[start - 1].generation == chunk.generation);
      if (again || is_full) break;
    }
    if (again) continue;
    const std::size_t count = end + 1 - start;
    if (count >= min && oldest - youngest <= gap) return {start, count};
    if (end <= rule.min || oldest - youngest <= gap) return {0, 0};
  }
}

void run_side_by_side(const std::string& options, const Rule& rule, std::uint64_t seed) {
  CAPTURE(options, seed);
  boost::random::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t from, std::uint64_t to) {
    return boost::random::uniform_int_distribution<std::uint64_t>(from, to)(random);
  };
  const ConfiguredPolicy policy = policy_of(options);
  testing::SizedStore store(*policy.policy);
  for (int flush = 0; flush < 600; ++flush) {
    store.begin_flush(draw(50, 150));
    while (const std::optional<Plan> plan = store.pick()) {
      store.run(*plan);
      TreeState tree = store.tree();
      std::vector<std::pair<std::uint64_t, Chunk>> aged;
      std::vector<Plan> holds;
      for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
        for (const SortedRun& run : tree.levels()[level].runs) {
          const bool is_merging = draw(0, 14) == 0;
          aged.push_back({run.flushes.last, {run.bytes().value(), level, is_merging}});
          if (!is_merging) continue;
          holds.push_back({PlanReason::kSizeRatio,
                           MovePlan{{input_of(level, run, run.files)}, {level + 1, {}}},
                           {}});
        }
      }
      for (const Plan& hold : holds) REQUIRE(tree.reserve(hold).has_value());
      std::sort(aged.begin(), aged.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      std::vector<Chunk> chunks;
      for (const auto& [age, chunk] : aged) chunks.push_back(chunk);
      const auto [first, count] = span_of(chunks, rule);
      const std::optional<Plan> next = policy.policy->pick(tree);
      REQUIRE(next.has_value() == (count > 0));
      if (!next) continue;
      const std::vector<PlanInput> inputs = plan_inputs(*next);
      REQUIRE(inputs.size() == count);
      const FileId oldest = inputs.back().files.front();
      REQUIRE(tree.file_at(*tree.find_file(oldest)).flushes.last == aged[first].first);
    }
  }
}

TEST_CASE("wiredtiger chooses as __lsm_merge_span does, over random flushes") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    run_side_by_side("", {}, seed);
    run_side_by_side("merge_max=4", {.max = 4, .min = 2}, seed);
    run_side_by_side("merge_max=5,merge_min=3,worker=6", {.max = 5, .min = 3, .worker = 6}, seed);
    run_side_by_side("merge_max=4,chunk_max=1500", {.max = 4, .min = 2, .chunk_max = 1500}, seed);
    run_side_by_side("merge_max=6,merge_min=3,chunk_max=700,worker=4",
                     {.max = 6, .min = 3, .chunk_max = 700, .worker = 4}, seed);
    run_side_by_side("merge_max=6,aggressiveness=1", {.max = 6, .min = 3, .aggressive = 1}, seed);
    run_side_by_side("merge_max=6,aggressiveness=2,worker=0",
                     {.max = 6, .min = 3, .worker = 0, .aggressive = 2}, seed);
    run_side_by_side("aggressiveness=7,chunk_max=4000", {.chunk_max = 4000, .aggressive = 7}, seed);
  }
}

}  // namespace
}  // namespace lsmlab::wiredtiger_test

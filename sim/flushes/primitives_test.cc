// Primitives of whole sorted runs at resolution flush: leveling and tiering against closed forms,
// and every layout against a brute-force model that is written from the rules alone.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "testing/catch.h"
#include "testing/runs.h"

namespace lsmlab::primitives_test {
namespace {

constexpr std::uint64_t kFlush = 1000;  // bytes

// What the closed forms say, in flushes.
struct Expected {
  std::uint64_t merges = 0;
  std::uint64_t moves = 0;
  std::uint64_t merged = 0;           // flushes that merges wrote
  std::vector<std::uint64_t> levels;  // flushes in level 1, 2, ...
  std::uint64_t runs = 0;             // at the end
};

// Level i takes T runs of T^(i-1) flushes: after n flushes it has the i-th digit of n in base T.
Expected expected_tiering(std::uint64_t flushes, std::uint64_t ratio) {
  Expected expected;
  expected.moves = flushes;  // from level 0
  for (std::uint64_t run = 1; run <= flushes; run *= ratio) {
    const std::uint64_t digit = flushes / run % ratio;
    expected.levels.push_back(digit * run);
    expected.runs += digit;
    if (run == 1) continue;
    expected.merges += flushes / run;
    expected.merged += flushes / run * run;
  }
  return expected;
}

// Level i holds at most `base` * T^(i-1) flushes. Each arrival brings it what the level above holds
// when that is full, so it is full, and empties, at the first multiple of that above its capacity.
// The first of these arrivals is a move.
Expected expected_leveling(std::uint64_t flushes, std::uint64_t ratio, std::uint64_t base) {
  Expected expected;
  std::uint64_t unit = 1;
  for (std::uint64_t capacity = base; unit <= flushes; capacity *= ratio) {
    const std::uint64_t arrivals = flushes / unit;
    const std::uint64_t period = capacity / unit + 1;
    const std::uint64_t rest = arrivals % period;
    const std::uint64_t whole_periods = arrivals / period;
    expected.moves += whole_periods + (rest > 0 ? 1 : 0);
    expected.merges += arrivals;
    expected.merged += unit * (whole_periods * (period * (period + 1) / 2 - 1) +
                               (rest > 0 ? rest * (rest + 1) / 2 - 1 : 0));
    expected.levels.push_back(rest * unit);
    expected.runs += rest > 0 ? 1 : 0;
    unit *= period;
  }
  expected.merges -= expected.moves;
  return expected;
}

void require_expected(const std::string& policy, std::uint64_t flushes, const Expected& expected) {
  INFO(policy << ", " << flushes << " flushes");
  const FlushRun run = testing::run_tree(
      policy, testing::flushes_of(fmt::format("count={},size={}", flushes, kFlush)));
  REQUIRE(run.totals.flush_bytes_written == Uint128{flushes} * kFlush);
  REQUIRE(run.totals.merge_bytes_written == Uint128{expected.merged} * kFlush);
  REQUIRE(run.totals.merge_bytes_read == run.totals.merge_bytes_written);
  REQUIRE(run.totals.merges == expected.merges);
  REQUIRE(run.totals.moves == expected.moves);
  std::uint64_t runs = 0;
  for (std::size_t level = 0; level < run.final_levels.size(); ++level) {
    const std::uint64_t flushed =
        level == 0 || level > expected.levels.size() ? 0 : expected.levels[level - 1];
    REQUIRE(run.final_levels[level].bytes == Uint128{flushed} * kFlush);
    REQUIRE(run.final_levels[level].files == run.final_levels[level].runs);
    runs += run.final_levels[level].runs;
  }
  REQUIRE(runs == expected.runs);
}

std::vector<std::uint64_t> flush_counts() {
  std::vector<std::uint64_t> counts;
  for (std::uint64_t n = 1; n <= 70; ++n) counts.push_back(n);
  counts.insert(counts.end(), {625, 1000, 1024, 4095, 30'000});
  return counts;
}

TEST_CASE("whole-run tiering writes what its closed form says") {
  for (const std::uint64_t ratio : {2u, 3u, 4u, 10u}) {
    const std::string policy = fmt::format("primitives:layout=tiering,size_ratio={}", ratio);
    for (const std::uint64_t flushes : flush_counts()) {
      require_expected(policy, flushes, expected_tiering(flushes, ratio));
    }
  }
}

TEST_CASE("whole-level leveling writes what its closed form says") {
  for (const std::uint64_t ratio : {2u, 3u, 4u, 10u}) {
    for (const std::uint64_t base : {std::uint64_t{1}, ratio - 1, ratio, 5 * ratio + 1}) {
      const std::string policy =
          fmt::format("primitives:layout=leveling,granularity=level,size_ratio={},level_base={}",
                      ratio, base * kFlush);
      for (const std::uint64_t flushes : flush_counts()) {
        require_expected(policy, flushes, expected_leveling(flushes, ratio, base));
      }
    }
  }
}

// A policy of whole runs, as the rules say it, with vectors of sizes for levels.
struct RunRules {
  std::string layout;
  std::vector<std::uint64_t> limits;  // of levels 1, 2, ...; the last one repeats; 1: leveled
  std::vector<char> triggers;         // 'r'uns, level 's'aturation, space 'a'mplification
  std::uint64_t level0_runs = 1;
  std::uint64_t ratio = 3;
  std::uint64_t base = 4500;
  std::uint64_t amplification_percent = 200;
};

class RunModel {
 public:
  explicit RunModel(RunRules rules) : rules_(std::move(rules)), levels_(64) {}

  void flush(std::uint64_t bytes) {
    levels_[0].insert(levels_[0].begin(), bytes);
    while (step()) continue;
  }

  std::uint64_t merges = 0;
  std::uint64_t moves = 0;
  Uint128 merged_bytes = 0;

  // Oldest first.
  [[nodiscard]] StackSnapshot stack() const {
    StackSnapshot stack;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      for (std::size_t run = levels_[level].size(); run-- > 0;) {
        stack.bytes.push_back(levels_[level][run]);
        stack.levels.push_back(static_cast<std::uint32_t>(level));
      }
    }
    return stack;
  }

 private:
  using Runs = std::vector<std::uint64_t>;  // newest first

  [[nodiscard]] std::size_t deepest() const {
    std::size_t level = levels_.size() - 1;
    while (level > 0 && levels_[level].empty()) --level;
    return level;
  }
  [[nodiscard]] static std::uint64_t sum(const Runs& runs) {
    std::uint64_t bytes = 0;
    for (const std::uint64_t run : runs) bytes += run;
    return bytes;
  }
  [[nodiscard]] std::uint64_t limit(std::size_t level) const {
    if (level == 0) return rules_.level0_runs;
    if (rules_.layout == "l-leveling") return level >= deepest() ? 1 : rules_.limits[0];
    return rules_.limits[std::min(level, rules_.limits.size()) - 1];
  }
  [[nodiscard]] bool is_leveled(std::size_t level) const {
    return level > 0 && limit(level) == 1 && levels_[level].size() <= 1;
  }
  [[nodiscard]] double capacity(std::size_t level) const {
    double bytes = static_cast<double>(rules_.base);
    for (std::size_t i = 1; i < level; ++i) bytes *= static_cast<double>(rules_.ratio);
    return bytes;
  }

  // All runs of the level go down as one.
  bool push(std::size_t level) {
    Runs taken = std::move(levels_[level]);
    const bool joins = is_leveled(level + 1) && !levels_[level + 1].empty();
    levels_[level].clear();
    Runs& below = levels_[level + 1];
    if (taken.size() == 1 && !joins) {
      ++moves;
      below.insert(below.begin(), taken.front());
      return true;
    }
    std::uint64_t bytes = sum(taken);
    if (joins) {
      bytes += below.front();
      below.clear();
    }
    ++merges;
    merged_bytes += bytes;
    below.insert(below.begin(), bytes);
    return true;
  }

  bool step() {
    const bool asks_runs =
        std::find(rules_.triggers.begin(), rules_.triggers.end(), 'r') != rules_.triggers.end();
    if (!asks_runs && levels_[0].size() >= rules_.level0_runs) return push(0);
    for (const char trigger : rules_.triggers) {
      const bool done = trigger == 'r' ? by_runs() : trigger == 's' ? by_size() : by_space();
      if (done) return true;
    }
    return false;
  }

  bool by_runs() {
    for (std::size_t level = 0; level <= deepest(); ++level) {
      const std::uint64_t most = level > 0 && limit(level) == 1 ? 2 : limit(level);
      if (levels_[level].size() >= most) return push(level);
    }
    return false;
  }

  bool by_size() {
    std::optional<std::size_t> fullest;
    double most = 1;
    for (std::size_t level = 1; level <= deepest(); ++level) {
      if (limit(level) > 1 && rules_.layout != "tiering") continue;
      const double fullness = static_cast<double>(sum(levels_[level])) / capacity(level);
      if (fullness <= most) continue;
      most = fullness;
      fullest = level;
    }
    return fullest && push(*fullest);
  }

  bool by_space() {
    std::size_t runs = 0;
    std::uint64_t bytes = 0;
    for (const Runs& level : levels_) {
      runs += level.size();
      bytes += sum(level);
    }
    const std::uint64_t oldest = levels_[deepest()].back();
    if (runs < 2 || 100 * (bytes - oldest) < oldest * rules_.amplification_percent) return false;
    std::size_t target = deepest();
    const bool saturates =
        std::find(rules_.triggers.begin(), rules_.triggers.end(), 's') != rules_.triggers.end();
    while (saturates && is_leveled(target) && is_leveled(target + 1) &&
           capacity(target) < static_cast<double>(bytes)) {
      ++target;
    }
    for (Runs& level : levels_) level.clear();
    levels_[target] = {bytes};
    ++merges;
    merged_bytes += bytes;
    return true;
  }

  RunRules rules_;
  std::vector<Runs> levels_;
};

struct RunCase {
  std::string policy;
  RunRules rules;
};

std::vector<RunCase> run_cases() {
  const std::string leveling = "primitives:layout=leveling,granularity=level,level_base=4500";
  const std::string hybrid = "primitives:layout=hybrid,granularity=level,level_base=4500,";
  return {
      {"primitives:layout=tiering,tier_runs=3", {"tiering", {3}, {'r'}}},
      {"primitives:layout=tiering,tier_runs=4,l0_trigger=3", {"tiering", {4}, {'r'}, 3}},
      {"primitives:layout=tiering,tier_runs=3,trigger=sorted-runs+space-amplification",
       {"tiering", {3}, {'r', 'a'}}},
      {"primitives:layout=tiering,tier_runs=5,trigger=space-amplification+sorted-runs,"
       "space_amplification_percent=50",
       {"tiering", {5}, {'a', 'r'}, 1, 3, 0, 50}},
      {"primitives:layout=tiering,tier_runs=4,trigger=level-saturation+sorted-runs,"
       "size_ratio=3,level_base=4500",
       {"tiering", {4}, {'s', 'r'}}},
      {leveling + ",size_ratio=3", {"leveling", {1}, {'s'}}},
      {leveling + ",size_ratio=2,l0_trigger=4", {"leveling", {1}, {'s'}, 4, 2}},
      {leveling + ",size_ratio=3,trigger=level-saturation+space-amplification",
       {"leveling", {1}, {'s', 'a'}}},
      {leveling + ",size_ratio=3,trigger=space-amplification+level-saturation,"
                  "space_amplification_percent=30",
       {"leveling", {1}, {'a', 's'}, 1, 3, 4500, 30}},
      {"primitives:layout=1-leveling,granularity=level,size_ratio=3,level_base=4500",
       {"1-leveling", {1}, {'r', 's'}, 4}},
      {"primitives:layout=l-leveling,tier_runs=3,size_ratio=3,level_base=4500",
       {"l-leveling", {3}, {'r', 's'}}},
      {"primitives:layout=l-leveling,granularity=level,tier_runs=5,size_ratio=3,level_base=4500",
       {"l-leveling", {5}, {'r', 's'}}},
      {hybrid + "runs=4/2/1,size_ratio=3", {"hybrid", {4, 2, 1}, {'r', 's'}}},
      {hybrid + "runs=1/3/1/2,size_ratio=3,l0_trigger=2", {"hybrid", {1, 3, 1, 2}, {'r', 's'}, 2}},
  };
}

void require_same(const RunCase& test, const std::string& parameters) {
  INFO(test.policy << " on " << parameters);
  const FlushWorkload workload = testing::flushes_of(parameters);
  const FlushRun run = testing::run_tree(test.policy, workload, 3);
  RunModel model(test.rules);
  std::uint64_t depth_sum = 0;
  std::size_t flush = 0;
  for (const std::uint64_t bytes : testing::sizes_of(workload, 3)) {
    model.flush(bytes);
    const StackSnapshot stack = model.stack();
    depth_sum += stack.bytes.size();
    if (run.stacks.empty()) continue;
    INFO("after flush " << flush + 1 << ": " << testing::stack_text(run.stacks[flush])
                        << " and not " << testing::stack_text(stack));
    REQUIRE(run.stacks[flush] == stack);
    ++flush;
  }
  REQUIRE(run.totals.merges == model.merges);
  REQUIRE(run.totals.moves == model.moves);
  REQUIRE(run.totals.merge_bytes_written == model.merged_bytes);
  REQUIRE(run.runs.sum == depth_sum);
}

TEST_CASE("primitives of whole runs do what the rules alone say, with flushes of all sizes") {
  for (const RunCase& test : run_cases()) {
    for (const char* sizes : {"size=1000", "size=1000,distribution=exponential",
                              "size=1000,distribution=lognormal,sigma=1.5"}) {
      for (const std::uint64_t count : {128u, 2500u}) {
        require_same(test, fmt::format("count={},{}", count, sizes));
      }
    }
  }
}

}  // namespace
}  // namespace lsmlab::primitives_test

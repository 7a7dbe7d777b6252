// Compares the simulator with figures that it did not compute: Fig. 1 of the merge-policies paper,
// closed forms, and exact integers for some (policy, k, n).
#include <cmath>

#include "models/base/binomial_numbers.h"
#include "models/theory/floor.h"
#include "testing/catch.h"
#include "testing/runs.h"

namespace lsmlab::paper_test {
namespace {

using testing::flushes_of;
using testing::run_fast;

Uint128 bytes_written(const FlushRun& run) {
  return run.totals.flush_bytes_written + run.totals.merge_bytes_written;
}

double write_flushed(const std::string& policy, std::uint64_t flushes) {
  const FlushRun run = run_fast(policy, flushes_of("size=1,count=" + std::to_string(flushes)));
  return run.series.back().write_flushed;
}

TEST_CASE("figure 1: sixteen flushes, k = 4, B = 2") {
  const std::vector<std::pair<std::string, std::string>> figures{
      {"bigtable:k=4",
       "1 1/1 1/1/1 1/1/1/1 5 5/1 5/1/1 5/1/1/1 5/4 5/4/1 5/4/1/1 12 12/1 12/1/1 12/1/1/1 12/4"},
      {"binomial:k=4", "1 2 2/1 2/2 5 5/1 5/1/1 5/3 5/3/1 5/3/2 5/6 5/6/1 5/6/2 5/6/3 15 15/1"},
      {"constant:k=4",
       "1 1/1 1/1/1 1/1/1/1 5 5/1 5/1/1 5/1/1/1 9 9/1 9/1/1 9/1/1/1 13 13/1 13/1/1 13/1/1/1"},
      {"exploring:k=4",
       "1 1/1 3 3/1 3/1/1 6 6/1 6/1/1 6/3 6/3/1 11 11/1 11/1/1 11/3 11/3/1 11/3/1/1"},
      {"min-latency:k=4",
       "1 1/1 1/1/1 1/1/1/1 5 5/1 5/1/1 5/1/1/1 5/4 5/4/1 5/4/1/1 5/4/3 5/4/3/1 5/4/3/2 15 15/1"},
      {"tiered:size_ratio=2",
       "1 2 2/1 4 4/1 4/2 4/2/1 8 8/1 8/2 8/2/1 8/4 8/4/1 8/4/2 8/4/2/1 16"}};
  for (const auto& [policy, expected] : figures) {
    const FlushRun run = run_fast(policy, flushes_of("count=16,size=1"));
    std::string states;
    for (const StackSnapshot& stack : run.stacks) {
      states += (states.empty() ? "" : " ") + testing::stack_text(stack);
    }
    INFO(policy);
    REQUIRE(states == expected);
  }
}

TEST_CASE("min-latency reaches the floor at every n = C(m+k,k)-1 and stays at or below m there") {
  for (std::uint64_t k = 1; k <= 10; ++k) {
    for (std::uint64_t m = 1; m <= 200; ++m) {
      const Uint128 n = binomial_coefficient(m + k, k) - 1;
      if (n > 200'000) break;
      const auto flushes = static_cast<std::uint64_t>(n);
      const FlushRun run = run_fast("min-latency:k=" + std::to_string(k),
                                    flushes_of("size=1,count=" + std::to_string(flushes)));
      INFO("k " << k << " m " << m << " n " << flushes);
      REQUIRE(bytes_written(run) == uniform_floor(flushes, k));
      REQUIRE(bytes_written(run) <= Uint128{m} * flushes);
    }
  }
}

TEST_CASE("static policies keep their worst-case bound for any sizes") {
  // With n = C(m+k,k)-1 flushes, write amplification is at most m whatever the sizes (Section 3).
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    const FlushRun run = run_fast(
        "min-latency:k=5", flushes_of("count=3002,distribution=lognormal,sigma=3,size=1M"), seed);
    INFO("seed " << seed);
    REQUIRE(bytes_written(run) <= 10 * run.totals.bytes_flushed);  // C(15,5) - 1 = 3002
  }
}

TEST_CASE("binomial keeps about log2(n)/2 SSTables while n is below 4^k") {
  for (const std::uint64_t k : {6u, 8u, 10u}) {
    const std::uint64_t flushes = std::uint64_t{1} << (2 * k - 2);  // 4^(k-1)
    const FlushRun run = run_fast("binomial:k=" + std::to_string(k),
                                  flushes_of("size=1,count=" + std::to_string(flushes)));
    const double mean = run.series.back().read_mean;
    INFO("k " << k << " mean " << mean);
    REQUIRE(mean == Approx(std::log2(static_cast<double>(flushes)) / 2).epsilon(0.15));
    REQUIRE(mean < static_cast<double>(k) - 0.9);
  }
}

TEST_CASE("binomial merges below k SSTables") {
  const FlushRun run = run_fast("binomial:k=10", flushes_of("count=2,size=1"));
  REQUIRE(run.totals.merges == 1);
}

TEST_CASE("tiered and whole-level leveling have their closed forms at n = T^m") {
  for (const std::uint64_t ratio : {2u, 3u, 4u, 8u}) {
    std::uint64_t flushes = 1;
    for (std::uint64_t m = 1; flushes * ratio <= 70'000; ++m) {
      flushes *= ratio;
      const std::string n = std::to_string(flushes);
      const std::string t = std::to_string(ratio);
      INFO("ratio " << ratio << " m " << m);
      // Each flush is written on its own, except for those that start a cascade, and once per tier.
      const FlushRun tiered = run_fast("tiered:size_ratio=" + t, flushes_of("size=1,count=" + n));
      REQUIRE(bytes_written(tiered) == flushes * (m + 1) - flushes / ratio);
      const FlushRun separate =
          run_fast("tiered:flush=separate,size_ratio=" + t, flushes_of("size=1,count=" + n));
      REQUIRE(bytes_written(separate) == flushes * (m + 1));
      // While a level fills, merges write T(T+1)/2 times the size of an arrival. Below level 0 the
      // first arrival is a move.
      const FlushRun leveled =
          run_fast("leveled-full:size_ratio=" + t, flushes_of("size=1,count=" + n));
      const std::uint64_t fill = ratio * (ratio + 1) / 2;
      REQUIRE(bytes_written(leveled) ==
              flushes / ratio * fill + (m - 1) * (flushes / ratio * (fill - 1)));
    }
  }
}

TEST_CASE("constant has its closed form") {
  // The flush number k + 1 and every kth after it writes everything so far. The others are written
  // alone.
  for (const std::uint64_t k : {1u, 2u, 5u, 9u}) {
    Uint128 expected = 0;
    std::uint64_t tables = 0;
    for (std::uint64_t t = 1; t <= 5000; ++t) {
      const bool merges_all = tables == k;
      expected += merges_all ? t : 1;
      tables = merges_all ? 1 : tables + 1;
    }
    REQUIRE(bytes_written(run_fast("constant:k=" + std::to_string(k),
                                   flushes_of("count=5000,size=1"))) == expected);
  }
}

TEST_CASE("the paper's second source: figures of policies.md at n = 16 and n = 1000") {
  REQUIRE(write_flushed("bigtable:k=4", 16) == 2.3125);
  REQUIRE(write_flushed("constant:k=4", 16) == 2.5);
  REQUIRE(write_flushed("min-latency:k=4", 16) == 2.5);
  REQUIRE(write_flushed("binomial:k=4", 16) == 2.9375);
  REQUIRE(write_flushed("bigtable:k=4", 1000) == 12.573);
  REQUIRE(write_flushed("constant:k=4", 1000) == 125.5);
  REQUIRE(write_flushed("min-latency:k=4", 1000) == 8.008);
  REQUIRE(write_flushed("binomial:k=4", 1000) == 8.841);
}

struct Golden {
  const char* policy;
  std::uint64_t flushes;
  std::uint64_t sizes_written;  // bytes written / size of a flush
  std::uint64_t merges;
  std::uint64_t sorted_runs_sum;  // summed over flushes
};

TEST_CASE("goldens: uniform flushes, exact integers, from the brute-force model") {
  const std::vector<Golden> goldens{
      {"bigtable:k=3", 2000, 163289, 1934, 5925},
      {"bigtable:k=5", 10000, 274574, 8612, 48105},
      {"bigtable:k=8", 24000, 227107, 9998, 164489},
      {"constant:k=4", 9999, 12504999, 2499, 24996},
      {"constant:k=7", 24000, 41165142, 3428, 95994},
      {"min-latency:k=3", 5000, 113054, 4526, 14497},
      {"min-latency:k=5", 24000, 335167, 18362, 113075},
      {"min-latency:k=7", 20000, 192340, 11685, 127064},
      {"binomial:k=4", 10000, 158834, 8296, 38041},
      {"binomial:k=6", 24000, 262300, 16258, 133265},
      {"binomial:k=10", 20000, 149004, 10107, 150696},
      {"exploring:k=4", 2000, 60849, 984, 6850},
      {"exploring:k=6", 10000, 160304, 4736, 51471},
      {"exploring:k=10", 24000, 209123, 9309, 155416},
  };
  for (const Golden& golden : goldens) {
    INFO(golden.policy << " n " << golden.flushes);
    const FlushRun run =
        run_fast(golden.policy, flushes_of("size=4MiB,count=" + std::to_string(golden.flushes)));
    REQUIRE(bytes_written(run) == Uint128{golden.sizes_written} << 22);
    REQUIRE(run.totals.merges == golden.merges);
    REQUIRE(run.runs.sum == golden.sorted_runs_sum);
  }
}

TEST_CASE("figure 1: largest reads and transient space, by hand") {
  const FlushRun constant = run_fast("constant:k=4", flushes_of("count=16,size=1"));
  // Merges at flushes 5, 9 and 13 read 4, 8 and 12 sizes. 12 of 13 is the largest share.
  REQUIRE(constant.runs.max == 4);
  REQUIRE(constant.series.back().space_transient == 1 + 12.0 / 13);
  const FlushRun tiered = run_fast("tiered:size_ratio=2", flushes_of("count=16,size=1"));
  // The last merge of the 16th flush reads two SSTables of eight.
  REQUIRE(tiered.series.back().space_transient == 2.0);
  REQUIRE(tiered.runs.max == 4);
}

TEST_CASE("tiered with B = 2 keeps the paper's mean number of runs") {
  // Section 5, Fig. 12: 8.15 for 100,000 flushes and 9.88 for 1,000,000.
  const FlushRun small = run_fast("tiered:size_ratio=2", flushes_of("count=100000"));
  REQUIRE(small.series.back().read_mean == Approx(8.15).margin(0.02));
  const FlushRun large = run_fast("tiered:size_ratio=2", flushes_of("count=1M"));
  REQUIRE(large.series.back().read_mean == Approx(9.88).margin(0.05));
}

TEST_CASE("whole sums beyond 64 bits are exact") {
  // 2^23 - 1 flushes of 1 TiB with k = 1 write 1 + 2 + 3 + ... TiB.
  const std::uint64_t n = (std::uint64_t{1} << 23) - 1;
  const FlushRun run = run_fast("constant:k=1", flushes_of("size=1TiB,count=" + std::to_string(n)));
  REQUIRE(bytes_written(run) == (Uint128{n} * (n + 1) / 2) << 40);
}

TEST_CASE("a run of more than 2^63 bytes is refused where it happens") {
  RunControl control;
  const ConfiguredPolicy policy = testing::policy_of("constant:k=3");
  const FlushWorkload workload = flushes_of("count=100000,size=4000TiB,distribution=exponential");
  const auto run = simulate_stack(*policy.policy->as_stack_policy(), workload, 1, control);
  REQUIRE(!run.has_value());
  REQUIRE(run.error().kind == ErrorKind::kInput);
  REQUIRE(run.error().message.find("2^63") != std::string::npos);
}

}  // namespace
}  // namespace lsmlab::paper_test

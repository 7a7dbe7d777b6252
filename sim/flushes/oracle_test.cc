// Compares every policy that looks at sizes with testing/oracles/stack_oracle.h, a brute-force
// model written only from the papers and the systems' sources: the stack after each flush, and
// every sum over thousands of flushes of varied sizes.
#include <random>

#include "testing/catch.h"
#include "testing/oracles/stack_oracle.h"
#include "testing/runs.h"

namespace lsmlab::oracle_test {
namespace {

using oracle::OracleParameters;
using oracle::StackOracle;

struct OracleCase {
  std::string policy;         // SPEC of ours
  std::string oracle_policy;  // name in the oracle
  OracleParameters parameters;
};

std::vector<OracleCase> bounded_cases() {
  std::vector<OracleCase> cases;
  for (const std::uint64_t k : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u}) {
    OracleParameters parameters;
    parameters.k = k;
    const std::string k_text = ":k=" + std::to_string(k);
    for (const std::string family : {"bigtable", "constant", "min-latency", "binomial"}) {
      cases.push_back({family + k_text, family, parameters});
    }
    if (k < 2) continue;
    cases.push_back({"exploring" + k_text, "exploring", parameters});
    parameters.lambda = {37, 100};
    parameters.min_files = 2;
    parameters.max_files = 5;
    cases.push_back(
        {"exploring" + k_text + ",lambda=0.37,min_files=2,max_files=5", "exploring", parameters});
    parameters = {};
    parameters.k = k;
    cases.push_back({"ratio-based" + k_text, "ratio-based-hbase", parameters});
  }
  return cases;
}

std::vector<OracleCase> unbounded_cases() {
  std::vector<OracleCase> cases;
  OracleParameters parameters;
  cases.push_back({"none", "none", parameters});
  for (const std::uint64_t ratio : {2u, 3u, 4u, 10u}) {
    parameters.size_ratio = ratio;
    const std::string text = ":size_ratio=" + std::to_string(ratio);
    cases.push_back({"tiered" + text, "tiered", parameters});
    cases.push_back({"leveled-full" + text, "leveled-full", parameters});
  }
  parameters = {};
  parameters.k = 0;  // never stuck
  cases.push_back({"ratio-based", "ratio-based-hbase", parameters});
  parameters.ratio = {5, 1};
  parameters.min_files = 4;
  parameters.max_files = 7;
  parameters.min_size_bytes = 3000;
  cases.push_back({"ratio-based:ratio=5,min_files=4,max_files=7,min_size=3000", "ratio-based-hbase",
                   parameters});
  for (const std::uint64_t cap : {900u, 20'000u, 1'000'000u}) {
    parameters = {};
    parameters.max_mergeable_bytes = cap;
    const std::string text = "prefix:max_mergeable_bytes=" + std::to_string(cap);
    cases.push_back({text, "prefix", parameters});
    parameters.max_tolerance_files = 2;
    parameters.ratio = {13, 10};
    cases.push_back({text + ",max_tolerance_files=2,ratio=1.3", "prefix", parameters});
  }
  parameters = {};
  parameters.ratio = {3, 1};
  cases.push_back({"ratio-based:preset=accumulo", "accumulo", parameters});
  parameters.max_files = 6;
  parameters.file_max = 7;
  cases.push_back({"ratio-based:preset=accumulo,max_files=6,file_max=7", "accumulo", parameters});
  return cases;
}

std::vector<std::string> workloads(std::uint64_t count) {
  const std::string n = "count=" + std::to_string(count);
  return {n + ",size=1000", n + ",size=1000,distribution=uniform,spread=1",
          n + ",size=1000,distribution=exponential",
          n + ",size=1000,distribution=lognormal,sigma=1.5"};
}

// Sums over the oracle's flushes.
struct Course {
  oracle::Wide depth_sum = 0;
  std::uint64_t depth_max = 0;
  oracle::Wide flushed_bytes = 0;
  oracle::Wide eager_bytes = 0;  // bytes of flushes that an eager merge took
  TransientSpace transient;      // valid if each flush causes at most one merge

  void take(StackOracle& oracle, std::uint64_t bytes) {
    const oracle::Wide read_before = oracle.bytes_read();
    oracle.flush(bytes);
    flushed_bytes += bytes;
    depth_sum += oracle.tables().size();
    depth_max = std::max<std::uint64_t>(depth_max, oracle.tables().size());
    if (oracle.tables().back().flushes > 1) eager_bytes += bytes;
    transient.observe_merge(static_cast<std::uint64_t>(oracle.bytes_read() - read_before),
                            static_cast<std::uint64_t>(flushed_bytes));
  }
};

void require_equal(const FlushRun& run, const StackOracle& oracle, const Course& course) {
  REQUIRE(run.totals.flush_bytes_written + run.totals.merge_bytes_written ==
          oracle.bytes_written());
  REQUIRE(run.totals.merge_bytes_read == oracle.bytes_read());
  REQUIRE(run.totals.merges == oracle.merges());
  REQUIRE(run.totals.moves == oracle.moves());
  REQUIRE(run.runs.sum == course.depth_sum);
  REQUIRE(run.runs.max == course.depth_max);
  Uint128 bytes = 0;
  std::size_t runs = 0;
  for (const LevelSummary& level : run.final_levels) {
    bytes += level.bytes;
    runs += level.runs;
  }
  REQUIRE(bytes == run.totals.bytes_flushed);
  REQUIRE(runs == oracle.tables().size());
}

// With flush=separate, a flush that an eager merge would take is written first, and then read.
void require_separate(const OracleCase& test, const FlushWorkload& workload, std::uint64_t seed,
                      const StackOracle& oracle, const Course& course) {
  const FlushRun run = testing::run_fast(test.policy + ",flush=separate", workload, seed);
  REQUIRE(run.totals.flush_bytes_written == course.flushed_bytes);
  REQUIRE(run.totals.flush_bytes_written + run.totals.merge_bytes_written ==
          oracle.bytes_written() + course.eager_bytes);
  REQUIRE(run.totals.merge_bytes_read == oracle.bytes_read() + course.eager_bytes);
  REQUIRE(run.runs.sum == course.depth_sum);
}

void compare(const OracleCase& test, std::uint64_t flushes, std::uint64_t seed) {
  for (const std::string& parameters : workloads(flushes)) {
    INFO(test.policy << " on " << parameters << " seed " << seed);
    const FlushWorkload workload = testing::flushes_of(parameters);
    const FlushRun run = testing::run_fast(test.policy, workload, seed);
    StackOracle oracle(test.oracle_policy, test.parameters);
    Course course;
    std::size_t flush = 0;
    for (const std::uint64_t bytes : testing::sizes_of(workload, seed)) {
      course.take(oracle, bytes);
      if (run.stacks.empty()) continue;
      StackSnapshot expected;
      for (const oracle::OracleTable& table : oracle.tables()) {
        expected.bytes.push_back(table.bytes);
        expected.levels.push_back(table.tier);
      }
      INFO("after flush " << flush + 1 << ": " << testing::stack_text(run.stacks[flush])
                          << " and not " << testing::stack_text(expected));
      REQUIRE(run.stacks[flush] == expected);
      ++flush;
    }
    require_equal(run, oracle, course);
    const bool has_depth = test.policy.find(":k=") != std::string::npos;
    if (!has_depth) continue;  // the other policies may merge several times per flush
    REQUIRE(run.transient == course.transient);
    require_separate(test, workload, seed, oracle, course);
  }
}

TEST_CASE("bounded policies leave the oracle's stack after each of 128 flushes") {
  for (const OracleCase& test : bounded_cases()) {
    if (test.parameters.min_files > test.parameters.k + 1) continue;
    for (const std::uint64_t seed : {1u, 2u, 3u}) compare(test, 128, seed);
  }
}

TEST_CASE("bounded policies write what the oracle writes over thousands of flushes") {
  for (const OracleCase& test : bounded_cases()) {
    if (test.parameters.min_files > test.parameters.k + 1 || test.parameters.k == 1) continue;
    compare(test, 4000, 11);
  }
}

TEST_CASE("other policies leave the oracle's stack after each of 128 flushes") {
  for (const OracleCase& test : unbounded_cases()) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) compare(test, 128, seed);
  }
}

TEST_CASE("other policies write what the oracle writes over thousands of flushes") {
  for (const OracleCase& test : unbounded_cases()) {
    compare(test, test.policy == "none" ? 300 : 3000, 12);
  }
}

}  // namespace
}  // namespace lsmlab::oracle_test

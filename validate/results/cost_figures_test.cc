#include "validate/results/cost_figures.h"

#include <algorithm>
#include <map>

#include "testing/catch.h"

namespace lsmlab::cost_figures_test {
namespace {

std::map<std::string, ComparedCost> by_name(const RunResult& result) {
  std::map<std::string, ComparedCost> costs;
  for (const ComparedCost& cost : cost_figures_of(result)) costs[cost.model.name()] = cost;
  return costs;
}

TEST_CASE("a stack-based policy's model stands beside the run's own amplification") {
  RunResult result;
  result.policy_family = "binomial";
  result.policy_options = {{"k", std::uint64_t{4}}};
  result.totals.flushes = 16;
  result.totals.bytes_flushed = 16'000;
  result.totals.flush_bytes_written = 16'000;
  result.totals.merge_bytes_written = 24'000;
  result.runs = {48, 3};
  const auto costs = by_name(result);
  REQUIRE(costs.at("write_flushed_max").run == 2.5);
  REQUIRE(costs.at("write_flushed_floor").run == 2.5);
  REQUIRE(costs.at("worst_case_bound").run == 2.5);
  REQUIRE(costs.at("read_max").model.value == 4);
  REQUIRE(costs.at("read_max").run == 3);
  REQUIRE(costs.at("small_regime_flushes").model.value == 256);
  REQUIRE(costs.at("small_regime_flushes").run == 16);
  REQUIRE(costs.at("write_flushed_max").run_figure == "write_flushed");
}

RunResult ldc_run() {
  RunResult result;
  result.policy_family = "ldc";
  result.policy_options = {{"size_ratio", std::uint64_t{10}}, {"file_size", std::uint64_t{2'000}}};
  result.totals.user_bytes = 100'000;
  result.totals.merges = 5;
  result.totals.merge_bytes_read = 40'000;
  result.totals.flush_bytes_written = 100'000;
  result.totals.merge_bytes_written = 200'000;
  result.keys.emplace();
  result.keys->operations.puts = 1'000;
  result.keys->operations.gets = 3'000;
  result.time.emplace().operations_per_second = 400;
  result.keys->final.file_bytes = 200'000;
  result.keys->frozen.bytes = 50'000;
  result.final_levels.resize(4);
  result.final_levels[0].files = result.final_levels[1].files = result.final_levels[3].files = 1;
  result.time->latency.puts.emplace();
  result.time->latency.puts->p99_9_ns = 777;
  result.keys->reads.emplace();
  result.keys->reads->gets_found.count = 2'000;
  result.keys->reads->gets_found.runs_touched = 5'000;
  result.keys->reads->gets_absent.count = 1'000;
  result.keys->reads->gets_absent.runs_touched = 1'000;
  return result;
}

TEST_CASE("LDC's model of a store whose device is unknown has no rates and no times") {
  const auto costs = by_name(ldc_run());
  REQUIRE(costs.at("levels").model.value == 2);  // log_10(200,000 / 2,000)
  REQUIRE(costs.at("levels").run == 2);
  REQUIRE(costs.at("write_amplification").run == 3);
  REQUIRE(costs.at("read_amplification").run == 2);
  REQUIRE(costs.at("merge_bytes").run == 8'000);
  REQUIRE(costs.at("space_overhead_max").run == 0.25);
  REQUIRE(costs.size() == 5);
}

TEST_CASE("on a device that is known it has them, and a run with reads no rate of writes alone") {
  RunResult result = ldc_run();
  result.machine.emplace().device_options = {{"write_bandwidth", std::uint64_t{1'000'000}},
                                             {"read_bandwidth", std::uint64_t{2'000'000}}};
  const auto costs = by_name(result);
  REQUIRE(costs.at("write_bytes_per_second").model.value == 500'000);
  REQUIRE(!costs.at("write_bytes_per_second").run);
  REQUIRE(costs.at("bytes_per_second").run == 40'000);  // 400 operations a second of 100 bytes
  REQUIRE(costs.at("tail_latency_ns").run == 777);
  REQUIRE(costs.at("read_bytes_per_second").run_figure.empty());
  result.keys->operations.gets = 0;
  REQUIRE(by_name(result).at("write_bytes_per_second").run == 40'000);
}

TEST_CASE("LevelDB's policy has the model of upper-level driven compaction") {
  RunResult result = ldc_run();
  result.policy_family = "leveldb";
  const auto upper = by_name(result);
  REQUIRE(upper.size() == 4);  // UDC freezes no files, so it has no space_overhead_max
  // UDC merges an SSTable with the ten that it overlaps, LDC an SSTable with its slices.
  REQUIRE(upper.at("merge_bytes").model.value == 22'000);
  REQUIRE(by_name(ldc_run()).at("merge_bytes").model.value == 4'000);
  // A preset goes by its family: no result has this one.
  result.policy_family = "udc";
  REQUIRE(cost_figures_of(result).empty());
}

TEST_CASE("a policy that no model speaks of has no figures") {
  RunResult result = ldc_run();
  result.policy_family = "primitives";
  REQUIRE(cost_figures_of(result).empty());
}

}  // namespace
}  // namespace lsmlab::cost_figures_test

// Every policy in a simulated store with a clock. If clients leave it time, it makes the plans of
// stepped mode, one by one. If not, it still ends with the same data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "models/execution/plan_log.h"
#include "sim/timed/simulate_timed.h"
#include "testing/catch.h"
#include "testing/every_policy.h"
#include "testing/random_operations.h"

namespace lsmlab::timed_policies_test {
namespace {

constexpr std::uint64_t kOperations = 600;

// LSMLAB_TIMED_SEEDS=50 runs that many workloads for each policy.
std::uint64_t seeds_of_run() { return testing::seeds_wanted("LSMLAB_TIMED_SEEDS", 3); }

struct Run {
  RunResult result;
  std::vector<std::string> log;
};

template <class Simulate>
Run run(const ConfiguredPolicy& policy, std::uint64_t seed, const Simulate& simulate,
        bool reads = true) {
  Run run;
  RunSetup setup = default_setup(policy);
  setup.options.seed = seed;
  setup.log = [&](const PlanRecord& record) { run.log.push_back(plan_record_line(record)); };
  testing::RandomOperations source(seed, kOperations, reads);
  RunControl control;
  Result<RunResult> result = simulate(source, setup, control);
  REQUIRE(result.has_value());
  run.result = std::move(result).value();
  return run;
}

Run run_stepped(const ConfiguredPolicy& policy, std::uint64_t seed) {
  return run(policy, seed, [](OperationSource& source, const RunSetup& setup, RunControl& control) {
    return simulate_keys(setup, source, control);
  });
}

Run run_timed(const ConfiguredPolicy& policy, std::uint64_t seed, const std::string& clients,
              const Parameters& device, unsigned merge_threads) {
  DeviceAndClients machine;
  machine.device = make_device("test", device).value();
  machine.clients = make_clients(parse_spec(clients).value()).value();
  return run(policy, seed, [&](OperationSource& source, RunSetup& setup, RunControl& control) {
    setup.options.merge_threads = merge_threads;
    return simulate_timed(setup, machine, source, control);
  });
}

std::uint64_t live_bytes(const RunResult& result) {
  const KeyRunFigures& figures = result.keys->final;
  if (figures.file_bytes == 0) return 0;
  return static_cast<std::uint64_t>(
      std::llround(static_cast<double>(figures.file_bytes) / figures.space.value_or(1e300)));
}

// A plan that a policy wants because time has passed runs concurrently with the next flush in a
// store with a clock, not after it.
bool waits_for_time(const ConfiguredPolicy& policy, const Run& run) {
  const bool has_interval =
      std::any_of(policy.options.begin(), policy.options.end(), [](const auto& option) {
        return option.first == "tombstone_compaction_interval" &&
               !std::holds_alternative<std::monostate>(option.second);
      });
  const auto has = [&](const std::string& line, const char* reason) {
    return line.find(fmt::format("\"{}\"", reason)) != std::string::npos;
  };
  return std::any_of(run.log.begin(), run.log.end(), [&](const std::string& line) {
    return has(line, "tombstone-age") || has(line, "stale-file") || has(line, "periodic") ||
           has(line, "time-to-live") || (has_interval && has(line, "tombstone-density"));
  });
}

void require_same_plans(const Run& timed, const Run& stepped) {
  for (std::size_t i = 0; i < std::min(timed.log.size(), stepped.log.size()); ++i) {
    INFO("plan " << i + 1);
    REQUIRE(timed.log[i] == stepped.log[i]);
  }
  REQUIRE(timed.log.size() == stepped.log.size());
  REQUIRE(timed.result.totals == stepped.result.totals);
  REQUIRE(timed.result.final_levels == stepped.result.final_levels);
  REQUIRE(timed.result.keys->operations == stepped.result.keys->operations);
}

TEST_CASE("with a clock and slow clients every policy does what it does in stepped mode") {
  const std::uint64_t seeds = seeds_of_run();
  std::uint64_t compared = 0;
  for (const Spec& spec : testing::every_policy(testing::PolicyShare::kSecond)) {
    const ConfiguredPolicy policy = testing::small_policy(spec);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      INFO(policy.label << ", seed " << seed);
      const Run stepped = run_stepped(policy, seed);
      const Run timed = run_timed(policy, seed, "constant:rate=10", {}, 1);
      if (waits_for_time(policy, stepped) || waits_for_time(policy, timed)) continue;
      ++compared;
      require_same_plans(timed, stepped);
      REQUIRE(timed.result.keys->reads == stepped.result.keys->reads);
    }
  }
  REQUIRE(compared >= testing::every_policy(testing::PolicyShare::kSecond).size() / 2 * seeds);
}

TEST_CASE("where merges go first, every policy does what it does in stepped mode, however busy") {
  const std::uint64_t seeds = seeds_of_run();
  DeviceAndClients machine;
  machine.device =
      make_device("test", {{"read_bandwidth", "3MB"}, {"write_bandwidth", "2MB"}}).value();
  machine.clients = make_clients(parse_spec("closed:clients=3").value()).value();
  std::uint64_t compared = 0;
  std::uint64_t stalls = 0;
  for (const Spec& spec : testing::every_policy(testing::PolicyShare::kSecond)) {
    const ConfiguredPolicy policy = testing::small_policy(spec);
    if (testing::moves_coldest(policy)) continue;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      INFO(policy.label << ", seed " << seed);
      const Run stepped = run(
          policy, seed,
          [](OperationSource& source, const RunSetup& setup, RunControl& control) {
            return simulate_keys(setup, source, control);
          },
          false);
      const Run busy = run(
          policy, seed,
          [&](OperationSource& source, RunSetup& setup, RunControl& control) {
            setup.stalls = stall_rules_of(setup.policy, {{"merges_first", "true"}}).value();
            return simulate_timed(setup, machine, source, control);
          },
          false);
      if (waits_for_time(policy, stepped) || waits_for_time(policy, busy)) continue;
      ++compared;
      require_same_plans(busy, stepped);
      for (const StallFigures& stall : *busy.result.time->stalls) {
        if (stall.reason == "merges first") stalls += stall.count;
      }
    }
  }
  REQUIRE(compared >= testing::every_policy(testing::PolicyShare::kSecond).size() / 2 * seeds);
  REQUIRE(stalls > 10 * compared);
}

TEST_CASE("with a clock and busy clients every policy ends with the data that was written") {
  // A slow device: merges run while memtables fill, and writers stall.
  const std::uint64_t seeds = seeds_of_run();
  const Parameters slow{{"read_bandwidth", "3MB"}, {"write_bandwidth", "2MB"}};
  for (const Spec& spec : testing::every_policy(testing::PolicyShare::kSecond)) {
    const ConfiguredPolicy policy = testing::small_policy(spec);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      for (const char* clients : {"closed:clients=1", "closed:clients=5", "poisson:rate=20k"}) {
        INFO(policy.label << ", seed " << seed << ", " << clients);
        const Run stepped = run_stepped(policy, seed);
        const Run timed =
            run_timed(policy, seed, clients, slow, 1 + static_cast<unsigned>(seed % 3));
        REQUIRE(live_bytes(timed.result) == live_bytes(stepped.result));
        REQUIRE(timed.result.totals.user_bytes == stepped.result.totals.user_bytes);
        REQUIRE(timed.result.keys->operations == stepped.result.keys->operations);
        REQUIRE(timed.result.complete);
      }
    }
  }
}

}  // namespace
}  // namespace lsmlab::timed_policies_test

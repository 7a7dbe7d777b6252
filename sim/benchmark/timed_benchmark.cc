// Measures what the clock costs. It simulates the same run with and without a clock, in turn, three
// times each. The fastest of three counts, because on a busy machine single runs are twice as slow.
//   build/release/timed_benchmark
// clock_per_second: client operations per second of the whole run with a clock.
// counting_per_second: the same without a clock. event_core_per_second: operations divided by the
// difference of the two times, which is the time of events, clients, processor and device. Goals:
// 20 million operations per second in the event core if all operations write, 5 million with reads;
// clock_over_counting at most 2.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "models/base/check.h"
#include "sim/timed/simulate_timed.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void run(benchmark::State& state, const std::string& policy_text, const std::string& workload_text,
         const std::string& clients_text) {
  const auto policy = make_policy(parse_spec(policy_text).value());
  CHECK(policy.has_value());
  const auto workload = make_operation_workload(parse_spec(workload_text).value());
  CHECK(workload.has_value());
  const RunSetup setup = default_setup(policy.value());
  DeviceAndClients machine;
  machine.device = make_device("default", {}).value();
  machine.clients = make_clients(parse_spec(clients_text).value()).value();
  double counting_seconds = std::numeric_limits<double>::max();
  double clock_seconds = std::numeric_limits<double>::max();
  for (auto _ : state) {
    RunControl control;
    const auto counting_begin = std::chrono::steady_clock::now();
    const auto counted = simulate_keys(setup, *workload.value().open(1), control);
    CHECK(counted.has_value());
    counting_seconds = std::min(counting_seconds, seconds_since(counting_begin));

    const auto clock_begin = std::chrono::steady_clock::now();
    const auto clocked = simulate_timed(setup, machine, *workload.value().open(1), control);
    CHECK(clocked.has_value());
    const double seconds = seconds_since(clock_begin);
    clock_seconds = std::min(clock_seconds, seconds);
    state.SetIterationTime(seconds);
  }
  const auto operations = static_cast<double>(workload.value().operation_count());
  state.counters["counting_per_second"] = operations / counting_seconds;
  state.counters["clock_per_second"] = operations / clock_seconds;
  state.counters["clock_over_counting"] = clock_seconds / counting_seconds;
  // Noise can make the difference zero or negative. Then this figure is 0.
  const double difference = clock_seconds - counting_seconds;
  state.counters["event_core_per_second"] = difference > 0 ? operations / difference : 0;
}

int register_all() {
  struct Row {
    const char* name;
    const char* policy;
    const char* workload;
    const char* clients;
  };
  const std::string kLo1 =
      "primitives:layout=leveling,trigger=level-saturation,granularity=file,"
      "movement=least-overlap-parent";
  const std::string kNoFlush = kLo1 + ",buffer=4GiB";
  const Row rows[] = {
      {"writes, one memtable", kNoFlush.c_str(), "load:entries=10M,insert_distribution=sequential",
       "closed"},
      {"writes, one memtable, 8 clients", kNoFlush.c_str(),
       "load:entries=10M,insert_distribution=sequential", "closed:clients=8"},
      {"writes, flushes, merges", kLo1.c_str(), "load:entries=10M", "closed"},
      {"reads", kLo1.c_str(), "ycsb-c:records=100k,operations=4M", "closed:clients=8"},
      {"reads and writes", kLo1.c_str(), "ycsb-a:records=100k,operations=4M", "closed:clients=8"},
      {"reads, open loop", kLo1.c_str(), "ycsb-c:records=100k,operations=4M",
       "poisson:rate=1M,clients=64"},
  };
  for (const Row& row : rows) {
    benchmark::RegisterBenchmark(row.name, run, std::string(row.policy), std::string(row.workload),
                                 std::string(row.clients))
        ->UseManualTime()
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}

const int kRegistered = register_all();

}  // namespace
}  // namespace lsmlab

BENCHMARK_MAIN();

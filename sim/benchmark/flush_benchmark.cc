// Measures how many flushes per second the simulator handles on one core, with 10 million uniform
// flushes of 4 MiB per measurement.
//   build/release/sim_benchmark
// items_per_second is flushes per second. Goals: 3 million for exploring, 20 million for all
// others.
#include <benchmark/benchmark.h>

#include "models/base/check.h"
#include "sim/flushes/simulate_flushes.h"

namespace lsmlab {
namespace {

constexpr const char* kFlushes = "flushes:count=10M,size=4MiB";

void simulate(benchmark::State& state, const std::string& policy_text) {
  const auto spec = parse_spec(policy_text);
  CHECK(spec.has_value());
  const auto policy = make_policy(spec.value());
  CHECK(policy.has_value());
  const auto workload = FlushWorkload::make(parse_spec(kFlushes).value().parameters);
  CHECK(workload.has_value());
  double write_flushed = 0;
  for (auto _ : state) {
    RunControl control;
    const auto result = simulate_flushes(default_setup(policy.value()), workload.value(), control);
    CHECK(result.has_value());
    write_flushed = result.value().series.back().write_flushed;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(workload.value().count()));
  state.counters["write_amplification"] = write_flushed;
}

int register_all() {
  for (const char* family : {"min-latency", "binomial", "constant", "bigtable", "exploring"}) {
    for (const int k : {6, 7, 10}) {
      const std::string policy = std::string(family) + ":k=" + std::to_string(k);
      benchmark::RegisterBenchmark(policy.c_str(), simulate, policy)->Unit(benchmark::kMillisecond);
    }
  }
  for (const char* policy : {"tiered:size_ratio=4", "tiered:size_ratio=10",
                             "leveled-full:size_ratio=10", "ratio-based"}) {
    benchmark::RegisterBenchmark(policy, simulate, std::string(policy))
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}

const int kRegistered = register_all();

}  // namespace
}  // namespace lsmlab

BENCHMARK_MAIN();

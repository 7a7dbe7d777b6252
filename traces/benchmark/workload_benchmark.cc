// How many operations per second and core the workload generator makes.
//   build/release/traces_benchmark
// items_per_second is operations per second. Goal: 10 million for uniform inserts.
#include <benchmark/benchmark.h>

#include "models/base/check.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {
namespace {

void generate(benchmark::State& state, const std::string& workload_text) {
  const auto spec = parse_spec(workload_text);
  CHECK(spec.has_value());
  const auto workload = make_operation_workload(spec.value());
  CHECK(workload.has_value());
  std::vector<Operation> operations(4096);
  for (auto _ : state) {
    const auto source = workload.value().open(1);
    for (;;) {
      const auto filled = source->fill(operations);
      CHECK(filled.has_value());
      if (filled.value() == 0) break;
      benchmark::DoNotOptimize(operations.data());
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(workload.value().operation_count()));
}

int register_all() {
  for (const char* workload :
       {"load:entries=10M", "load:entries=10M,insert_distribution=sequential",
        "load:entries=10M,insert_distribution=normal",
        "load:entries=10M,insert_distribution=prefix-zipf",
        "load:entries=10M,insert_distribution=near-sorted", "load:entries=10M,update_fraction=0.5",
        "load:entries=10M,update_fraction=0.5,update_distribution=zipfian",
        "load:entries=10M,update_fraction=0.7,update_distribution=latest",
        "load:entries=10M,delete_fraction=0.1", "ycsb-c:records=1M,operations=10M",
        "ldc-scn-rwb"}) {
    benchmark::RegisterBenchmark(workload, generate, std::string(workload))
        ->Unit(benchmark::kMillisecond);
  }
  return 0;
}

const int kRegistered = register_all();

}  // namespace
}  // namespace lsmlab

BENCHMARK_MAIN();

// Measures merges and simulations at resolution `key` on one core.
//   build/release/key_benchmark
// For merge/..., items_per_second is entries read per second from k inputs of random keys. For
// load/..., it is operations per second of a whole run; merged_per_second is the entries written by
// merges, divided by the time of the whole run. Goals: 30 million entries merged per second; 10
// million inserts of 128 B through lo+1 in 8 s.
#include <benchmark/benchmark.h>

#include <random>

#include "models/base/check.h"
#include "sim/keys/merge_streams.h"
#include "sim/keys/simulate_keys.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {
namespace {

// Each input is a sorted run of random keys. `duplicates` percent of its keys are also in the first
// input.
std::vector<EntryList> random_inputs(ChunkPool& pool, std::size_t inputs, std::size_t entries,
                                     unsigned duplicates) {
  std::mt19937_64 random(1);
  std::vector<EntryList> lists;
  std::vector<std::uint64_t> shared;
  std::uint64_t sequence = 0;
  for (std::size_t i = 0; i < inputs; ++i) {
    std::vector<std::uint64_t> keys(entries);
    for (std::uint64_t& key : keys) {
      const bool repeats = !shared.empty() && random() % 100 < duplicates;
      key = repeats ? shared[random() % shared.size()] : random();
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (shared.empty()) shared = keys;
    EntryList list(pool);
    for (const std::uint64_t key : keys) {
      const Entry entry = Entry::make(key, ++sequence, false, 0);
      list.append({&entry, 1});
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

void merge(benchmark::State& state, std::size_t inputs, unsigned duplicates) {
  ChunkPool pool;
  std::vector<EntryList> lists = random_inputs(pool, inputs, 1'000'000, duplicates);
  std::int64_t entries = 0;
  for (auto _ : state) {
    std::vector<MergeInput> streams;
    for (EntryList& list : lists) {
      auto stream = std::make_unique<ListStream>();
      stream->add(list, 0, list.size(), false);
      entries += static_cast<std::int64_t>(list.size());
      streams.push_back({std::move(stream), list.size()});
    }
    const auto merged = merged_stream(std::move(streams));
    std::uint64_t checksum = 0;
    for (auto piece = merged->peek(); !piece.empty(); piece = merged->peek()) {
      checksum += piece.back().key;
      merged->skip(piece.size());
    }
    benchmark::DoNotOptimize(checksum);
  }
  state.SetItemsProcessed(entries);
}

void load(benchmark::State& state, const std::string& policy_text,
          const std::string& workload_text) {
  const auto policy = make_policy(parse_spec(policy_text).value());
  CHECK(policy.has_value());
  const auto workload = make_operation_workload(parse_spec(workload_text).value());
  CHECK(workload.has_value());
  std::uint64_t merged_bytes = 0;
  double write = 0;
  for (auto _ : state) {
    RunControl control;
    const auto source = workload.value().open(1);
    const auto result = simulate_keys(default_setup(policy.value()), *source, control);
    CHECK(result.has_value());
    merged_bytes += static_cast<std::uint64_t>(result.value().totals.merge_bytes_written);
    write = result.value().keys->final.write;
  }
  constexpr std::uint64_t kUserBytes = 128;  // bytes of an entry of `load`
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(workload.value().operation_count()));
  state.counters["merged_per_second"] = benchmark::Counter(
      static_cast<double>(merged_bytes / kUserBytes), benchmark::Counter::kIsRate);
  state.counters["write_amplification"] = write;
}

int register_all() {
  for (const std::size_t inputs : {2u, 4u, 10u}) {
    for (const unsigned duplicates : {0u, 50u}) {
      const std::string name = "merge/inputs:" + std::to_string(inputs) +
                               "/duplicates:" + std::to_string(duplicates) + "%";
      benchmark::RegisterBenchmark(name.c_str(), merge, inputs, duplicates)
          ->Unit(benchmark::kMillisecond);
    }
  }
  const std::string kLo1 =
      "primitives:layout=leveling,trigger=level-saturation,granularity=file,"
      "movement=least-overlap-parent";
  const std::pair<const char*, std::string> policies[] = {
      {"lo+1", kLo1}, {"leveldb", "leveldb"}, {"ldc", "ldc"}, {"binomial", "binomial:k=6"}};
  for (const auto& [name, spec] : policies) {
    for (const char* workload :
         {"load:entries=10M", "load:entries=10M,update_fraction=50%,delete_fraction=10%"}) {
      benchmark::RegisterBenchmark((std::string(name) + "/" + workload).c_str(), load, spec,
                                   std::string(workload))
          ->Unit(benchmark::kMillisecond);
    }
  }
  return 0;
}

const int kRegistered = register_all();

}  // namespace
}  // namespace lsmlab

BENCHMARK_MAIN();

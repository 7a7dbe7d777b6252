// How fast trace files are written and read, and how large they are. Each measurement uses 4
// million operations of one mix.
//   build/release/trace_benchmark
// items_per_second is operations per second. Goals: read 20 million per second; at most 9 bytes per
// operation for uniform keys and fixed sizes.
#include <benchmark/benchmark.h>

#include <boost/random/mersenne_twister.hpp>
#include <filesystem>

#include "models/base/check.h"
#include "traces/files/trace_file.h"
#include "traces/files/trace_statistics.h"

namespace lsmlab {
namespace {

constexpr std::size_t kOperations = 4'000'000;

enum class Mix { kUniformPuts, kUniformHalfGets, kSequentialPuts, kScans, kAllVaried };

std::vector<Operation> operations_of(Mix mix) {
  boost::random::mt19937_64 random(1);
  std::vector<Operation> operations(kOperations);
  std::uint64_t next = 0;
  for (Operation& operation : operations) {
    operation.key = mix == Mix::kSequentialPuts ? ++next << 20 : random();
    operation.key_bytes = 16;
    if (mix == Mix::kUniformHalfGets && random() % 2 == 0) operation.kind = OperationKind::kGet;
    if (mix == Mix::kScans) operation.kind = OperationKind::kScan;
    if (mix == Mix::kAllVaried) {
      operation.kind = static_cast<OperationKind>(random() % 4);
      operation.key_bytes = static_cast<std::uint16_t>(16 + random() % 16);
    }
    if (operation.kind == OperationKind::kPut) {
      operation.value_bytes =
          mix == Mix::kAllVaried ? static_cast<std::uint32_t>(random() % 4096) : 112;
    }
    if (operation.kind == OperationKind::kScan) {
      operation.scan_last_key = ~std::uint64_t{0};
      operation.scan_entries_max = static_cast<std::uint32_t>(1 + random() % 100);
    }
  }
  return operations;
}

std::string path_of_trace() {
  return (std::filesystem::temp_directory_path() / "lsmlab-trace-benchmark").string();
}

void write_trace(const std::vector<Operation>& operations) {
  auto writer = TraceWriter::create(path_of_trace());
  CHECK(writer.has_value());
  CHECK(writer.value()->append(operations).has_value());
  CHECK(writer.value()->finish().has_value());
}

void write(benchmark::State& state, Mix mix) {
  const auto operations = operations_of(mix);
  for (auto _ : state) write_trace(operations);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kOperations));
  state.counters["bytes_per_operation"] =
      static_cast<double>(std::filesystem::file_size(path_of_trace())) /
      static_cast<double>(kOperations);
  std::filesystem::remove(path_of_trace());
}

void read(benchmark::State& state, Mix mix) {
  write_trace(operations_of(mix));
  std::vector<Operation> operations(4096);
  for (auto _ : state) {
    auto reader = TraceReader::open(path_of_trace());
    CHECK(reader.has_value());
    std::size_t count = operations.size();
    while (count == operations.size()) count = reader.value()->fill(operations).value();
    CHECK(reader.value()->counts().operations == kOperations);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kOperations));
  std::filesystem::remove(path_of_trace());
}

void gather_statistics(benchmark::State& state, Mix mix) {
  const auto operations = operations_of(mix);
  for (auto _ : state) {
    TraceStatistics statistics;
    statistics.add(operations);
    benchmark::DoNotOptimize(statistics.keys());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kOperations));
}

BENCHMARK_CAPTURE(write, uniform_puts, Mix::kUniformPuts)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write, uniform_half_gets, Mix::kUniformHalfGets)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write, sequential_puts, Mix::kSequentialPuts)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write, scans, Mix::kScans)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write, all_varied, Mix::kAllVaried)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, uniform_puts, Mix::kUniformPuts)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, uniform_half_gets, Mix::kUniformHalfGets)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, sequential_puts, Mix::kSequentialPuts)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, scans, Mix::kScans)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, all_varied, Mix::kAllVaried)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gather_statistics, uniform_puts, Mix::kUniformPuts)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lsmlab

BENCHMARK_MAIN();

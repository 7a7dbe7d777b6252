// Measures the memtable: nanoseconds per insertion, lookup and step of a scan, at 65,536 entries of
// 16-byte keys and 112-byte values, about 8 MiB.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/memtable/memtable.h"

namespace lsmlab::engine {
namespace {

constexpr std::int64_t kEntries = 65'536;
constexpr std::uint64_t kKeyBytes = 16;

// An odd factor, so that its multiples are distinct; 1 gives keys in order.
constexpr std::uint64_t kScatter = 0x9e3779b97f4a7c15;

std::string key_of(std::uint64_t number, std::uint64_t step) {
  std::string key(kKeyBytes, '0');
  const std::uint64_t big_endian = __builtin_bswap64(number * step);
  std::memcpy(key.data(), &big_endian, sizeof big_endian);
  return key;
}

std::vector<std::string> keys_of(std::uint64_t step) {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < kEntries; ++i) keys.push_back(key_of(i, step));
  return keys;
}

std::unique_ptr<Memtable> filled(const KeyWindow& window, const std::vector<std::string>& keys) {
  const std::string value(112, 'v');
  auto memtable = std::make_unique<Memtable>(window, Bytes(8 << 20));
  std::uint64_t sequence = 0;
  for (const std::string& key : keys) {
    memtable->add({key, value, make_tag(++sequence, false)}, Instant(0));
  }
  return memtable;
}

void insert(benchmark::State& state, std::uint64_t step) {
  const KeyWindow window;
  const std::vector<std::string> keys = keys_of(step);
  for (auto _ : state) {
    const auto memtable = filled(window, keys);
    benchmark::DoNotOptimize(memtable->writes());
  }
  state.SetItemsProcessed(state.iterations() * kEntries);
}

void find(benchmark::State& state, std::uint64_t step) {
  const KeyWindow window;
  const auto memtable = filled(window, keys_of(step));
  std::string key = key_of(0, step);
  std::uint64_t i = 0;
  for (auto _ : state) {
    i = (i + 40'503) % kEntries;
    const std::uint64_t big_endian = __builtin_bswap64(i * step);
    std::memcpy(key.data(), &big_endian, sizeof big_endian);
    benchmark::DoNotOptimize(memtable->find(key, kSequenceMax));
  }
  state.SetItemsProcessed(state.iterations());
}

void walk(benchmark::State& state, std::uint64_t step) {
  const KeyWindow window;
  const auto memtable = filled(window, keys_of(step));
  for (auto _ : state) {
    Memtable::Cursor cursor(*memtable);
    for (cursor.seek_first(); cursor.valid(); cursor.next()) {
      benchmark::DoNotOptimize(cursor.entry().key.data());
    }
  }
  state.SetItemsProcessed(state.iterations() * kEntries);
}

BENCHMARK_CAPTURE(insert, random, kScatter)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(insert, rising, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(find, random, kScatter);
BENCHMARK_CAPTURE(walk, random, kScatter)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lsmlab::engine

BENCHMARK_MAIN();

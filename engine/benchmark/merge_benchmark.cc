// Measures the merge loop: nanoseconds per entry for choosing among heads, dropping older versions
// and asking for cuts. Sources are in memory, and outputs are only counted.
//   merge_benchmark
// Sources alternate at random (mixed), or one of them holds 64 keys in a row (runs). Goal: 15 ns.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/merge/merge_loop.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kEntries = 400'000;

struct Key {
  char bytes[16];
};

class KeySource final : public MergeSource {
 public:
  explicit KeySource(const std::vector<Key>& keys) : keys_(keys) {}
  Result<bool> next() override {
    if (next_ == keys_.size()) return false;
    const std::string_view key(keys_[next_++].bytes, sizeof(Key));
    entry_ = {key, key, make_tag(1, false)};
    std::uint64_t window = 0;
    std::memcpy(&window, key.data(), sizeof window);
    window_ = __builtin_bswap64(window);
    return true;
  }
  const EntryView& entry() const override { return entry_; }
  std::uint64_t window() const override { return window_; }

 private:
  const std::vector<Key>& keys_;
  std::size_t next_ = 0;
  EntryView entry_;
  std::uint64_t window_ = 0;
};

class CountedOutput {
 public:
  [[nodiscard]] const SstableSize* open() const { return size_ ? &*size_ : nullptr; }
  [[nodiscard]] Result<void> add(const EntryView& entry, std::uint64_t /*window*/) {
    if (!size_) size_.emplace(SstableFormat{});
    // Not add(): the output's own work is not measured here.
    size_->add_measured(entry.key.size() + entry.value.size(), entry.key.size());
    return success();
  }
  [[nodiscard]] Result<void> end_file() {
    size_.reset();
    return success();
  }

 private:
  std::optional<SstableSize> size_;
};

// Keys in order are dealt to the sources, `run` at a time.
void merge(benchmark::State& state, std::uint64_t run) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<std::vector<Key>> keys(count);
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    const std::uint64_t big_endian = __builtin_bswap64(i << 16);
    Key key{};
    std::memcpy(key.bytes, &big_endian, sizeof big_endian);
    // The upper half of a multiplicative hash picks the source.
    keys[((i / run) * 0x9e3779b97f4a7c15 >> 32) % count].push_back(key);
  }
  const TreeState tree;
  MergePlan plan;
  plan.cut.file_bytes = Bytes(2 << 20);
  for (auto _ : state) {
    std::vector<std::unique_ptr<MergeSource>> sources;
    for (const auto& list : keys) sources.push_back(std::make_unique<KeySource>(list));
    MergeHeads heads(sources);
    MergeRules rules{MergeCut(OutputCutter(tree, plan)), TombstoneRule(tree, plan)};
    CountedOutput output;
    const auto dropped = merge_entries(heads, rules, output);
    benchmark::DoNotOptimize(dropped.has_value());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kEntries));
}

BENCHMARK_CAPTURE(merge, mixed, 1)->Arg(2)->Arg(4)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(merge, runs, 64)->Arg(2)->Arg(4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lsmlab::engine

BENCHMARK_MAIN();

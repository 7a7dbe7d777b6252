// Figures of a KeyStore that need a walk over the tree.
#include <algorithm>

#include "models/check.h"
#include "sim/key_store.h"

namespace lsmlab {

std::uint64_t KeyStore::live_bytes() {
  std::vector<MergeInput> inputs;
  const auto push = [&](std::unique_ptr<ListStream> stream) {
    const std::uint64_t entries = stream->entries();
    if (entries > 0) inputs.push_back({std::move(stream), entries});
  };
  for (const Level& level : tree_.levels()) {
    for (const SortedRun& run : level.runs) {
      auto base = std::make_unique<ListStream>();
      std::size_t slices = 0;
      for (const File& file : run.files) {
        EntryList& list = list_of(file.id);
        base->add(list, 0, list.size(), false);
        slices = std::max(slices, file.slices.size());
      }
      push(std::move(base));
      // The n-th slices of a run's files lie in disjoint, rising ranges.
      for (std::size_t n = 0; n < slices; ++n) {
        auto stream = std::make_unique<ListStream>();
        for (const File& file : run.files) {
          if (n >= file.slices.size()) continue;
          const Slice& slice = file.slices[n];
          EntryList& list = list_of(slice.frozen_file);
          const auto [first, last] = list.range_of(slice.keys);
          stream->add(list, first, last, false);
        }
        push(std::move(stream));
      }
    }
  }
  const std::unique_ptr<EntryStream> stream = merged_stream(std::move(inputs));
  std::uint64_t bytes = 0;
  for (;;) {
    const std::span<const Entry> piece = stream->peek();
    if (piece.empty()) return bytes;
    for (const Entry& entry : piece) {
      if (entry.is_tombstone()) continue;
      const SizeClass& size = classes_[entry.size_class()];
      bytes += std::uint64_t{size.key_bytes} + size.value_bytes;
    }
    stream->skip(piece.size());
  }
}

std::uint64_t KeyStore::sorted_runs() const {
  std::uint64_t runs = tree_.run_count();
  if (tree_.frozen_files().empty()) return runs;
  for (const Level& level : tree_.levels()) {
    for (const SortedRun& run : level.runs) {
      std::size_t slices = 0;
      for (const File& file : run.files) slices = std::max(slices, file.slices.size());
      runs += slices;
    }
  }
  return runs;
}

TombstoneSummary KeyStore::tombstones() const {
  TombstoneSummary summary;
  const auto include = [&](const File& file) {
    summary.count += file.tombstones.value();
    if (!file.oldest_tombstone) return;
    if (!summary.oldest || *file.oldest_tombstone < *summary.oldest) {
      summary.oldest = file.oldest_tombstone;
    }
  };
  for (const Level& level : tree_.levels()) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) include(file);
    }
  }
  for (const auto& [id, frozen] : tree_.frozen_files()) include(frozen.file);
  return summary;
}

LevelSummary KeyStore::frozen_summary() const {
  LevelSummary summary;
  for (const auto& [id, frozen] : tree_.frozen_files()) {
    ++summary.files;
    summary.bytes += frozen.file.bytes.value();
    summary.entries += frozen.file.entries.value();
    summary.tombstones += frozen.file.tombstones.value();
  }
  return summary;
}

std::vector<LevelSummary> KeyStore::level_summaries() const {
  std::vector<LevelSummary> levels;
  for (const Level& level : tree_.levels()) {
    LevelSummary& summary = levels.emplace_back();
    for (const SortedRun& run : level.runs) {
      ++summary.runs;
      summary.files += run.files.size();
      for (const File& file : run.files) {
        summary.bytes += file.bytes.value();
        summary.entries += file.entries.value();
        summary.tombstones += file.tombstones.value();
      }
    }
  }
  while (!levels.empty() && levels.back().files == 0) levels.pop_back();
  return levels;
}

}  // namespace lsmlab

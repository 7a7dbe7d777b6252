#include "models/accounting/tree_figures.h"

#include <algorithm>

namespace lsmlab {
namespace {

void include(const File& file, LevelSummary& summary) {
  ++summary.files;
  summary.bytes += file.bytes.value();
  summary.entries += file.entries.value();
  summary.tombstones += file.tombstones.value();
}

void include(const File& file, TombstoneSummary& summary) {
  summary.count += file.tombstones.value();
  if (!file.oldest_tombstone) return;
  if (!summary.oldest || *file.oldest_tombstone < *summary.oldest) {
    summary.oldest = file.oldest_tombstone;
  }
}

}  // namespace

std::uint64_t sorted_runs(const TreeView& tree) {
  std::uint64_t runs = tree.run_count();
  if (tree.frozen_files().empty()) return runs;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      std::size_t slices = 0;
      for (const File& file : run.files) slices = std::max(slices, file.slices.size());
      runs += slices;
    }
  }
  return runs;
}

TombstoneSummary tombstones(const TreeView& tree) {
  TombstoneSummary summary;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) include(file, summary);
    }
  }
  for (const auto& [id, frozen] : tree.frozen_files()) include(frozen.file, summary);
  return summary;
}

LevelSummary frozen_summary(const TreeView& tree) {
  LevelSummary summary;
  for (const auto& [id, frozen] : tree.frozen_files()) include(frozen.file, summary);
  return summary;
}

std::vector<LevelSummary> level_summaries(const TreeView& tree) {
  std::vector<LevelSummary> levels;
  for (const Level& level : tree.levels()) {
    LevelSummary& summary = levels.emplace_back();
    for (const SortedRun& run : level.runs) {
      ++summary.runs;
      for (const File& file : run.files) include(file, summary);
    }
  }
  while (!levels.empty() && levels.back().files == 0) levels.pop_back();
  return levels;
}

}  // namespace lsmlab

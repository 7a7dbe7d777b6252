#include "models/accounting/tree_figures.h"

#include <algorithm>

namespace lsmlab {
namespace {

void include(const RunSums& sums, LevelSummary& summary) {
  summary.files += sums.files;
  summary.merging_files += sums.busy_files;
  summary.bytes += sums.bytes;
  summary.entries += sums.entries;
  summary.tombstones += sums.tombstones;
}

void include(const RunSums& sums, TombstoneSummary& summary) {
  summary.count += sums.tombstones;
  if (sums.oldest_tombstone.count == 0) return;
  const Instant oldest(sums.oldest_tombstone.value);
  summary.oldest = summary.oldest ? std::min(*summary.oldest, oldest) : oldest;
}

}  // namespace

std::uint64_t sorted_runs(const TreeView& tree) {
  std::uint64_t runs = tree.run_count();
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      const RunSums& sums = run.files.sums();
      runs += sums.slices_max.value;
      // A virtual file has only its slices.
      if (sums.virtual_bytes > 0 && sums.slices_max.value > 0) --runs;
    }
  }
  return runs;
}

TombstoneSummary tombstones(const TreeView& tree) {
  TombstoneSummary summary;
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) include(run.files.sums(), summary);
  }
  include(tree.frozen_files().sums(), summary);
  return summary;
}

std::uint64_t kept_ranges(const TreeView& tree) {
  std::uint64_t ranges = 0;
  const auto count = [&](const File& file) {
    if (file.kept_ranges != nullptr) ranges += file.kept_ranges->size();
  };
  for (const Level& level : tree.levels()) {
    for (const SortedRun& run : level.runs) {
      for (const File& file : run.files) count(file);
    }
  }
  for (const FrozenFile& frozen : tree.frozen_files()) count(frozen.file);
  return ranges;
}

LevelSummary frozen_summary(const TreeView& tree) {
  LevelSummary summary;
  include(tree.frozen_files().sums(), summary);
  return summary;
}

std::vector<LevelSummary> level_summaries(const TreeView& tree) {
  std::vector<LevelSummary> levels;
  for (const Level& level : tree.levels()) {
    LevelSummary& summary = levels.emplace_back();
    for (const SortedRun& run : level.runs) {
      ++summary.runs;
      include(run.files.sums(), summary);
    }
  }
  while (!levels.empty() && levels.back().files == 0) levels.pop_back();
  return levels;
}

}  // namespace lsmlab

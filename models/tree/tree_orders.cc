// How a tree keeps what its files overlap in deeper levels, and the orderings of files, up to date.
#include <algorithm>
#include <utility>

#include "models/base/check.h"
#include "models/tree/tree.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

Overlap overlap_with(const SortedRun* run, const KeyRange& keys) {
  if (run == nullptr) return {};
  const FileSpan met = overlapping_files(*run, keys);
  if (met.empty()) return {};
  const RunSums sums = met.sums();
  const File& last = met.back();
  const bool begins_at_end = last.keys.smallest >= keys.largest;
  return {sums.files, sums.bytes, sums.bytes - (begins_at_end ? last.bytes.value() : 0)};
}

// Unites ranges of a level that overlap. What a merge removes and adds mostly becomes one range.
void unite_overlapping(std::vector<std::pair<std::uint32_t, KeyRange>>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second.smallest < b.second.smallest;
  });
  std::size_t kept = 0;
  for (const auto& [level, keys] : ranges) {
    if (kept > 0 && ranges[kept - 1].first == level && ranges[kept - 1].second.overlaps(keys)) {
      ranges[kept - 1].second = hull_of(ranges[kept - 1].second, keys);
    } else {
      ranges[kept++] = {level, keys};
    }
  }
  ranges.resize(kept);
}

}  // namespace

std::array<Overlap, 2> TreeState::overlaps_of(std::uint32_t level, const KeyRange& keys) const {
  std::array<Overlap, 2> overlaps;
  if (level == 0) return overlaps;
  for (std::uint32_t below = 1; below <= orders_.levels_below(); ++below) {
    overlaps[below - 1] = overlap_with(newest_run(*this, level + below), keys);
  }
  return overlaps;
}

void TreeState::keep(std::vector<FileOrdering> orderings) {
  orders_ = FileOrders(std::move(orderings));
  for (std::uint32_t level = 0; level < levels_.size(); ++level) {
    for (SortedRun& run : levels_[level].runs) {
      for (std::size_t i = 0; i < run.files.size(); ++i) {
        const std::array<Overlap, 2> overlaps = overlaps_of(level, run.files[i].keys);
        run.files.annotate(i, [&](File& file) { file.overlaps = overlaps; });
        orders_.add(level, run.files[i]);
      }
    }
  }
}

// Overlaps count the newest run of a level: where another one has become that, the files of both
// matter.
void TreeState::note_newest_runs(Changes& changes) const {
  for (const Changes::Level& changed : changes.levels) {
    const std::vector<SortedRun>& runs = levels_[changed.level].runs;
    if (!runs.empty() && changed.newest == runs.front().id) continue;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i > 0 && runs[i].id != changed.newest) continue;
      for (const File& file : runs[i].files) changes.ranges.emplace_back(changed.level, file.keys);
    }
  }
}

void TreeState::settle_orders(Changes& changes) {
  if (orders_.count() == 0) return;
  std::vector<std::pair<std::uint32_t, FileId>> upper;
  if (orders_.levels_below() > 0) {
    note_newest_runs(changes);
    unite_overlapping(changes.ranges);
    for (const auto& [changed_level, keys] : changes.ranges) {
      for (std::uint32_t up = 1; up <= orders_.levels_below() && up < changed_level; ++up) {
        const std::uint32_t level = changed_level - up;
        for (const SortedRun& run : levels_[level].runs) {
          for (const File& file : overlapping_files(run, keys)) upper.emplace_back(level, file.id);
        }
      }
    }
    std::sort(upper.begin(), upper.end());
    upper.erase(std::unique(upper.begin(), upper.end()), upper.end());
  }
  std::sort(changes.placed.begin(), changes.placed.end());
  std::optional<FileLocation> near;
  for (const auto& [level, id] : changes.placed) {
    const FileLocation at = *find_file(id, near);
    if (orders_.levels_below() > 0) {
      const std::array<Overlap, 2> overlaps = overlaps_of(level, file_at(at).keys);
      files_of(at).annotate(at.file, [&](File& file) { file.overlaps = overlaps; });
    }
    orders_.add(level, file_at(at));
  }
  for (const auto& placed : upper) {
    if (std::binary_search(changes.placed.begin(), changes.placed.end(), placed)) continue;
    const auto& [level, id] = placed;
    const FileLocation at = *find_file(id, near);
    const File& file = file_at(at);
    const std::array<Overlap, 2> overlaps = overlaps_of(level, file.keys);
    if (overlaps == file.overlaps) continue;
    const std::vector<std::optional<FileRanks>> before = orders_.ranks_of(file);
    files_of(at).annotate(at.file, [&](File& changed) { changed.overlaps = overlaps; });
    orders_.move(level, file_at(at), before);
  }
}

}  // namespace lsmlab

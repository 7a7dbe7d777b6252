// How a tree keeps what its files overlap in deeper levels, and the orderings of files, up to date.
#include <algorithm>
#include <array>
#include <boost/container/static_vector.hpp>
#include <utility>

#include "models/base/check.h"
#include "models/tree/tree.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// What ranges overlap in a run. Fast where each range follows the one before.
class OverlapSweep {
 public:
  /// `run` may be null.
  explicit OverlapSweep(const SortedRun* run) {
    if (run == nullptr) return;
    files_ = &run->files;
    end_ = files_->end();
    at_ = files_->begin();
  }

  [[nodiscard]] Overlap of(const KeyRange& keys) {
    Overlap overlap;
    if (files_ == nullptr) return overlap;
    seek(keys.smallest);
    for (; at_ != end_ && at_.smallest_key() <= keys.largest; ++at_) {
      if (overlap.files == kWalkMax) {
        add_rest(keys.largest, overlap);
        break;
      }
      ++overlap.files;
      const std::uint64_t bytes = at_.extremes().bytes;
      overlap.bytes += bytes;
      if (at_.smallest_key() < keys.largest) overlap.bytes_begun_before_end += bytes;
    }
    return overlap;
  }

 private:
  // More neighbours than that are not looked at one by one.
  static constexpr std::uint64_t kWalkMax = 64;
  static constexpr int kStepsMax = 4;

  // To the first file that ends at `key` or above it.
  void seek(std::uint64_t key) {
    if (at_.index() > 0) --at_;  // the last range may have ended inside this file
    const bool is_behind = at_.index() > 0 && at_.smallest_key() > key;
    for (int steps = 0; !is_behind && steps < kStepsMax; ++steps, ++at_) {
      if (at_ == end_ || at_.extremes().largest_key >= key) return;
    }
    at_ = files_->begin() + static_cast<std::ptrdiff_t>(files_->first_ending_from(key));
  }

  void add_rest(std::uint64_t largest, Overlap& overlap) {
    const std::size_t last = files_->first_above(largest);
    const RunSums sums = files_->sums(at_.index(), last);
    const File& file = (*files_)[last - 1];
    const bool begins_at_end = file.keys.smallest >= largest;
    overlap.files += sums.files;
    overlap.bytes += sums.data_bytes();
    overlap.bytes_begun_before_end +=
        sums.data_bytes() - (begins_at_end ? file.data_bytes().value() : 0);
    at_ = files_->begin() + static_cast<std::ptrdiff_t>(last);
  }

  const RunFiles* files_ = nullptr;
  RunFiles::Iterator at_;
  RunFiles::Iterator end_;
};

// The same for the newest run of each level that the orderings look at, below a level.
class OverlapsBelow {
 public:
  OverlapsBelow(const TreeView& tree, std::uint32_t level) {
    // Files of level 0 may overlap whole levels: nobody asks.
    const std::uint32_t levels = level == 0 ? 0 : tree.orders().levels_below();
    for (std::uint32_t below = 1; below <= levels; ++below) {
      sweeps_.emplace_back(newest_run(tree, level + below));
    }
  }
  [[nodiscard]] std::array<Overlap, 2> of(const KeyRange& keys) {
    std::array<Overlap, 2> overlaps;
    for (std::size_t i = 0; i < sweeps_.size(); ++i) overlaps[i] = sweeps_[i].of(keys);
    return overlaps;
  }

 private:
  boost::container::static_vector<OverlapSweep, 2> sweeps_;
};

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

void TreeState::keep(std::vector<FileOrdering> orderings) {
  orders_ = FileOrders(std::move(orderings));
  for (std::uint32_t level = 0; level < levels_.size(); ++level) {
    for (SortedRun& run : levels_[level].runs) {
      OverlapsBelow below(*this, level);
      for (std::size_t i = 0; i < run.files.size(); ++i) {
        const std::array<Overlap, 2> overlaps = below.of(run.files[i].keys);
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

void TreeState::order_placed(const Changes::Placed& placed) {
  std::vector<SortedRun>& runs = levels_[placed.level].runs;
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const SortedRun& candidate) {
    return candidate.id == placed.run;
  });
  CHECK(run != runs.end());
  OverlapsBelow below(*this, placed.level);
  std::size_t at = 0;
  for (const auto& [smallest_key, id] : placed.files) {
    if (at == run->files.size() || run->files[at].id != id)
      at = run->files.first_from(smallest_key);
    if (orders_.levels_below() > 0) {
      const std::array<Overlap, 2> overlaps = below.of(run->files[at].keys);
      run->files.annotate(at, [&](File& file) { file.overlaps = overlaps; });
    }
    orders_.add(placed.level, run->files[at]);
    ++at;
  }
}

// Brings the overlaps of the files that meet a range of keys up to date.
void TreeState::reorder_met(std::uint32_t level, SortedRun& run, const KeyRange& keys) {
  OverlapsBelow below(*this, level);
  const FileSpan met = overlapping_files(run, keys);
  for (std::size_t i = met.first_index(); i < met.first_index() + met.size(); ++i) {
    const std::array<Overlap, 2> overlaps = below.of(run.files[i].keys);
    if (overlaps == run.files[i].overlaps) continue;
    const File before = run.files[i];
    run.files.annotate(i, [&](File& file) { file.overlaps = overlaps; });
    orders_.move(level, before, run.files[i]);
  }
}

void TreeState::settle_orders(Changes& changes) {
  if (orders_.count() == 0) return;
  for (const Changes::Placed& placed : changes.placed) order_placed(placed);
  if (orders_.levels_below() == 0) return;
  note_newest_runs(changes);
  unite_overlapping(changes.ranges);
  for (const auto& [changed_level, keys] : changes.ranges) {
    for (std::uint32_t up = 1; up <= orders_.levels_below() && up < changed_level; ++up) {
      for (SortedRun& run : levels_[changed_level - up].runs) {
        reorder_met(changed_level - up, run, keys);
      }
    }
  }
}

}  // namespace lsmlab

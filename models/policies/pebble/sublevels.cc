#include "models/policies/pebble/sublevels.h"

#include <algorithm>

#include "models/base/check.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// A merge does not grow by a further file of its seed interval if it then has more than this, and
// more than this share above the last size (baseCompactionUsingSeed), or more than the last limit.
constexpr std::uint64_t kSlowGrowthFromBytes = std::uint64_t{100} << 20;
constexpr std::uint64_t kGrowthBytesMax = std::uint64_t{500} << 20;
constexpr std::size_t kInnerDepthMin = 4;

bool grows_too_much(std::uint64_t bytes, std::uint64_t bytes_before) {
  if (bytes <= kSlowGrowthFromBytes) return false;
  return bytes > kGrowthBytesMax || Uint128{bytes} * 2 > Uint128{bytes_before} * 3;
}

}  // namespace

PebbleSublevels::PebbleSublevels(const TreeView& tree, std::uint32_t base_level)
    : tree_(tree), base_(newest_run(tree, base_level)) {
  if (tree.levels().empty()) return;
  const std::vector<SortedRun>& runs = tree.levels().front().runs;
  for (std::size_t run = runs.size(); run-- > 0;) {
    for (const File& file : runs[run].files) add(file, run);
  }
  std::vector<Boundary> boundaries;
  for (const Level0File& file : files_) {
    boundaries.push_back({file.file->keys.smallest, false});
    boundaries.push_back({file.file->keys.largest, true});
  }
  std::sort(boundaries.begin(), boundaries.end());
  boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
  for (const Boundary& boundary : boundaries) {
    intervals_.push_back({boundary, {}, 0, 0, intervals_.size(), intervals_.size()});
  }
  for (std::size_t i = 0; i < files_.size(); ++i) place(i);
  for (std::vector<std::size_t>& sublevel : sublevels_) {
    std::sort(sublevel.begin(), sublevel.end(),
              [&](std::size_t a, std::size_t b) { return files_[a].first < files_[b].first; });
  }
  note_busy();
}

void PebbleSublevels::add(const File& file, std::size_t run) { files_.push_back({&file, run}); }

std::size_t PebbleSublevels::interval_of(const Boundary& boundary) const {
  return static_cast<std::size_t>(
      std::lower_bound(intervals_.begin(), intervals_.end(), boundary,
                       [](const Interval& a, const Boundary& b) { return a.begin < b; }) -
      intervals_.begin());
}

// addFileToSublevels.
void PebbleSublevels::place(std::size_t index) {
  Level0File& file = files_[index];
  file.first = interval_of({file.file->keys.smallest, false});
  file.last = interval_of({file.file->keys.largest, true}) - 1;
  const std::uint64_t share = file.file->bytes.value() / (file.last - file.first + 1);
  for (std::size_t i = file.first; i <= file.last; ++i) {
    Interval& interval = intervals_[i];
    if (!interval.files.empty()) {
      file.sublevel = std::max(file.sublevel, files_[interval.files.back()].sublevel + 1);
    }
    interval.bytes += share;
    interval.reach_min = std::min(interval.reach_min, file.first);
    interval.reach_max = std::max(interval.reach_max, file.last);
    interval.files.push_back(index);
  }
  if (file.sublevel == sublevels_.size()) sublevels_.emplace_back();
  sublevels_[file.sublevel].push_back(index);
}

bool PebbleSublevels::is_base_merging(const File& file) const {
  if (base_ == nullptr) return true;
  const FileSpan below = overlapping_files(*base_, file.keys);
  return std::all_of(below.begin(), below.end(), [](const File& other) { return other.busy; });
}

void PebbleSublevels::note_busy() {
  bool has_base_merge = false;
  for (Level0File& file : files_) {
    if (!file.file->busy) continue;
    file.goes_to_base = is_base_merging(*file.file);
    has_base_merge = has_base_merge || file.goes_to_base;
    for (std::size_t i = file.first; i <= file.last; ++i) ++intervals_[i].busy_files;
  }
  if (has_base_merge) note_base_merges();
}

// InitCompactingFileInfo. One merge into a level runs at a time, so that its keys are the hull of
// all its files.
void PebbleSublevels::note_base_merges() {
  std::optional<KeyRange> keys;
  for (const Level0File& file : files_) {
    if (!file.goes_to_base) continue;
    keys = keys ? hull_of(*keys, file.file->keys) : file.file->keys;
  }
  if (base_ != nullptr) {
    const FileSpan below = overlapping_files(*base_, *keys);
    if (!below.empty()) keys = hull_of(*keys, range_of(below));
  }
  const std::size_t end = interval_of({keys->largest, true});
  for (std::size_t i = interval_of({keys->smallest, false}); i < end; ++i) {
    intervals_[i].goes_to_base = true;
  }
  for (const Interval& interval : intervals_) {
    if (!interval.goes_to_base) continue;
    for (std::size_t i = interval.reach_min; i <= interval.reach_max; ++i) {
      intervals_[i].meets_base_merge = true;
    }
  }
}

std::size_t PebbleSublevels::idle_files() const {
  return static_cast<std::size_t>(std::count_if(
      files_.begin(), files_.end(), [](const Level0File& file) { return !file.file->busy; }));
}

std::size_t PebbleSublevels::depth() const {
  std::size_t depth = 0;
  for (const Interval& interval : intervals_) depth = std::max(depth, interval.files.size());
  return depth;
}

std::size_t PebbleSublevels::idle_depth() const {
  std::size_t depth = 0;
  for (const Interval& interval : intervals_) depth = std::max(depth, interval.idle_depth());
  return depth;
}

std::uint64_t PebbleSublevels::leaving_bytes() const {
  std::uint64_t bytes = 0;
  for (const Level0File& file : files_) {
    if (file.goes_to_base) bytes += file.file->bytes.value();
  }
  return bytes;
}

std::vector<std::uint64_t> PebbleSublevels::flush_split_keys(std::uint64_t bytes) const {
  std::vector<std::uint64_t> keys;
  const Uint128 most = Uint128{bytes} * sublevels_.size();
  if (most == 0) return keys;
  Uint128 passed = 0;
  for (const Interval& interval : intervals_) {
    if (passed > most && (keys.empty() || keys.back() != interval.begin.key)) {
      keys.push_back(interval.begin.key);
      passed = 0;
    }
    passed += interval.bytes;
  }
  return keys;
}

// Equal scores: by key. Pebble's sort leaves their order open where there are more than twelve.
std::vector<PebbleSublevels::Scored> PebbleSublevels::sorted(std::vector<Scored> scored) {
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  return scored;
}

PebbleLevel0Pick PebbleSublevels::pick_of(std::size_t index) const {
  PebbleLevel0Pick pick;
  pick.included.resize(files_.size());
  pick.interval_min = files_[index].first;
  pick.interval_max = files_[index].last;
  include(index, pick);
  return pick;
}

void PebbleSublevels::include(std::size_t index, PebbleLevel0Pick& pick) const {
  if (pick.included[index]) return;
  const Level0File& file = files_[index];
  pick.included[index] = true;
  pick.bytes += file.file->bytes.value();
  pick.interval_min = std::min(pick.interval_min, file.first);
  pick.interval_max = std::max(pick.interval_max, file.last);
}

// extendFiles. False if a file is busy.
bool PebbleSublevels::include_sublevel(std::size_t sublevel, PebbleLevel0Pick& pick) const {
  for (const std::size_t index : sublevels_[sublevel]) {
    const Level0File& file = files_[index];
    if (file.last < pick.interval_min) continue;
    if (file.first > pick.interval_max) break;
    if (file.file->busy) return false;
    include(index, pick);
  }
  return true;
}

std::optional<PebbleLevel0Pick> PebbleSublevels::pick_for_base() const {
  std::vector<Scored> scored;
  for (std::size_t i = 0; i + 1 < intervals_.size(); ++i) {
    const Interval& interval = intervals_[i];
    const std::size_t depth = interval.idle_depth();
    if (interval.goes_to_base || depth == 0) continue;
    scored.push_back({i, interval.meets_base_merge ? depth : depth + sublevels_.size()});
  }
  std::vector<bool> considered(intervals_.size());
  for (const Scored& candidate : sorted(std::move(scored))) {
    if (considered[candidate.interval]) continue;
    const std::size_t seed = intervals_[candidate.interval].files.front();
    for (std::size_t i = files_[seed].first; i <= files_[seed].last; ++i) considered[i] = true;
    if (files_[seed].file->busy) continue;
    std::optional<PebbleLevel0Pick> pick = base_pick_from(seed, candidate.interval);
    if (pick && base_is_idle(*pick)) return pick;
  }
  return std::nullopt;
}

std::optional<PebbleLevel0Pick> PebbleSublevels::base_pick_from(std::size_t seed,
                                                                std::size_t interval) const {
  PebbleLevel0Pick pick = pick_of(seed);
  std::optional<PebbleLevel0Pick> last;
  for (const std::size_t index : intervals_[interval].files) {
    ++pick.depth_reduction;
    pick.seed_sublevel_max = files_[index].sublevel;
    // Pebble adds the file before it asks whether it is busy; a busy one does not go on from here.
    if (files_[index].file->busy) break;
    include(index, pick);
    bool is_free = true;
    for (std::size_t sublevel = files_[index].sublevel; is_free && sublevel-- > 0;) {
      is_free = include_sublevel(sublevel, pick);
    }
    if (!is_free || (last && grows_too_much(pick.bytes, last->bytes))) break;
    last = pick;
  }
  return last;
}

bool PebbleSublevels::base_is_idle(const PebbleLevel0Pick& pick) const {
  if (base_ == nullptr) return true;
  const std::uint64_t from = intervals_[pick.interval_min].begin.key;
  const Boundary& end = intervals_[pick.interval_max + 1].begin;
  for (std::size_t i = base_->files.first_ending_from(from); i < base_->files.size(); ++i) {
    const File& file = base_->files[i];
    if (file.keys.smallest > end.key || (file.keys.smallest == end.key && !end.is_behind)) break;
    if (file.busy) return false;
  }
  return true;
}

std::optional<PebbleLevel0Pick> PebbleSublevels::pick_within() const {
  std::vector<Scored> scored;
  for (std::size_t i = 0; i + 1 < intervals_.size(); ++i) {
    const std::size_t depth = intervals_[i].idle_depth();
    if (depth >= kInnerDepthMin) scored.push_back({i, depth});
  }
  std::vector<bool> considered(intervals_.size());
  for (const Scored& candidate : sorted(std::move(scored))) {
    if (considered[candidate.interval]) continue;
    const std::size_t seed = intervals_[candidate.interval].files.back();
    if (files_[seed].file->busy) continue;
    for (std::size_t i = files_[seed].first; i <= files_[seed].last; ++i) considered[i] = true;
    if (auto pick = inner_pick_from(seed, candidate.interval)) return pick;
  }
  return std::nullopt;
}

std::optional<PebbleLevel0Pick> PebbleSublevels::inner_pick_from(std::size_t seed,
                                                                 std::size_t interval) const {
  PebbleLevel0Pick pick = pick_of(seed);
  pick.seed_sublevel_max = sublevels_.size() - 1;
  std::optional<PebbleLevel0Pick> last;
  const std::vector<std::size_t>& files = intervals_[interval].files;
  for (std::size_t i = files.size(); i-- > 0;) {
    if (files_[files[i]].file->busy) break;
    ++pick.depth_reduction;
    pick.seed_sublevel_min = files_[files[i]].sublevel;
    include(files[i], pick);
    bool is_free = true;
    for (std::size_t sublevel = pick.seed_sublevel_min + 1; is_free && sublevel < sublevels_.size();
         ++sublevel) {
      is_free = include_sublevel(sublevel, pick);
    }
    if (!is_free) break;
    if (last && last->depth_reduction >= kInnerDepthMin && grows_too_much(pick.bytes, last->bytes))
      break;
    last = pick;
  }
  if (!last || last->depth_reduction < kInnerDepthMin) return std::nullopt;
  static_cast<void>(extend(last->interval_min, last->interval_max, false, *last));
  return last;
}

bool PebbleSublevels::extend_for_base(std::optional<std::uint64_t> after,
                                      std::optional<std::uint64_t> before,
                                      PebbleLevel0Pick& pick) const {
  std::size_t first = 0;
  std::size_t last = intervals_.size() - 1;
  if (after) {
    const auto begins_above = [&](const Interval& interval) { return interval.begin.key > *after; };
    first = static_cast<std::size_t>(
        std::find_if(intervals_.begin(), intervals_.end(), begins_above) - intervals_.begin());
  }
  if (before) {
    const auto begins_from = [&](const Interval& interval) {
      return interval.begin.key >= *before;
    };
    std::size_t end = static_cast<std::size_t>(
        std::find_if(intervals_.begin(), intervals_.end(), begins_from) - intervals_.begin());
    // The interval before that one reaches up to the key, except at the end of all.
    if (end < intervals_.size() && end-- == 0) return false;
    if (end-- == 0) return false;
    last = end;
  }
  return last >= first && extend(first, last, true, pick);
}

std::size_t PebbleSublevels::count(const PebbleLevel0Pick& pick) const {
  return static_cast<std::size_t>(std::count(pick.included.begin(), pick.included.end(), true));
}

KeyRange PebbleSublevels::keys(const PebbleLevel0Pick& pick) const {
  std::optional<KeyRange> keys;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (pick.included[i]) keys = keys ? hull_of(*keys, file(i).keys) : file(i).keys;
  }
  CHECK(keys);
  return *keys;
}

bool PebbleSublevels::any_busy(const PebbleLevel0Pick& pick) const {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (pick.included[i] && file(i).busy) return true;
  }
  return false;
}

std::vector<PlanInput> PebbleSublevels::inputs(const PebbleLevel0Pick& pick) const {
  std::vector<PlanInput> inputs;
  const std::vector<SortedRun>& runs = tree_.levels().front().runs;
  // Oldest run first; the files of a run follow each other by key.
  std::optional<std::size_t> run;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!pick.included[i]) continue;
    if (run != files_[i].run) inputs.push_back({0, runs[files_[i].run].id, {}});
    run = files_[i].run;
    inputs.back().files.push_back(file(i).id);
  }
  std::reverse(inputs.begin(), inputs.end());
  return inputs;
}

}  // namespace lsmlab

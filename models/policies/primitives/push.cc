#include "models/policies/primitives/push.h"

#include <algorithm>
#include <utility>

#include "models/base/check.h"
#include "models/policies/primitives/file_choice.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

KeyRange range_of_runs(const std::vector<SortedRun>& runs) {
  CHECK(!runs.empty());
  KeyRange keys = range_of(runs.front().files);
  for (const SortedRun& run : runs) keys = hull_of(keys, range_of(run.files));
  return keys;
}

bool is_of_tombstones(PlanReason reason) {
  return reason == PlanReason::kTombstoneAge || reason == PlanReason::kTombstoneDensity;
}

}  // namespace

PrimitivesPush::PrimitivesPush(const Primitives& primitives, const FileChooser& chooser,
                               const TreeView& tree)
    : primitives_(primitives),
      chooser_(chooser),
      tree_(tree),
      deepest_(deepest_level(tree).value_or(0)) {}

std::uint64_t PrimitivesPush::run_limit(std::uint32_t level) const {
  if (level == 0) return primitives_.levels.l0_trigger;
  switch (primitives_.layout) {
    case DataLayout::kLeveling:
    case DataLayout::kOneLeveling:
      return 1;
    case DataLayout::kTiering:
      return primitives_.tier_runs;
    case DataLayout::kLLeveling:
      return level >= deepest_ ? 1 : primitives_.tier_runs;
    case DataLayout::kHybrid:
      break;
  }
  const std::vector<std::uint64_t>& limits = primitives_.run_limits;
  return limits[std::min<std::size_t>(level, limits.size()) - 1];
}

bool PrimitivesPush::is_leveled(std::uint32_t level) const {
  if (level == 0 || run_limit(level) > 1) return false;
  // A tree that another policy made may have more runs in the level. Until they are merged, the
  // level counts as tiered.
  return level >= tree_.levels().size() || tree_.levels()[level].runs.size() <= 1;
}

bool PrimitivesPush::moves_whole(std::uint32_t level) const {
  return !primitives_.is_partial() || !is_leveled(level) || !is_leveled(level + 1);
}

bool PrimitivesPush::is_busy(std::uint32_t level) const {
  if (level >= tree_.levels().size()) return false;
  const std::vector<SortedRun>& runs = tree_.levels()[level].runs;
  return std::any_of(runs.begin(), runs.end(), [](const SortedRun& run) { return run.busy(); });
}

OutputTarget PrimitivesPush::target_in(std::uint32_t level) const {
  return is_leveled(level) ? leveled_target(tree_, level) : OutputTarget{level, std::nullopt};
}

OutputCut PrimitivesPush::cut_for(std::uint32_t level) const {
  OutputCut cut;
  cut.file_bytes = primitives_.levels.file_size;
  cut.measure = CutMeasure::kEntries;
  if (primitives_.grandparent_bytes_max && is_leveled(level)) {
    cut.grandparents = GrandparentRule::kOverlapLimit;
    cut.grandparent_bytes_max = *primitives_.grandparent_bytes_max;
  }
  return cut;
}

MergePlan PrimitivesPush::merge(std::vector<PlanInput> inputs, OutputTarget target) const {
  return {false, std::move(inputs), target, cut_for(target.level)};
}

std::vector<PlanInput> PrimitivesPush::all_runs(std::uint32_t level) const {
  std::vector<PlanInput> inputs;
  for (const SortedRun& run : tree_.levels()[level].runs) {
    inputs.push_back(input_of(level, run, run.files));
  }
  return inputs;
}

// Files of a leveled level that data of these keys merges with. By the whole range, gaps between
// the data included, as an output file may span them.
FileSpan PrimitivesPush::met_below(std::uint32_t level, const KeyRange& keys) const {
  const SortedRun* run = newest_run(tree_, level);
  if (run == nullptr || !is_leveled(level)) return {};
  const FileSpan met = overlapping_files(*run, keys);
  if (met.empty() || primitives_.granularity != Granularity::kLevel) return met;
  return run->files;
}

// Whether data of `keys` may go to `level` now. It may not
//   - if it overlaps a busy file;
//   - if it falls into a gap between two busy files of a run: a merge that takes both may write
//   there;
//   - if all files of the run are busy: all of them may leave, and the run with them;
//   - if the level is leveled and empty and the level above is busy: another merge may be about to
//     make its run.
bool PrimitivesPush::is_free_below(std::uint32_t level, const KeyRange& keys) const {
  if (!is_leveled(level)) return true;
  const SortedRun* run = newest_run(tree_, level);
  if (run == nullptr) return !is_busy(level - 1);
  const FileSpan met = met_below(level, keys);
  if (!met.empty()) return !any_busy(met);
  const RunFiles& files = run->files;
  if (files.sums().busy_files == files.size()) return false;
  const std::size_t above = files.first_ending_from(keys.smallest);
  if (above == 0 || above == files.size()) return true;
  return !(files[above].busy && files[above - 1].busy);
}

// Whether taking these idle files could leave a leveled level without its run while a merge of the
// level above is about to write to it.
bool PrimitivesPush::would_empty_target(std::uint32_t level, std::size_t file_count) const {
  if (!is_leveled(level) || !is_busy(level - 1)) return false;
  const RunFiles& files = newest_run(tree_, level)->files;
  return files.size() - files.sums().busy_files == file_count;
}

bool PrimitivesPush::must_rewrite(std::uint32_t level, const KeyRange& keys,
                                  PlanReason reason) const {
  if (!is_of_tombstones(reason)) return false;
  const std::span<const Level> levels = tree_.levels();
  for (std::size_t below = level + 1; below < levels.size(); ++below) {
    for (const SortedRun& run : levels[below].runs) {
      if (!overlapping_files(run, keys).empty()) return false;
    }
  }
  return true;
}

// A moved file keeps its size, however much it overlaps below; past the limit it is rewritten, so
// that the cut rule divides it (as LevelDB and RocksDB do).
bool PrimitivesPush::may_move(std::uint32_t level, const FileSpan& files) const {
  const SortedRun* grandparent = newest_run(tree_, level + 1);
  if (!primitives_.grandparent_bytes_max || grandparent == nullptr || !is_leveled(level)) {
    return true;
  }
  return std::all_of(files.begin(), files.end(), [&](const File& file) {
    return file.bytes + sum_of_bytes(overlapping_files(*grandparent, file.keys)) <=
           *primitives_.grandparent_bytes_max;
  });
}

std::optional<Plan> PrimitivesPush::push_level(std::uint32_t level, PlanReason reason) const {
  if (tree_.levels()[level].runs.empty()) return std::nullopt;
  if (moves_whole(level)) return push_runs(level, reason);
  return push_file(level, reason,
                   chooser_.choose(tree_, level, FileSet::kAll, may_take_from(level)));
}

std::optional<Plan> PrimitivesPush::push_dense(std::uint32_t level, PlanReason reason) const {
  if (chooser_.dense_files(tree_, level).empty()) return std::nullopt;
  if (moves_whole(level)) return push_runs(level, reason);
  return push_file(level, reason,
                   chooser_.choose(tree_, level, FileSet::kDense, may_take_from(level)));
}

std::optional<Plan> PrimitivesPush::push_some(std::uint32_t level, PlanReason reason,
                                              const std::vector<std::size_t>& files) const {
  if (files.empty()) return std::nullopt;
  return push_file(level, reason, chooser_.choose_among(tree_, level, files, may_take_from(level)));
}

FileChooser::MayTake PrimitivesPush::may_take_from(std::uint32_t level) const {
  return
      [this, level](const File& file) { return !file.busy && is_free_below(level + 1, file.keys); };
}

std::optional<Plan> PrimitivesPush::push_runs(std::uint32_t level, PlanReason reason) const {
  const std::vector<SortedRun>& runs = tree_.levels()[level].runs;
  if (is_busy(level)) return std::nullopt;
  const bool is_one = runs.size() == 1;
  const KeyRange keys = range_of_runs(runs);
  if (must_rewrite(level, keys, reason)) {
    const OutputTarget here{level, is_one ? std::optional(runs.front().id) : std::nullopt};
    return Plan{reason, merge(all_runs(level), here), {}};
  }
  if (!is_free_below(level + 1, keys)) return std::nullopt;
  if (is_one && would_empty_target(level, runs.front().files.size())) return std::nullopt;
  const FileSpan met = met_below(level + 1, keys);
  if (met.empty() && is_one && may_move(level + 1, runs.front().files)) {
    return Plan{reason, MovePlan{all_runs(level), target_in(level + 1)}, {}};
  }
  std::vector<PlanInput> inputs = all_runs(level);
  if (!met.empty()) inputs.push_back(input_of(level + 1, *newest_run(tree_, level + 1), met));
  return Plan{reason, merge(std::move(inputs), target_in(level + 1)), {}};
}

std::optional<Plan> PrimitivesPush::push_file(std::uint32_t level, PlanReason reason,
                                              const std::optional<FileChoice>& chosen) const {
  if (!chosen) return std::nullopt;
  const FileChoice& choice = *chosen;
  const SortedRun& run = *newest_run(tree_, level);
  FileSpan taken(run.files, choice.index, choice.index + 1);
  std::vector<CursorUpdate> cursors;
  if (must_rewrite(level, taken.front().keys, reason)) {
    if (choice.moves_cursor) cursors.push_back({level, taken.back().keys.largest});
    return Plan{reason, merge({input_of(level, run, taken)}, {level, run.id}), std::move(cursors)};
  }
  while (taken.size() < primitives_.files_per_merge &&
         choice.index + taken.size() < run.files.size()) {
    const FileSpan more(run.files, choice.index, choice.index + taken.size() + 1);
    if (more.back().busy || !is_free_below(level + 1, range_of(more))) break;
    taken = more;
  }
  if (would_empty_target(level, taken.size())) return std::nullopt;
  if (choice.moves_cursor) cursors.push_back({level, taken.back().keys.largest});
  const FileSpan met = met_below(level + 1, range_of(taken));
  std::vector<PlanInput> inputs{input_of(level, run, taken)};
  const OutputTarget target = target_in(level + 1);
  if (met.empty() && may_move(level + 1, taken)) {
    return Plan{reason, MovePlan{std::move(inputs), target}, std::move(cursors)};
  }
  if (!met.empty()) inputs.push_back(input_of(level + 1, *newest_run(tree_, level + 1), met));
  return Plan{reason, merge(std::move(inputs), target), std::move(cursors)};
}

std::optional<Plan> PrimitivesPush::merge_all(PlanReason reason) const {
  std::vector<PlanInput> inputs;
  Bytes bytes;
  for (std::uint32_t level = 0; level <= deepest_; ++level) {
    if (is_busy(level)) return std::nullopt;
    for (PlanInput& input : all_runs(level)) inputs.push_back(std::move(input));
    bytes += level_bytes(tree_, level);
  }
  std::uint32_t level = deepest_;
  // Otherwise the data that level saturation then moves on would be merged with the rest once more.
  while (primitives_.has(Trigger::kLevelSaturation) && is_leveled(level) && is_leveled(level + 1) &&
         primitives_.levels.capacity(level) < bytes) {
    ++level;
  }
  return Plan{reason, merge(std::move(inputs), target_in(level)), {}};
}

}  // namespace lsmlab

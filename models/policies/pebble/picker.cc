#include "models/policies/pebble/picker.h"

#include <algorithm>
#include <utility>

#include "models/base/check.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

enum Ordering : std::size_t { kLeastOverlap, kOnlyTombstones, kManyTombstones };

// Nothing of the file tells what its tombstones delete.
bool has_no_value(const File& file) {
  return file.tombstones == file.entries && file.tombstones > Entries(0);
}

// Bytes of the next level under a file, in 1024ths of what merging it is worth.
std::uint64_t overlap_ratio(const File& file, std::uint64_t freed_bytes) {
  const Uint128 overlapped = Uint128{file.overlaps[0].bytes} * 1024;
  return static_cast<std::uint64_t>(overlapped /
                                    std::max<std::uint64_t>(1, file.bytes.value() + freed_bytes));
}

std::uint64_t bytes_of(const PebbleJob& job) {
  std::uint64_t bytes = 0;
  if (job.level0) bytes += job.level0->bytes;
  for (const PebbleJob::LevelFiles& taken : job.levels) bytes += taken.files.sums().bytes;
  return bytes;
}

// predictedWriteAmp: all bytes for each byte from above the output level.
double write_amplification(const PebbleJob& job) {
  const std::uint64_t all = bytes_of(job);
  const std::uint64_t from_above = all - job.levels.back().files.sums().bytes;
  return static_cast<double>(all) / static_cast<double>(from_above);
}

void add_keys(const FileSpan& files, KeyRange& keys) {
  if (!files.empty()) keys = hull_of(keys, range_of(files));
}

}  // namespace

std::vector<FileOrdering> pebble_orderings() {
  FileOrdering least{"least overlap", [](const File& file) -> std::optional<FileRanks> {
                       if (has_no_value(file)) return std::nullopt;
                       const std::uint64_t freed = PebbleTombstones::of(file).freed_bytes();
                       return FileRanks{FileRank{overlap_ratio(file, freed)}};
                     }};
  least.levels_below = 1;
  FileOrdering only{"only tombstones", [](const File& file) {
                      return has_no_value(file) ? std::optional(FileRanks{}) : std::nullopt;
                    }};
  FileOrdering many{"many tombstones, oldest first",
                    [](const File& file) -> std::optional<FileRanks> {
                      if (file.tombstones.value() * 10 <= file.entries.value()) return std::nullopt;
                      return FileRanks{FileRank{file.sequences.last}};
                    }};
  many.by_age = true;
  return {std::move(least), std::move(only), std::move(many)};
}

std::optional<PebbleJob> PebblePicker::pick() const {
  for (const PebbleLevels::Candidate& candidate : levels_.candidates(level0_)) {
    std::optional<PebbleJob> job =
        candidate.level == 0 ? pick_from_level0() : pick_from(candidate.level);
    if (!job) continue;
    job->is_move = can_move(*job);
    return job;
  }
  return pick_for_tombstones();
}

std::uint64_t PebblePicker::expanded_bytes_max(std::uint32_t level) const {
  return 25 * levels_.file_bytes(level);
}

std::optional<PebbleJob> PebblePicker::pick_from_level0() const {
  if (std::optional<PebbleLevel0Pick> pick = level0_.pick_for_base()) {
    PebbleJob job;
    job.keys = level0_.keys(*pick);
    job.level0 = std::move(pick);
    if (!level0_.any_busy(*job.level0) && set_up(levels_.base_level(), job)) {
      return with_third_level(std::move(job));
    }
  }
  return pick_within_level0();
}

std::optional<PebbleJob> PebblePicker::pick_within_level0() const {
  std::optional<PebbleLevel0Pick> pick = level0_.pick_within();
  if (!pick || level0_.any_busy(*pick) || level0_.count(*pick) < 2) return std::nullopt;
  PebbleJob job;
  job.reason = PlanReason::kLevel0Only;
  job.keys = level0_.keys(*pick);
  job.level0 = std::move(pick);
  return job;
}

bool PebblePicker::is_being_opened(std::uint32_t level) const {
  if (levels_.run(level) != nullptr) return false;
  bool has_busy = level0_.leaving_bytes() > 0;
  for (std::uint32_t above = levels_.base_level(); above < level; ++above) {
    const SortedRun* run = levels_.run(above);
    has_busy = has_busy || (run != nullptr && run->busy());
  }
  return has_busy;
}

bool PebblePicker::is_free(std::uint32_t level, const File& file) const {
  return !file.busy && !any_busy(levels_.overlapping(level + 1, file.keys));
}

std::optional<std::size_t> PebblePicker::seed_file(std::uint32_t level) const {
  struct Seed {
    std::uint64_t ratio = 0;
    std::size_t index = 0;
  };
  std::optional<Seed> best;
  const RunFiles& files = levels_.run(level)->files;
  for (const OrderedFile& ordered : levels_.tree().order(kLeastOverlap, level)) {
    const std::size_t index = files.first_from(ordered.smallest_key);
    if (!is_free(level, files[index])) continue;
    best = {ordered.ranks.first_number(), index};
    break;
  }
  for (const OrderedFile& ordered : levels_.tree().order(kOnlyTombstones, level)) {
    const std::size_t index = files.first_from(ordered.smallest_key);
    const File& file = files[index];
    if (!is_free(level, file)) continue;
    const std::uint64_t ratio = overlap_ratio(
        file, PebbleTombstones::of(file).freed_bytes(levels_.mean_value_bytes(level)));
    if (!best || std::pair(ratio, index) < std::pair(best->ratio, best->index)) {
      best = {ratio, index};
    }
  }
  return best ? std::optional(best->index) : std::nullopt;
}

std::optional<PebbleJob> PebblePicker::pick_from(std::uint32_t level) const {
  if (levels_.run(level) == nullptr) return std::nullopt;
  const std::optional<std::size_t> seed = seed_file(level);
  if (!seed) return std::nullopt;
  PebbleJob job;
  job.start_level = level;
  const FileSpan files(levels_.run(level)->files, *seed, *seed + 1);
  job.keys = range_of(files);
  job.levels.push_back({level, files});
  if (!set_up(level + 1, job)) return std::nullopt;
  return with_third_level(std::move(job));
}

bool PebblePicker::set_up(std::uint32_t output_level, PebbleJob& job) const {
  const FileSpan files = levels_.overlapping(output_level, job.keys);
  if (any_busy(files) || is_being_opened(output_level)) return false;
  add_keys(files, job.keys);
  const bool is_from_level0 = job.levels.empty();
  const bool is_first = job.level0 ? is_from_level0 : job.levels.size() == 1;
  if (is_first) job.size_level = output_level;
  job.levels.push_back({output_level, files});
  job.output_level = output_level;
  if (is_from_level0) {
    grow_level0(job);
  } else {
    grow(job);
  }
  return true;
}

void PebblePicker::grow(PebbleJob& job) const {
  PebbleJob::LevelFiles& above = job.levels[job.levels.size() - 2];
  const FileSpan& below = job.levels.back().files;
  if (below.empty()) return;
  const FileSpan grown = levels_.overlapping(above.level, job.keys);
  if (any_busy(grown) || grown.size() <= above.files.size()) return;
  if (grown.sums().bytes + below.sums().bytes >= expanded_bytes_max(job.output_level)) return;
  const KeyRange keys = hull_of(range_of(grown), range_of(below));
  if (levels_.overlapping(job.output_level, keys).size() != below.size()) return;
  above.files = grown;
  add_keys(grown, job.keys);
}

void PebblePicker::grow_level0(PebbleJob& job) const {
  std::optional<std::uint64_t> after;
  std::optional<std::uint64_t> before;
  const FileSpan& below = job.levels.back().files;
  if (const SortedRun* base = levels_.run(job.output_level)) {
    const RunFiles& files = base->files;
    std::size_t first = below.first_index();
    std::size_t last = first + below.size();
    if (below.empty()) {
      first = files.first_from(job.keys.smallest);
      last = files.first_ending_from(job.keys.largest);
    }
    if (first > 0) after = files[first - 1].keys.largest;
    if (last < files.size()) before = files[last].keys.smallest;
  }
  PebbleLevel0Pick grown = *job.level0;
  if (!level0_.extend_for_base(after, before, grown)) return;
  if (grown.bytes + below.sums().bytes >= expanded_bytes_max(job.output_level)) return;
  job.level0 = std::move(grown);
  job.keys = hull_of(job.keys, level0_.keys(*job.level0));
}

PebbleJob PebblePicker::with_third_level(PebbleJob job) const {
  if (options_.multilevel == PebbleMultilevel::kNone) return job;
  if (job.level0 && options_.multilevel != PebbleMultilevel::kAll) return job;
  if (job.output_level + 1 >= kPebbleLevels) return job;
  if (bytes_of(job) > expanded_bytes_max(job.output_level)) return job;
  PebbleJob wide = job;
  if (!set_up(job.output_level + 1, wide)) return job;
  const bool is_limited = options_.version == PebbleVersion::k2_1;
  if (is_limited && bytes_of(wide) >= expanded_bytes_max(wide.output_level)) return job;
  const double narrow = write_amplification(job);
  return write_amplification(wide) <= narrow + options_.propensity ? wide : job;
}

bool PebblePicker::can_move(const PebbleJob& job) const {
  if (job.reason != PlanReason::kLevelSaturated) return false;
  std::size_t start_files = job.level0 ? level0_.count(*job.level0) : 0;
  for (const PebbleJob::LevelFiles& taken : job.levels) {
    if (taken.level == job.start_level) {
      start_files = taken.files.size();
    } else if (!taken.files.empty()) {
      return false;
    }
  }
  const std::uint64_t below = levels_.overlapping(job.output_level + 1, job.keys).sums().bytes;
  return start_files == 1 && below <= 10 * levels_.file_bytes(job.size_level);
}

std::optional<PebbleJob> PebblePicker::pick_for_tombstones() const {
  constexpr std::uint32_t kLast = kPebbleLevels - 1;
  if (levels_.run(kLast) == nullptr) return std::nullopt;
  const RunFiles& files = levels_.run(kLast)->files;
  for (const OrderedFile& ordered : levels_.tree().order(kManyTombstones, kLast)) {
    const std::size_t index = files.first_from(ordered.smallest_key);
    if (files[index].busy) continue;
    PebbleJob job;
    job.reason = PlanReason::kTombstoneDensity;
    job.start_level = job.output_level = job.size_level = kLast;
    const FileSpan file(files, index, index + 1);
    job.keys = range_of(file);
    job.levels.push_back({kLast, file});
    return job;
  }
  return std::nullopt;
}

}  // namespace lsmlab

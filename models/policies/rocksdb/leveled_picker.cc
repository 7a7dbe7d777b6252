#include "models/policies/rocksdb/leveled_picker.h"

#include <algorithm>
#include <limits>

#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::size_t kMovedTogetherMax = 4;   // kMaxMultiTrivialMove
constexpr std::size_t kWithinLevel0Min = 4;    // kMinFilesForIntraL0Compaction
constexpr std::size_t kWithinLevel0Extra = 2;  // files beyond the trigger (PickIntraL0Compaction)

}  // namespace

std::optional<RocksdbJob> RocksdbLeveledPicker::pick() {
  if (!pick_initial_files()) return std::nullopt;
  return completed();
}

std::optional<RocksdbJob> RocksdbLeveledPicker::pick_level0() {
  for (const LevelScore& candidate : levels_.scores()) {
    if (candidate.level > 0) continue;
    if (candidate.score < 1.0) return std::nullopt;
    if (!pick_of_level(0) && !pick_within_level0()) return std::nullopt;
    return completed();
  }
  return std::nullopt;
}

std::optional<RocksdbJob> RocksdbLeveledPicker::pick_manual(const ManualCompaction& manual) {
  if (!flushes_first(manual.scope)) return pick_push(manual);
  std::uint32_t deepest = 0;
  std::uint32_t first = levels_.level_count();
  for (std::uint32_t level = 0; level < levels_.level_count(); ++level) {
    if (levels_.file_count(level) == 0) continue;
    first = std::min(first, level);
    deepest = level;
  }
  if (first == levels_.level_count()) return std::nullopt;
  job_.reason = PlanReason::kManual;
  job_.start_level = first;
  if (first == 0) {
    job_.output_level = levels_.base_level();
    job_.start_files = levels_.level0();
    return any_busy(job_.start_files) ? std::nullopt : completed();
  }
  if (first < deepest) {
    job_.output_level = first + 1;
    return take_piece(first) ? completed() : std::nullopt;
  }
  // Without a compaction filter, RocksDB leaves the deepest level as it is unless it is forced.
  if (manual.scope == ManualScope::kUpper) return std::nullopt;
  job_.output_level = first;
  return take_old_piece(first, manual.first_new) ? completed() : std::nullopt;
}

// db_bench's CompactLevelHelper, CompactionPicker::SanitizeCompactionInputFilesForAllLevels: the
// whole level and what it overlaps in the next level that has files. Nothing moves.
std::optional<RocksdbJob> RocksdbLeveledPicker::pick_push(const ManualCompaction& manual) {
  const auto next_used = [&](std::uint32_t level) {
    while (level < levels_.level_count() && levels_.file_count(level) == 0) ++level;
    return level;
  };
  const std::uint32_t from = manual.scope == ManualScope::kLevel0 ? 0 : next_used(1);
  if (from >= levels_.level_count() || levels_.file_count(from) == 0) return std::nullopt;
  const std::uint32_t to = next_used(from + 1);
  if (to >= levels_.level_count()) return std::nullopt;
  for (std::size_t i = 0; i < levels_.file_count(from); ++i) {
    const File& file = levels_.file(from, i);
    if (file.id >= manual.first_new) return std::nullopt;  // it is done
    job_.start_files.push_back(&file);
  }
  job_.output_files = levels_.overlapping(to, hull_of(job_.start_files));
  if (any_busy(job_.start_files) || any_busy(job_.output_files)) return std::nullopt;
  job_.reason = PlanReason::kManual;
  job_.start_level = from;
  job_.output_level = to;
  job_.has_grandparents = false;
  job_.is_level_push = true;
  return std::move(job_);
}

// CompactionPicker::CompactRange: files from the first on, until they and what they overlap below
// reach the limit.
bool RocksdbLeveledPicker::take_piece(std::uint32_t level) {
  const RunFiles* const below = levels_.run(job_.output_level);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < levels_.file_count(level); ++i) {
    const File& file = levels_.file(level, i);
    job_.start_files.push_back(&file);
    bytes += file.bytes.value();
    std::uint64_t overlap = 0;
    if (below != nullptr) {
      const std::uint64_t smallest = job_.start_files.front()->keys.smallest;
      overlap =
          below->sums(below->first_ending_from(smallest), below->first_above(file.keys.largest))
              .bytes;
    }
    if (bytes + overlap >= options_.max_compaction_bytes) break;
  }
  return !any_busy(job_.start_files);
}

// The same within the deepest level: neighbours that were there before, each of which counts as its
// own overlap, too.
bool RocksdbLeveledPicker::take_old_piece(std::uint32_t level, FileId first_new) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < levels_.file_count(level); ++i) {
    const File& file = levels_.file(level, i);
    if (file.id >= first_new) {
      if (!job_.start_files.empty()) break;
      continue;
    }
    job_.start_files.push_back(&file);
    bytes += 2 * file.bytes.value();
    if (bytes >= options_.max_compaction_bytes) break;
  }
  return !job_.start_files.empty() && !any_busy(job_.start_files);
}

std::optional<RocksdbJob> RocksdbLeveledPicker::completed() {
  if (job_.output_level > job_.start_level) {
    if (!take_overlapping_level0()) return std::nullopt;
    if (goes_round()) extend_round_robin();
    if (!is_level0_move_ && !take_output_files()) return std::nullopt;
    if (is_single_file_ && lies_between_inputs(job_.start_files)) return std::nullopt;
    job_.has_grandparents = !is_level0_move_;
    job_.is_move = is_trivial_move();
  }
  if (moves_cursor()) {
    // GetNextCompactCursor: the file after those taken, in the order of the pick.
    const std::size_t count = levels_.file_count(job_.start_level);
    const std::size_t next = (first_index_ + job_.start_files.size()) % count;
    job_.next_cursor = levels_.file(job_.start_level, next).keys.smallest;
  }
  return std::move(job_);
}

// RocksDB's SetupInitialFiles.
bool RocksdbLeveledPicker::pick_initial_files() {
  if (pick_by_score()) return true;
  job_.start_files.clear();
  if (pick_marked()) return true;
  if (pick_expired_in_turn()) return true;
  job_.start_files.clear();
  return pick_expired() || pick_periodic();
}

void RocksdbLeveledPicker::aim_at_next_level(const RocksdbFilePlace& place) {
  job_.start_level = place.level;
  job_.output_level = place.level == 0 ? levels_.base_level() : place.level + 1;
  job_.start_files = {&levels_.file(place.level, place.index)};
}

bool RocksdbLeveledPicker::pick_marked() {
  if (!options_.marked_files) return false;
  const std::optional<RocksdbFilePlace> place = next_marked(levels_, *options_.marked_files);
  if (!place) return false;
  is_single_file_ = true;
  aim_at_next_level(*place);
  job_.reason = PlanReason::kMarkedFile;
  return true;
}

// RocksDB's kRoundRobinTtl.
bool RocksdbLeveledPicker::pick_expired_in_turn() {
  if (!options_.ttl || !is_round_robin()) return false;
  const std::optional<std::uint32_t> level = first_expired_level(levels_, *options_.ttl);
  if (!level || *level == 0) return false;
  job_.start_level = *level;
  job_.output_level = *level + 1;
  job_.reason = PlanReason::kTimeToLive;
  is_expired_in_turn_ = pick_file();
  return is_expired_in_turn_;
}

bool RocksdbLeveledPicker::pick_expired() {
  if (!options_.ttl) return false;
  const std::optional<RocksdbFilePlace> place = next_expired(levels_, *options_.ttl);
  if (!place) return false;
  is_single_file_ = true;
  aim_at_next_level(*place);
  job_.reason = PlanReason::kTimeToLive;
  return true;
}

bool RocksdbLeveledPicker::pick_periodic() {
  if (!options_.periodic_age) return false;
  const std::optional<RocksdbFilePlace> place = next_periodic(levels_, *options_.periodic_age);
  if (!place) return false;
  job_.reason = PlanReason::kPeriodic;
  const bool goes_down = levels_.is_dynamic() && options_.version >= RocksdbVersion::k8_11 &&
                         place->level < deepest_level(levels_);
  if (goes_down) {
    is_single_file_ = true;
    aim_at_next_level(*place);
    return true;
  }
  job_.start_level = job_.output_level = place->level;
  job_.start_files = {&levels_.file(place->level, place->index)};
  return true;
}

bool RocksdbLeveledPicker::pick_by_score() {
  bool skipped_level0 = false;
  for (const LevelScore& candidate : levels_.scores()) {
    if (candidate.score < 1.0) return false;
    // Compactions from the base level would make level 0 wait longer.
    if (skipped_level0 && candidate.level == levels_.base_level()) continue;
    if (pick_of_level(candidate.level)) return true;
    if (candidate.level > 0) continue;
    skipped_level0 = true;
    if (pick_within_level0()) return true;
  }
  return false;
}

bool RocksdbLeveledPicker::pick_of_level(std::uint32_t level) {
  job_.start_level = level;
  job_.output_level = level == 0 ? levels_.base_level() : level + 1;
  job_.reason = level == 0 ? PlanReason::kSortedRunCount : PlanReason::kLevelSaturated;
  job_.start_files.clear();
  return pick_file();
}

// RocksDB's PickFileToCompact. RocksDB remembers its position within a version. The files that it
// skipped stay busy until the next version, so a search from the start finds the same file.
bool RocksdbLeveledPicker::pick_file() {
  // Two compactions from level 0 do not run at once, and its files are busy as long as one does.
  if (job_.start_level == 0) {
    if (any_busy(levels_.level0())) return pick_level0_by_size();
    if (pick_level0_move() || pick_level0_by_size()) return true;
  }
  FilesByPriority files(levels_, job_.start_level, turns(), options_.ttl);
  bool is_first = true;
  while (const std::optional<std::size_t> index = files.next()) {
    if (is_first) first_index_ = *index;
    is_first = false;
    if (is_free(*index)) return true;
    job_.start_files.clear();
    if (is_round_robin()) return false;
  }
  return false;
}

bool RocksdbLeveledPicker::is_free(std::size_t index) {
  const File* file = &levels_.file(job_.start_level, index);
  if (file->busy) return false;
  job_.start_files = {file};
  if (lies_between_inputs(job_.start_files)) return false;
  const FileList below = levels_.overlapping(job_.output_level, file->keys);
  const bool is_extended = job_.start_level > 0 || options_.version < RocksdbVersion::k8_4;
  if (below.empty() && is_extended && moves_several()) static_cast<void>(extend_move(index));
  return !any_busy(below);
}

// RocksDB's TryPickL0TrivialMove: starts at the oldest file and continues while files overlap
// neither each other nor the base level. RocksDB compares internal keys here, so it also moves two
// files that share a boundary user key. A run of this tree cannot hold such files.
bool RocksdbLeveledPicker::pick_level0_move() {
  if (!moves_several() || levels_.file_count(job_.output_level) == 0) return false;
  const FileList& files = levels_.level0();
  KeyRange keys;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (file == files.rbegin()) {
      keys = (*file)->keys;
    } else if ((*file)->keys.overlaps(keys)) {
      break;
    } else {
      // A file below may lie in the gap between two taken files. RocksDB counts it as an overlap.
      keys = hull_of(keys, (*file)->keys);
    }
    if (!levels_.overlapping(job_.output_level, keys).empty()) break;
    job_.start_files.push_back(*file);
  }
  std::reverse(job_.start_files.begin(), job_.start_files.end());
  is_level0_move_ = !job_.start_files.empty();
  return is_level0_move_;
}

// RocksDB's FindIntraL0Compaction.
bool RocksdbLeveledPicker::pick_within_level0() {
  const FileList& files = levels_.level0();
  if (files.size() < options_.l0_trigger + kWithinLevel0Extra || files[0]->busy) return false;
  std::uint64_t bytes = files[0]->bytes.value();
  std::uint64_t bytes_by_file = std::numeric_limits<std::uint64_t>::max();
  std::size_t count = 1;
  for (; count < files.size(); ++count) {
    bytes += files[count]->bytes.value();
    if (files[count]->busy || bytes / count > bytes_by_file ||
        bytes > options_.max_compaction_bytes) {
      break;
    }
    bytes_by_file = bytes / count;
  }
  if (count < kWithinLevel0Min) return false;
  job_.start_files.assign(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(count));
  job_.output_level = 0;
  job_.reason = PlanReason::kLevel0Only;
  return true;
}

// PickSizeBasedIntraL0Compaction, first in RocksDB 9.0, and in 9.6 with other sizes.
bool RocksdbLeveledPicker::pick_level0_by_size() {
  if (options_.version < RocksdbVersion::k9_0) return false;
  const FileList& files = levels_.level0();
  const std::size_t files_min = std::max<std::uint64_t>(2, options_.l0_trigger);
  if (files.size() < files_min) return false;
  Uint128 bytes = 0;
  const bool is_compensated = options_.version >= RocksdbVersion::k9_6;
  for (const File* file : files) {
    bytes += is_compensated ? levels_.compensated_bytes(*file) : file->bytes.value();
  }
  const std::uint64_t ratio =
      (is_compensated ? 2 : 1) * std::max<std::uint64_t>(10, options_.size_ratio);
  if (levels_.bytes(levels_.base_level()) <= bytes * ratio) return false;
  const auto first_busy =
      std::find_if(files.begin(), files.end(), [](const File* file) { return file->busy; });
  if (static_cast<std::size_t>(first_busy - files.begin()) < files_min) return false;
  job_.start_files.assign(files.begin(), first_busy);
  job_.output_level = 0;
  job_.reason = PlanReason::kLevel0Only;
  return true;
}

// RocksDB's TryExtendNonL0TrivialMove. Despite its name it also applies to level 0, where the next
// file is the next older one. True if files were added.
bool RocksdbLeveledPicker::extend_move(std::size_t index) {
  if (job_.start_files.size() != 1) return false;
  const std::size_t count = levels_.file_count(job_.start_level);
  const File* first = job_.start_files[0];
  std::uint64_t bytes = first->bytes.value();
  for (std::size_t i = index + 1; i < count && job_.start_files.size() < kMovedTogetherMax; ++i) {
    const File* next = &levels_.file(job_.start_level, i);
    if (next->busy) break;
    const KeyRange keys{first->keys.smallest, next->keys.largest};
    if (!levels_.overlapping(job_.output_level, keys).empty()) break;
    if (i + 1 < count &&
        next->keys.largest == levels_.file(job_.start_level, i + 1).keys.smallest) {
      break;
    }
    bytes += next->bytes.value();
    if (bytes > options_.max_compaction_bytes) break;
    job_.start_files.push_back(next);
  }
  if (options_.version >= RocksdbVersion::k8_4 && !is_round_robin()) {
    extend_move_to_left(index, bytes);
  }
  return job_.start_files.size() > 1;
}

// `bytes`: of the files on the right, and of the one that was too many.
void RocksdbLeveledPicker::extend_move_to_left(std::size_t index, std::uint64_t bytes) {
  const std::uint64_t largest = levels_.file(job_.start_level, index).keys.largest;
  for (std::size_t i = index; i > 0 && job_.start_files.size() < kMovedTogetherMax; --i) {
    const File* next = &levels_.file(job_.start_level, i - 1);
    if (next->busy) break;
    if (!levels_.overlapping(job_.output_level, {next->keys.smallest, largest}).empty()) break;
    bytes += next->bytes.value();
    if (bytes > options_.max_compaction_bytes) break;
    job_.start_files.insert(job_.start_files.begin(), next);
  }
}

// RocksDB's SetupOtherL0FilesIfNeeded.
bool RocksdbLeveledPicker::take_overlapping_level0() {
  if (job_.start_level > 0 || is_level0_move_) return true;
  job_.start_files = levels_.overlapping(0, hull_of(job_.start_files));
  return !any_busy(levels_.overlapping(job_.output_level, hull_of(job_.start_files)));
}

// RocksDB's SetupOtherFilesWithRoundRobinExpansion: adds successors, up to the end of the level,
// until the remaining files fit the level's target. If several files were picked for a move,
// RocksDB starts again with the first one.
void RocksdbLeveledPicker::extend_round_robin() {
  const RunFiles& files = *levels_.run(job_.start_level);
  const std::uint64_t idle_bytes = files.sums().bytes - files.sums().busy_bytes;
  const std::uint64_t limit = levels_.max_bytes(job_.start_level);
  const std::uint64_t excess = idle_bytes > limit ? idle_bytes - limit : 0;
  const bool overlaps = !levels_.overlapping(job_.output_level, hull_of(job_.start_files)).empty();
  if (!overlaps && extend_move(first_index_)) return;
  if (job_.start_files[0]->bytes.value() >= excess) return;
  FileList grown{job_.start_files[0]};
  for (std::size_t i = first_index_ + 1; i < files.size(); ++i) {
    grown.push_back(&files[i]);
    if (files[i].busy || lies_between_inputs(grown)) return;
    const FileList below = levels_.overlapping(job_.output_level, hull_of(grown));
    const std::uint64_t bytes = sum_of_bytes(grown);
    if (any_busy(below) || bytes + sum_of_bytes(below) > options_.max_compaction_bytes) return;
    job_.start_files = grown;
    if (bytes > excess) return;
  }
}

// RocksDB's SetupOtherInputs.
bool RocksdbLeveledPicker::take_output_files() {
  job_.output_files = levels_.overlapping(job_.output_level, hull_of(job_.start_files));
  if (any_busy(job_.output_files)) return false;
  if (!job_.output_files.empty()) grow_start_files();
  return true;
}

void RocksdbLeveledPicker::grow_start_files() {
  const KeyRange start = hull_of(job_.start_files);
  const KeyRange all = hull_of(start, hull_of(job_.output_files));
  const bool only_right = goes_round();
  const KeyRange reach{only_right ? start.smallest : all.smallest, all.largest};
  FileList grown = levels_.overlapping(job_.start_level, reach);
  if (grown.size() > job_.start_files.size() && may_grow_to(grown) && !grows_output(grown)) {
    job_.start_files = std::move(grown);
    return;
  }
  if (job_.start_level == 0) return;
  // RocksDB's GetCleanInputsWithinInterval; with round robin, too, inputs may grow to the left
  // here.
  grown = levels_.overlapping(job_.start_level, all);
  std::erase_if(grown, [&](const File* file) {
    return file->keys.smallest < all.smallest || file->keys.largest > all.largest;
  });
  if (grown.size() > job_.start_files.size() && may_grow_to(grown)) {
    job_.start_files = std::move(grown);
  }
}

bool RocksdbLeveledPicker::may_grow_to(const FileList& grown) const {
  if (any_busy(grown)) return false;
  const bool is_old = options_.version < RocksdbVersion::k7_8;
  if (!is_old && options_.version < RocksdbVersion::k9_2) return true;
  Uint128 bytes = 0;
  for (const FileList* files : {&grown, static_cast<const FileList*>(&job_.output_files)}) {
    for (const File* file : *files) {
      bytes += is_old ? levels_.compensated_bytes(*file) : file->bytes.value();
    }
  }
  return bytes < Uint128{options_.max_compaction_bytes} * (is_old ? 1 : 2);
}

bool RocksdbLeveledPicker::grows_output(const FileList& grown) const {
  const FileList below = levels_.overlapping(job_.output_level, hull_of(grown));
  return any_busy(below) || below.size() != job_.output_files.size();
}

// RocksDB's FilesRangeOverlapWithCompaction, derived from busy files only. A running compaction to
// the output level overlaps these files, which are not its inputs, only if they arrived between its
// inputs after it began. Then it has all files below that its inputs span. Two compactions to the
// left and right, with nothing below between them, look the same; the picker waits for them, too.
bool RocksdbLeveledPicker::lies_between_inputs(const FileList& files) const {
  if (job_.start_level == 0) return false;
  const File* left = nullptr;
  const File* right = nullptr;
  levels_.run(job_.start_level)->visit_busy([&](const File& file) {
    if (file.keys.largest < files.front()->keys.smallest) left = &file;
    if (file.keys.smallest > files.back()->keys.largest && right == nullptr) right = &file;
  });
  if (left == nullptr || right == nullptr) return false;
  const FileList below =
      levels_.overlapping(job_.output_level, {left->keys.smallest, right->keys.largest});
  return std::all_of(below.begin(), below.end(), [](const File* file) { return file->busy; });
}

// One codec with a stated share for each level is what the files of a store without
// compression_per_level show.
bool RocksdbLeveledPicker::moves_several() const {
  const std::vector<LevelCodec>& codecs = options_.compression.levels;
  return options_.version >= RocksdbVersion::k7_8 &&
         (codecs.size() <= 1 ||
          std::all_of(codecs.begin(), codecs.end(), [&](const LevelCodec& one) {
            return one.codec == codecs.front().codec && one.stated_millionths;
          }));
}

bool RocksdbLeveledPicker::keeps_codec() const {
  if (!options_.compression.compresses()) return true;
  std::size_t used = levels_.level_count();
  while (used > 0 && levels_.file_count(static_cast<std::uint32_t>(used - 1)) == 0) --used;
  const std::size_t base = levels_.base_level();
  const auto codec_of = [&](std::size_t level) {
    return options_.compression.at(level, base, used, true).codec;
  };
  return codec_of(job_.start_level) == codec_of(job_.output_level);
}

bool RocksdbLeveledPicker::is_trivial_move() const {
  if (!job_.output_files.empty()) return false;
  if (!keeps_codec()) return false;
  // Since 8.2, no other file of level 0 overlaps a single one.
  const bool is_single = options_.version >= RocksdbVersion::k8_4 && job_.start_files.size() == 1;
  const bool may_overlap = job_.start_level == 0 && !is_level0_move_ && !is_single;
  if (may_overlap && !levels_.level0_disjoint()) return false;
  const std::uint32_t below = job_.output_level + 1;
  if (below >= levels_.level_count()) return true;
  return std::all_of(job_.start_files.begin(), job_.start_files.end(), [&](const File* file) {
    const std::uint64_t overlap = sum_of_bytes(levels_.overlapping(below, file->keys));
    return file->bytes.value() + overlap <= options_.max_compaction_bytes;
  });
}

}  // namespace lsmlab

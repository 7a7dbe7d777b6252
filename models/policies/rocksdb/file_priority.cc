#include "models/policies/rocksdb/file_priority.h"

#include <algorithm>
#include <tuple>

#include "models/base/check.h"

namespace lsmlab {
namespace {

// Whether an order looks at compensated sizes.
bool counts_surplus(RocksdbPriority priority) {
  return priority == RocksdbPriority::kMinOverlappingRatio ||
         priority == RocksdbPriority::kByCompensatedSize;
}

std::uint64_t newest_write(const File& file) {
  return file.zeroed == Zeroed::kAll ? 0 : file.sequences.last;
}

std::uint64_t oldest_write(const File& file) {
  return file.zeroed == Zeroed::kNone ? file.sequences.first : 0;
}

bool has_surplus(const File& file) { return file.tombstones.value() * 2 > file.entries.value(); }

// Bytes of the next level under a file, in 1024ths of the file (SortFileByOverlappingRatio).
std::uint64_t overlap_ratio(std::uint64_t overlapped_bytes, std::uint64_t own_bytes) {
  return static_cast<std::uint64_t>(Uint128{overlapped_bytes} * 1024 /
                                    std::max<std::uint64_t>(own_bytes, 1));
}

// Bytes of the next level under each file of level 0. RocksDB walks both levels once; as the files
// of level 0 do not rise, a file only sees what the walk has not left behind. Versions below are
// older, so that their internal keys are the larger ones where user keys are equal.
std::vector<std::uint64_t> level0_overlaps(const RocksdbLevels& levels) {
  static const RunFiles kNone;
  const RunFiles* const run = levels.run(1);
  const RunFiles& below = run != nullptr ? *run : kNone;
  std::vector<std::uint64_t> overlaps;
  std::size_t next = 0;
  for (const File* file : levels.level0()) {
    next = std::max(next, below.first_ending_from(file->keys.smallest));
    std::uint64_t bytes = 0;
    while (next < below.size() && below[next].keys.smallest < file->keys.largest) {
      bytes += below[next].bytes.value();
      if (below[next].keys.largest >= file->keys.largest) break;
      ++next;
    }
    overlaps.push_back(bytes);
  }
  return overlaps;
}

// Whether the tree cannot rank the file.
bool is_ranked_here(const RocksdbFileTurns& turns, const File& file) {
  return has_surplus(file) || turns.comes_first(file);
}

FileOrdering by_static_rank(std::string name, const RocksdbFileTurns& turns,
                            std::function<std::uint64_t(const File&)> rank) {
  return {std::move(name),
          [turns, rank = std::move(rank)](const File& file) -> std::optional<FileRanks> {
            if (is_ranked_here(turns, file)) return std::nullopt;
            return FileRanks{FileRank{rank(file)}};
          }};
}

FileOrdering by_age(const char* name, std::function<std::optional<FileRanks>(const File&)> ranks) {
  FileOrdering ordering{name, std::move(ranks)};
  ordering.by_age = true;
  return ordering;
}

}  // namespace

std::vector<FileOrdering> rocksdb_orderings(const RocksdbFileTurns& turns) {
  const FileOrdering surplus{
      "files with surplus tombstones, and those that come first", [turns](const File& file) {
        return is_ranked_here(turns, file) ? std::optional(FileRanks{}) : std::nullopt;
      }};
  switch (turns.priority) {
    case RocksdbPriority::kMinOverlappingRatio: {
      FileOrdering least = by_static_rank("least overlapping ratio", turns, [](const File& file) {
        return overlap_ratio(file.overlaps[0].bytes_begun_before_end, file.bytes.value());
      });
      least.levels_below = 1;
      return {std::move(least), surplus};
    }
    case RocksdbPriority::kByCompensatedSize:
      return {
          by_static_rank("largest", turns, [](const File& file) { return ~file.bytes.value(); }),
          surplus};
    case RocksdbPriority::kOldestLargestSeqFirst:
      return {by_age("oldest newest write",
                     [](const File& file) { return FileRanks{FileRank{newest_write(file)}}; })};
    case RocksdbPriority::kOldestSmallestSeqFirst:
      return {by_age("oldest write",
                     [](const File& file) { return FileRanks{FileRank{oldest_write(file)}}; })};
    case RocksdbPriority::kRoundRobin:
      break;
  }
  return {};
}

FilesByPriority::FilesByPriority(const RocksdbLevels& levels, std::uint32_t level,
                                 const RocksdbFileTurns& turns, std::optional<std::uint64_t> ttl)
    : levels_(levels),
      level_(level),
      turns_(turns),
      boost_(levels, level,
             turns.priority == RocksdbPriority::kMinOverlappingRatio ? ttl : std::nullopt) {
  CHECK(level + 1 < levels.level_count());
  if (level == 0) {
    rank_level0();
  } else if (turns.priority != RocksdbPriority::kRoundRobin) {
    kept_ = &levels.tree().order(0, level);
    rank_surplus();
  }
}

std::uint64_t FilesByPriority::rank_of(const File& file, std::uint64_t overlapped_bytes) const {
  switch (turns_.priority) {
    case RocksdbPriority::kMinOverlappingRatio:
      return overlap_ratio(overlapped_bytes, levels_.compensated_bytes(file)) / boost_.of(file);
    case RocksdbPriority::kByCompensatedSize:
      return ~levels_.compensated_bytes(file);
    case RocksdbPriority::kOldestLargestSeqFirst:
      return newest_write(file);
    case RocksdbPriority::kOldestSmallestSeqFirst:
    case RocksdbPriority::kRoundRobin:
      // Also where the files of level 0 are disjoint: RocksDB orders them before it finds out
      // (PrepareForVersionAppend).
      return oldest_write(file);
  }
  return 0;
}

void FilesByPriority::rank(const File& file, std::uint64_t overlapped_bytes, std::size_t index) {
  ranked_.push_back({!turns_.comes_first(file), rank_of(file, overlapped_bytes), index});
}

void FilesByPriority::rank_level0() {
  const FileList& files = levels_.level0();
  const bool is_by_overlap = turns_.priority == RocksdbPriority::kMinOverlappingRatio;
  const std::vector<std::uint64_t> overlaps =
      is_by_overlap ? level0_overlaps(levels_) : std::vector<std::uint64_t>(files.size(), 0);
  for (std::size_t i = 0; i < files.size(); ++i) {
    rank(*files[i], overlaps[i], i);
  }
  std::stable_sort(ranked_.begin(), ranked_.end(), [&](const Ranked& a, const Ranked& b) {
    if (a.comes_later != b.comes_later) return b.comes_later;
    if (a.rank != b.rank || !is_by_overlap) return a.rank < b.rank;
    return files[a.index]->keys.smallest < files[b.index]->keys.smallest;
  });
}

void FilesByPriority::rank_surplus() {
  if (!counts_surplus(turns_.priority)) return;
  for (const OrderedFile& ordered : levels_.tree().order(1, level_)) {
    const std::size_t index = levels_.run(level_)->first_from(ordered.smallest_key);
    const File& file = (*levels_.run(level_))[index];
    rank(file, file.overlaps[0].bytes_begun_before_end, index);
  }
  rank_old();
  std::stable_sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) {
    return std::tuple(a.comes_later, a.rank, a.index) < std::tuple(b.comes_later, b.rank, b.index);
  });
}

// Those that the tree has in its order, too.
void FilesByPriority::rank_old() {
  const RunFiles* files = levels_.run(level_);
  if (files == nullptr) return;
  const auto is_old = [&](const RunSums& sums) { return boost_.is_any_above_1(sums); };
  for (std::size_t i = files->find_first(0, is_old); i < files->size();
       i = files->find_first(i + 1, is_old)) {
    const File& file = (*files)[i];
    if (is_ranked_here(turns_, file)) continue;
    rank(file, file.overlaps[0].bytes_begun_before_end, i);
  }
}

std::optional<std::size_t> FilesByPriority::next_in_turn() {
  const std::size_t count = levels_.file_count(level_);
  if (tried_ == count) return std::nullopt;
  return (first_in_turn(levels_, level_) + tried_++) % count;
}

std::optional<std::size_t> FilesByPriority::next() {
  if (level_ > 0 && turns_.priority == RocksdbPriority::kRoundRobin) return next_in_turn();
  std::size_t index = 0;  // of the next of kept_
  bool has_kept = false;
  for (; kept_ != nullptr && next_kept_ < kept_->size(); ++next_kept_) {
    index = levels_.run(level_)->first_from((*kept_)[next_kept_].smallest_key);
    has_kept = boost_.of((*levels_.run(level_))[index]) == 1;
    if (has_kept) break;
  }
  const bool has_ranked = next_ranked_ < ranked_.size();
  if (!has_kept && !has_ranked) return std::nullopt;
  if (!has_kept) return ranked_[next_ranked_++].index;
  const OrderedFile& kept = (*kept_)[next_kept_];
  if (has_ranked) {
    const Ranked& ranked = ranked_[next_ranked_];
    if (std::tuple(ranked.comes_later, ranked.rank, ranked.index) <
        std::tuple(true, kept.ranks.first_number(), index)) {
      ++next_ranked_;
      return ranked.index;
    }
  }
  ++next_kept_;
  return index;
}

// SortFileByRoundRobin.
std::size_t first_in_turn(const RocksdbLevels& levels, std::uint32_t level) {
  const std::optional<std::uint64_t> cursor = levels.cursor(level);
  if (!cursor) return 0;
  const std::size_t first = levels.run(level)->first_from(*cursor);
  return first == levels.file_count(level) ? 0 : first;
}

}  // namespace lsmlab

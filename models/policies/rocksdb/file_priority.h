// The order in which RocksDB 7.8.3 tries the files of a level (compaction_pri;
// VersionStorageInfo::UpdateFilesByCompactionPri). Differences from RocksDB:
//   - RocksDB orders only the first 50 files and leaves ties open in three of the five orders. Here
//     all files are ordered, and ties are decided by the position in the level. Many files tie in
//     the two orders by age, because a bottommost compaction sets sequence numbers to 0
//     (CompactionIterator::PrepareOutput).
//   - RocksDB's cursor is a version of a key, so that it skips a file whose first key was
//     overwritten meanwhile. A tree does not tell this either.
// From 8.11 on kMinOverlappingRatio tries marked files before all others (models/policies/rocksdb/
// file_triggers.h; SortFileByOverlappingRatio).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/policies/rocksdb/file_triggers.h"
#include "models/policies/rocksdb/levels.h"

namespace lsmlab {

enum class RocksdbPriority {
  kMinOverlappingRatio,     // fewest overlapped bytes below, per byte of its own
  kByCompensatedSize,       // largest first; tombstones increase the size
  kOldestLargestSeqFirst,   // oldest newest-write first
  kOldestSmallestSeqFirst,  // oldest oldest-write first
  kRoundRobin,              // by key, from the level's cursor on
};

/// Whether the order looks at the sequence numbers of files.
[[nodiscard]] constexpr bool is_by_age(RocksdbPriority priority) {
  return priority == RocksdbPriority::kOldestLargestSeqFirst ||
         priority == RocksdbPriority::kOldestSmallestSeqFirst;
}

struct RocksdbFileTurns {
  RocksdbPriority priority = RocksdbPriority::kMinOverlappingRatio;
  RocksdbVersion version = RocksdbVersion::k7_8;

  /// Whether marked files are tried first.
  [[nodiscard]] bool begin_with_marked() const {
    return priority == RocksdbPriority::kMinOverlappingRatio && version >= RocksdbVersion::k8_11;
  }
  [[nodiscard]] bool comes_first(const File& file) const {
    return file.marked && begin_with_marked();
  }
};

/// What FilesByPriority asks of the tree: the files without surplus tombstones by priority, and
/// those with some, whose compensated sizes follow the mean value size of the whole tree. Files
/// that come first are among the latter. Nothing for round robin.
[[nodiscard]] std::vector<FileOrdering> rocksdb_orderings(const RocksdbFileTurns& turns);

/// The files of a level in the order in which they are tried, as indexes: of level 0 from the
/// newest on, of the others by key.
class FilesByPriority {
 public:
  /// Looks at the files of level 0, or at those with surplus tombstones. `levels` must outlive it.
  /// REQUIRES: not the last level; the tree keeps rocksdb_orderings().
  /// `ttl` makes kMinOverlappingRatio prefer old files, which are looked at one by one.
  FilesByPriority(const RocksdbLevels& levels, std::uint32_t level, const RocksdbFileTurns& turns,
                  std::optional<std::uint64_t> ttl = {});
  /// Nothing after the last one.
  [[nodiscard]] std::optional<std::size_t> next();

 private:
  // A file that is ranked here, not by the tree.
  struct Ranked {
    bool comes_later = true;  // than those that come first
    std::uint64_t rank = 0;
    std::size_t index = 0;
  };
  void rank_level0();
  void rank_surplus();
  void rank_old();
  [[nodiscard]] std::uint64_t rank_of(const File& file, std::uint64_t overlapped_bytes) const;
  void rank(const File& file, std::uint64_t overlapped_bytes, std::size_t index);
  [[nodiscard]] std::optional<std::size_t> next_in_turn();

  const RocksdbLevels& levels_;
  std::uint32_t level_;
  RocksdbFileTurns turns_;
  RocksdbTtlBoost boost_;
  const FileOrder* kept_ = nullptr;  // by the tree; the old ones are in ranked_
  std::size_t next_kept_ = 0;
  std::vector<Ranked> ranked_;
  std::size_t next_ranked_ = 0;
  std::size_t tried_ = 0;  // round robin
};

/// Where round robin begins in a level: the first file that begins at the cursor or after it.
[[nodiscard]] std::size_t first_in_turn(const RocksdbLevels& levels, std::uint32_t level);

}  // namespace lsmlab

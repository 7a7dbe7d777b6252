// In which order RocksDB 7.8.3 tries the files of a level (compaction_pri;
// VersionStorageInfo::UpdateFilesByCompactionPri). RocksDB orders the first 50 files and leaves the
// rest as they come, and leaves ties open in three of the five orders; here all files are ordered
// and ties go by place in the level. Two things that a tree does not tell differ: RocksDB sets the
// sequences of what a bottommost compaction writes to 0, so that many files tie in the two orders
// by age; and its cursor is a version of a key, so that a file whose first key was overwritten
// since is passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/policies/rocksdb/levels.h"

namespace lsmlab {

enum class RocksdbPriority {
  kMinOverlappingRatio,     // bytes below that it overlaps over its own, least first
  kByCompensatedSize,       // largest first
  kOldestLargestSeqFirst,   // whose newest write is oldest
  kOldestSmallestSeqFirst,  // whose oldest write is oldest
  kRoundRobin,              // by key from the level's cursor on
};

/// Indices into levels.files(level). REQUIRES: not the last level.
[[nodiscard]] std::vector<std::size_t> files_by_priority(const RocksdbLevels& levels,
                                                         std::uint32_t level,
                                                         RocksdbPriority priority);

}  // namespace lsmlab

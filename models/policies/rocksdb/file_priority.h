// The order in which RocksDB 7.8.3 tries the files of a level (compaction_pri;
// VersionStorageInfo::UpdateFilesByCompactionPri). Differences from RocksDB:
//   - RocksDB orders only the first 50 files and leaves ties open in three of the five orders. Here
//     all files are ordered, and ties are decided by the position in the level.
//   - RocksDB sets the sequence numbers in the output of a bottommost compaction to 0, so that many
//     files tie in the two orders by age. A tree does not tell this.
//   - RocksDB's cursor is a version of a key, so that it skips a file whose first key was
//     overwritten meanwhile. A tree does not tell this either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/policies/rocksdb/levels.h"

namespace lsmlab {

enum class RocksdbPriority {
  kMinOverlappingRatio,     // fewest overlapped bytes below, per byte of its own
  kByCompensatedSize,       // largest first; tombstones increase the size
  kOldestLargestSeqFirst,   // oldest newest-write first
  kOldestSmallestSeqFirst,  // oldest oldest-write first
  kRoundRobin,              // by key, from the level's cursor on
};

/// Indexes into levels.files(level). REQUIRES: not the last level.
[[nodiscard]] std::vector<std::size_t> files_by_priority(const RocksdbLevels& levels,
                                                         std::uint32_t level,
                                                         RocksdbPriority priority);

}  // namespace lsmlab

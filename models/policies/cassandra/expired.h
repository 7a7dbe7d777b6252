// Which SSTables hold nothing but data that is too old, where every write lives for the same number
// of writes (Cassandra's default_time_to_live; CompactionController.getFullyExpiredSSTables).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/units.h"

namespace lsmlab {

struct ExpiringSstable {
  SequenceSpan writes;
  bool busy = false;
};

/// The newest write of the tree is the present.
[[nodiscard]] std::uint64_t newest_write(const std::vector<ExpiringSstable>& all);

/// Indexes of idle SSTables whose newest write is older than `ttl` writes, except those with a
/// write that is not older than the oldest of an SSTable that stays: they might hide it. Every
/// SSTable counts for that, as if all overlapped.
[[nodiscard]] std::vector<std::size_t> fully_expired(const std::vector<ExpiringSstable>& all,
                                                     std::uint64_t ttl);

}  // namespace lsmlab

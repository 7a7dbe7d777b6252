// How a policy takes the memtable to disk where a merge follows at once.
#pragma once

namespace lsmlab {

/// How the memtable reaches the disk.
enum class FlushMode {
  kEager,  // a merge that follows at once takes the memtable as an input: nothing is written twice
  kSeparate,  // the flush is written first, as its own SSTable
};

}  // namespace lsmlab

// Whether a flush that is merged at once is written to disk first.
#pragma once

namespace lsmlab {

/// How the memtable reaches the disk when a merge follows at once.
enum class FlushMode {
  kEager,     // the merge takes the memtable as an input, so its data is written once
  kSeparate,  // the flush is first written as an SSTable of its own
};

}  // namespace lsmlab

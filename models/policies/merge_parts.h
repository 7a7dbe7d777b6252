// How a merge is divided among threads. Each part merges the entries of a range of keys. Parts
// change how long a merge takes, and only that: executors cut its outputs as if it had one part.
#pragma once

#include <cstdint>
#include <vector>

namespace lsmlab {

struct MergeParts {
  // What each part takes of the merge's input bytes, by rising keys. Executors divide entries and
  // output bytes in the same proportion. Fewer than two: one thread does the merge.
  std::vector<std::uint64_t> input_bytes;
  // The merge threads, besides the merge's own, that the parts occupy: other merges find them
  // taken. All other parts have threads that come and go with the merge.
  std::uint64_t merge_threads = 0;
};

}  // namespace lsmlab

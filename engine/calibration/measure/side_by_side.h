// Measures a merge or flush while other stores work, each on a thread of its own.
//
// Threading: one thread calls. All other threads have ended on return.
#pragma once

#include <functional>
#include <string>

#include "engine/calibration/measure/work_store.h"

namespace lsmlab::engine {

inline constexpr std::uint64_t kLargeFactor = 8;  // size of a large memtable, in memtables
inline constexpr unsigned kMemtablesBeside = 16;  // flushes of a concurrent store; then a new store

/// Where concurrent stores are created and removed. Errors of all functions below: those of the
/// stores.
struct StoresBeside {
  std::string directory;  // each store appends a number
  Bytes buffer;
  bool is_direct = false;
};

/// Measures `work` while all other cores put into stores of their own, which neither flush nor
/// merge.
[[nodiscard]] Result<Sample> beside_puts(const StoresBeside& stores,
                                         const std::function<Result<Sample>()>& work);

struct MergeAndLookups {
  Sample merge;
  Sample lookup;  // the mean of all lookups
};
/// Measures a merge concurrent with lookups of another store. Before, both threads wait for the
/// disk for a while: new threads have a core each at first, and some schedulers move both to one
/// core some tenths of a second later. `wait_for_disk` makes the merge's thread wait that long.
/// REQUIRES: `merging` as for WorkStore::merge(), `looked_up` as for look_up() of present keys.
[[nodiscard]] Result<MergeAndLookups> merge_beside_lookups(
    WorkStore& merging, WorkStore& looked_up, const std::function<Result<void>()>& wait_for_disk);
/// Measures two equal merges at once. Returns their mean; one lasts only little longer than the
/// other.
[[nodiscard]] Result<Sample> merge_beside_merge(WorkStore& merging, WorkStore& other);
struct MergeAndPuts {
  Sample merge;
  Sample put;  // mean time of the client's thread per put
};
/// Measures a merge concurrent with a store and with further puts. The store's client puts values
/// of 1 KiB as fast as its flushes allow; other clients put on all cores beyond two. So there are
/// more threads than cores.
[[nodiscard]] Result<MergeAndPuts> merge_beside_store(const StoresBeside& stores,
                                                      WorkStore& merging);

}  // namespace lsmlab::engine

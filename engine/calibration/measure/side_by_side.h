// A merge or flush beside what other stores do, each on a thread of its own.
//
// Threading: one thread calls; who works beside it is at an end on return.
#pragma once

#include <functional>
#include <string>

#include "engine/calibration/measure/work_store.h"

namespace lsmlab::engine {

inline constexpr std::uint64_t kLargeFactor = 8;  // of a memtable that is large
inline constexpr unsigned kMemtablesBeside = 16;  // flushed beside a merge, until a store anew

/// Stores that are made and removed beside another one. Errors of all that follow: what the stores
/// report.
struct StoresBeside {
  std::string directory;  // a number after it for each
  Bytes buffer;
  bool is_direct = false;
};

/// While all other cores put into stores of their own, which neither flush nor merge.
[[nodiscard]] Result<Sample> beside_puts(const StoresBeside& stores,
                                         const std::function<Result<Sample>()>& work);

struct MergeAndLookups {
  Sample merge;
  Sample lookup;  // the mean
};
/// Of threads that have both waited for the disk for a while: new ones have a core each, and come
/// to share one some tenths of a second later, if ever: `wait_for_disk` has the merge's do so that
/// long. REQUIRES: of both, what WorkStore::merge() and look_up() of keys that are there do.
[[nodiscard]] Result<MergeAndLookups> merge_beside_lookups(
    WorkStore& merging, WorkStore& looked_up, const std::function<Result<void>()>& wait_for_disk);
/// Two of the same at once, in the mean: what one does longer than the other is little.
[[nodiscard]] Result<Sample> merge_beside_merge(WorkStore& merging, WorkStore& other);
struct MergeAndPuts {
  Sample merge;
  Sample put;  // all that its thread did, in the mean
};
/// Beside a client that puts values of 1 KiB as fast as the flushes of its store let it, and puts
/// on all cores beyond two: more threads want to work than there are cores.
[[nodiscard]] Result<MergeAndPuts> merge_beside_store(const StoresBeside& stores,
                                                      WorkStore& merging);

}  // namespace lsmlab::engine

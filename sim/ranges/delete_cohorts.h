// The ages of a file's tombstones at resolution `range`: how many of them come from which flushes.
//
// A cohort is an aligned block of 2^k flushes, and a block is at least kAgeWidths times as old as
// it is wide. So a file has at most kAgeWidths cohorts for each doubling of age. Blocks only grow:
// the blocks at a later time are unions of those at an earlier time, so cohorts of two files never
// overlap in part.
//
// A file has kDeleteZones zones with mixes of their own, because parts of it were merged at
// different times. With one mix for the whole file, P50 was 12 % too small and P99 30 % too large
// in stores of three levels. Four zones cost a third of what a mix for each of 16 cells costs.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/execution/delete_cohort.h"
#include "sim/ranges/range_contents.h"

namespace lsmlab {

inline constexpr std::uint64_t kAgeWidths = 4;
inline constexpr std::size_t kDeleteZones = 4;

/// The block of a flush after so many flushes. REQUIRES: flush <= flushes.
[[nodiscard]] FlushSpan cohort_block(std::uint64_t flush, std::uint64_t flushes);
/// Merges cohorts of the same block, orders them by age, and rounds them to whole tombstones.
/// REQUIRES: no cohort is newer than `flushes`; each was a block at some time.
void merge_cohorts(CohortList& cohorts, std::uint64_t flushes);
/// The same where each cohort has its block already.
void join_blocks(CohortList& cohorts);

/// Tombstones that a merge took from a source.
struct TombstoneOrigin {
  std::size_t source = 0;
  const CohortList* mix = nullptr;  // of the source's file
  FixedCount count = 0;
};
using OriginList = boost::container::small_vector<TombstoneOrigin, 2>;

/// Tombstones that were taken from files: how many, and from which mixes of cohorts. Adding costs
/// O(1); the mixes are looked at once for each file.
class TombstoneOrigins {
 public:
  /// REQUIRES: the mix outlives the next take(); a source passes its files one after another.
  void add(const TombstoneOrigin& origin);
  /// What was added since the last call, by cohorts; several may have one block.
  [[nodiscard]] CohortList take();

 private:
  std::vector<TombstoneOrigin> origins_;
  std::vector<std::size_t> last_;  // of each source, its last origin + 1
};

}  // namespace lsmlab

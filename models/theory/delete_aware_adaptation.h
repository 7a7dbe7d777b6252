// Which options a delete-aware store should have for the operations that it saw (the delete-aware
// thesis, Section 3.1.3): those with the least worst-case cost on a grid. The thesis shows its cost
// functions as a picture only (Fig. 8). These are Table 1's, with the levels' sizes where Table 1
// has the size ratio, because del_ratio_base changes those:
//
//   - Level i from 1 on holds at most c_i bytes: by size its capacity, by deletes base / T^(i-1)
//     memtables of tombstones, of which a share d_i of its entries are. Level 0 holds c_0, its
//     runs.
//   - The deepest level holds the live data. Merges by size fill deeper levels until one can hold
//     it. Merges by deletes do not: the deepest level has no tombstones.
//   - update: a merge from level i into the next writes 1 + c_(i+1) / c_i bytes for each byte that
//     it moves. A level that holds less than the one above passes on what comes from there, at that
//     level's density.
//   - lookup of an absent key: one block of each run, with the chance of a false positive.
//   - scan of a short range: one block of each run, times N / N~: redundant entries are read too.
//   - N~ are the live entries, and N those and, for each tombstone above the deepest level, the
//     tombstone and the entry that it deletes.
//   - Memory is what filters and kept ranges have at the configured options. Kept ranges of r
//     entries drop one of r tombstones whose key no deeper level holds.
#pragma once

#include <vector>

#include "models/tree/adaptation.h"

namespace lsmlab {

/// A store as far as costs depend on it.
struct AdaptedStore {
  double size_ratio = 10;  // T, at least 2
  double memtable_bytes = 0;
  double block_bytes = 0;
  double level0_runs = 0;  // at which level 0 merges, at least 1
  // Capacities by size of all levels from 1 on but the last; 0: nothing comes to that level.
  std::vector<double> level_bytes;
  std::uint32_t deepest_used = 1;  // the deepest level with data, from 1
  bool keeps_size_trigger = false;
  double entries = 0;     // N now
  double tombstones = 0;  // among them
  double entry_bytes = 0;
  double filter_bits = 0;  // for each key, as configured
  double range_bytes = 0;  // of a kept range, as configured; 0: none are kept
};

struct AdaptedOptions {
  double del_ratio_base = 0;  // 0: levels merge by size
  double range_bytes = 0;
};

struct AdaptedCost {
  double lookup_blocks = 0;
  double scan_blocks = 0;
  double update_blocks = 0;
  double filter_bits = 0;  // for each key: what the memory leaves beside the ranges
};

/// REQUIRES: a size ratio of at least 2; entries, entry_bytes, memtable_bytes, block_bytes and
/// level0_runs above 0; range_bytes is 0 in both or in neither. `delete_share`: of writes.
[[nodiscard]] AdaptedCost adapted_cost(const AdaptedStore& store, double delete_share,
                                       const AdaptedOptions& options);

/// The grid's options with the least mean cost, and `now` if none is cheaper. Equal inputs give
/// equal bits on every machine. `flush` of the result's tuning is 0. REQUIRES: as adapted_cost();
/// some operation was measured.
[[nodiscard]] Adaptation cheapest_options(const AdaptedStore& store, const Traffic& measured,
                                          const AdaptedOptions& now);
/// The costs of the options as they are.
[[nodiscard]] Adaptation unchanged_options(const AdaptedStore& store, const Traffic& measured,
                                           const AdaptedOptions& now);

}  // namespace lsmlab

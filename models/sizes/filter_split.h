// How filter bits are divided among SSTables: one definition for simulator and engine.
//
// Monkey (Dayan, Athanassoulis, Idreos, "Monkey: Optimal Navigable Key-Value Store", SIGMOD 2017)
// minimises the sum of false positive rates that a lookup of an absent key encounters, one rate per
// sorted run, for a given total of filter bits. If a rate is exp(-bits * ln^2 2), the optimal rate
// of a run is proportional to its entries, but at most 1 (such a run needs no filter). For levels
// that grow by a ratio T this is Monkey's closed form. This code uses the entries of the runs
// themselves, so it serves any layout: leveled, tiered, or a stack in one level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/base/units.h"
#include "models/sizes/sstable_size.h"
#include "models/sizes/store_options.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// The bits per key of each run, so that the average over the keys of all runs is `bits_per_key`.
/// REQUIRES: each run has at least 1 entry; bits_per_key >= 0.
[[nodiscard]] std::vector<double> monkey_bits(std::span<const std::uint64_t> run_entries,
                                              double bits_per_key);

/// Whole bits per key of each level: monkey_bits() of levels that are full, from which Monkey's
/// AutotuneFilters differs by less than its last step (the delete-aware thesis, Section 3.3). 0 for
/// a level without capacity. REQUIRES: no level has 0 runs.
[[nodiscard]] std::vector<std::uint32_t> autotune_bits(std::span<const LevelCapacity> levels,
                                                       double bits_per_key);

/// The format of every SSTable that `plan` writes. With filter_split=monkey, the runs are those of
/// the tree after the plan, if the plan drops nothing. With filter_split=autotune, they are full
/// levels down to the deepest that the tree has then: `capacities`, by level. A slice counts for
/// the file that it is linked to, by its share of the frozen file's bytes. Existing files keep the
/// filters that they were written with. Compression is that of the target's level; with
/// `capacities`, the first level below 0 that may hold bytes counts as level 1. `memtable`: the
/// number of entries that the plan takes from the memtable. REQUIRES: the plan's files are in the
/// tree, and nothing of the plan is applied (files may be busy).
[[nodiscard]] SstableFormat output_format(const StoreOptions& store, const TreeView& tree,
                                          const Plan& plan, Entries memtable,
                                          std::span<const LevelCapacity> capacities = {});

}  // namespace lsmlab

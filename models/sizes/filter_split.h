// How filter bits are given to SSTables: the one definition that simulator and engine share.
//
// Monkey (Dayan, Athanassoulis, Idreos, "Monkey: Optimal Navigable Key-Value Store", SIGMOD 2017)
// minimises the sum of the false positive rates that a lookup of an absent key meets, one for each
// sorted run, for a given sum of filter bits. With rates of exp(-bits * ln^2 2) the optimum gives
// every run a rate in proportion to its entries, at most 1 (then it needs no filter). For levels
// that grow by a ratio T this is Monkey's closed form; here the entries of the runs themselves are
// taken, so that it serves any layout: leveled, tiered, a stack in one level.
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

/// Bits for each key of each run, where all runs' keys together have `bits_per_key` on average.
/// REQUIRES: entries of at least 1 each; bits_per_key >= 0.
[[nodiscard]] std::vector<double> monkey_bits(std::span<const std::uint64_t> run_entries,
                                              double bits_per_key);

/// The format of every SSTable that `plan` writes. With a split, the runs are those of the tree as
/// the plan leaves it if it drops nothing: what a file has of slices counts to the file, by its
/// share of the frozen file's bytes. Files that stand keep the filters that they were written with.
/// `memtable`: entries that the plan takes from there. REQUIRES: the plan's files are in the tree,
/// which nothing of it has changed (they may be busy).
[[nodiscard]] SstableFormat output_format(const StoreOptions& store, const TreeView& tree,
                                          const Plan& plan, Entries memtable);

}  // namespace lsmlab

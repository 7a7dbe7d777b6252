// How many bytes a write charges to the memtable of another store at resolution `range`. RocksDB
// and LevelDB count the memory of an arena (models/sizes/memtable_size.h), which no sum of sizes
// gives.
#pragma once

#include "models/sizes/store_options.h"
#include "sim/ranges/range_sizes.h"
#include "traces/workloads/size_distribution.h"

namespace lsmlab {

/// Means over memtables that are filled write by write with sizes drawn from the distributions:
/// once with puts, once with deletes. A mixture takes the sum of its parts. REQUIRES: the store's
/// layout is not kLsmlab; the distributions are valid.
[[nodiscard]] RangeSizes::MemtableCharges memtable_charges(const StoreOptions& store,
                                                           const SizeDistribution& key_bytes,
                                                           const SizeDistribution& value_bytes);

}  // namespace lsmlab

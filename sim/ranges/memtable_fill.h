// How many bytes a write charges to a memtable at resolution `range` where no sum of sizes gives
// it: RocksDB and LevelDB count the memory of an arena, and write batches fill a memtable as a
// whole (models/sizes/memtable_size.h).
#pragma once

#include "models/sizes/store_options.h"
#include "sim/ranges/range_sizes.h"
#include "traces/workloads/size_distribution.h"

namespace lsmlab {

/// Means over memtables that are filled write by write with sizes drawn from the distributions:
/// once with puts, once with deletes. A mixture takes the sum of its parts. REQUIRES: the
/// distributions are valid.
[[nodiscard]] RangeSizes::MemtableCharges memtable_charges(const StoreOptions& store,
                                                           const SizeDistribution& key_bytes,
                                                           const SizeDistribution& value_bytes);

}  // namespace lsmlab

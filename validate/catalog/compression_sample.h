// What codecs leave of a workload's data and index blocks: found by compressing some, because
// nothing short of that knows it. Blocks have the bytes that the store would write: its entries,
// with the keys of a replay and values of the given shape.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/sizes/store_options.h"
#include "traces/workloads/key_workload.h"

namespace lsmlab {

/// The shares of these codecs. Those of level 0 are of blocks of several memtables, the others of
/// blocks of all puts, of which the first 1,048,576 count. Those of entries without a value have
/// the same keys. A block that a store would keep uncompressed counts in full. Without puts nothing
/// is compressed. Errors: the workload cannot be read.
[[nodiscard]] Result<CodecShares> sample_compression(const KeyWorkload& workload,
                                                     std::uint64_t seed, const StoreOptions& store,
                                                     const std::vector<Compression>& codecs);

}  // namespace lsmlab

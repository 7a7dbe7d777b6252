// Sizes of files and numbers of levels that RocksDB's leveled and universal compaction share.
#pragma once

#include <cstdint>

#include "models/base/options.h"
#include "models/base/units.h"

namespace lsmlab {

/// RocksDB has no limit of its own; db_bench lines of universal compaction have up to 40.
inline constexpr std::uint64_t kRocksdbLevelsMax = 64;

/// RocksDB's target_file_size_multiplier.
void declare_file_size_multiplier(OptionTable& table, std::uint64_t& multiplier);

/// The size at which a file ends (RocksDB 7.8.3: MutableCFOptions::RefreshDerivedOptions):
/// `file_size` up to step 1, and `multiplier` times more at each later step, at most 2^62 bytes. A
/// step is a level; with dynamic levels it is the distance from the base level
/// (MaxFileSizeForLevel).
[[nodiscard]] Bytes rocksdb_file_bytes(Bytes file_size, std::uint64_t multiplier,
                                       std::uint32_t step);

}  // namespace lsmlab

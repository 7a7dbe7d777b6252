// When RocksDB slows down and stops its writers, and how many merges it runs at once, by its
// options.
// Source: RocksDB 7.8.3, db/column_family.cc (SanitizeOptions),
// db/db_impl/db_impl_compaction_flush.cc (GetBGJobLimits).
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/spec.h"
#include "traces/stores/options_file.h"

namespace lsmlab::stores {

struct StallOptions {
  std::int64_t level0_trigger = 4;
  std::int64_t level0_slowdown = 20;
  std::int64_t level0_stop = 36;
  std::int64_t memtables = 2;            // max_write_buffer_number
  std::int64_t merged_memtables = 1;     // min_write_buffer_number_to_merge
  std::uint64_t delayed_write_rate = 0;  // bytes a second; 0: RocksDB's 16 MiB
  std::uint64_t soft_pending_bytes = 0;  // 0: no limit
  std::uint64_t hard_pending_bytes = 0;
  bool is_fifo = false;  // FIFO compaction: files of level 0 never stall
};

/// The options of a column family; none: they are not RocksDB's, or are not all there.
[[nodiscard]] std::optional<StallOptions> stall_options(const StoreOptions& options,
                                                        const FamilyOptions& family);

/// How many memtables a flush merges into one SSTable, if flushes keep up with the writers. They
/// are one memtable here (policy_spec.h).
[[nodiscard]] std::int64_t memtables_of_flush(std::int64_t merged_memtables,
                                              std::int64_t memtables);

/// As parameters of --stalls. `has_pending_limits`: false for universal compaction here.
[[nodiscard]] Parameters stall_parameters(const StallOptions& options, bool has_pending_limits);

/// Threads that merge. -1 for the last two: not given, as by default.
[[nodiscard]] std::uint64_t merge_threads_of(std::int64_t background_jobs,
                                             std::int64_t background_flushes,
                                             std::int64_t background_compactions);

/// The same by the options of a store. The default is RocksDB's where they name none.
[[nodiscard]] std::uint64_t merge_threads_of(const StoreOptions& options,
                                             const FamilyOptions& family);

}  // namespace lsmlab::stores

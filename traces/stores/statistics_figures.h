// Figures of a column family from RocksDB's table of compaction statistics alone, as people copy it
// out of a LOG or of db_bench. The table rounds bytes to 0.1 GiB.
#pragma once

#include <optional>

#include "traces/stores/info_log.h"
#include "traces/stores/store_figures.h"

namespace lsmlab::stores {

/// What "Cumulative writes" prints of the whole database.
struct DatabaseWrites {
  double keys = 0;                  // 0: not known
  bool keys_are_cut = false;        // they lack digits
  double ingested_gigabytes = 0;    // GiB of their batches
  bool has_other_families = false;  // that are known
};

/// Bytes by level, flushes and merges, and entries by the keys that merges read and that were
/// written. Leaves the figures as they are if the table reports neither flush nor merge.
void fill_from_statistics(FamilyFigures& figures, const StatisticsTable& table,
                          const DatabaseWrites& database);

/// The level of a row "L3"; nothing for "Sum" and others.
[[nodiscard]] std::optional<std::size_t> level_of_row(const StatisticsRow& row);

}  // namespace lsmlab::stores

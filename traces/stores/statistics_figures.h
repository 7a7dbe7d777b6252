// Figures of a column family from RocksDB's table of compaction statistics alone, as people copy it
// out of a LOG or of db_bench. The table rounds bytes to 0.1 GiB.
#pragma once

#include <optional>

#include "traces/stores/info_log.h"
#include "traces/stores/store_figures.h"

namespace lsmlab::stores {

/// Bytes by level, flushes and merges, and entries by the keys that merges read. `written_keys`:
/// all that were written to the family, as "Cumulative writes" prints it, if that is known. Leaves
/// the figures as they are if the table reports no flush.
void fill_from_statistics(FamilyFigures& figures, const StatisticsTable& table,
                          std::optional<double> written_keys);

/// The level of a row "L3"; nothing for "Sum" and others.
[[nodiscard]] std::optional<std::size_t> level_of_row(const StatisticsRow& row);

}  // namespace lsmlab::stores

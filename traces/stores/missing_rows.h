// Rows of levels that a copied table of statistics lacks, where its row of sums is there.
#pragma once

#include "traces/stores/info_log.h"

namespace lsmlab::stores {

/// Adds the row of the level that is missing, as the row Sum minus the others, and names it in
/// StatisticsTable::estimated_level; where its place is not clear, it is StatisticsTable::unplaced.
/// Files and jobs, which tables print as whole numbers, show that a row is missing. A table without
/// rows of levels stays as it is. REQUIRES: the last row is Sum. Source: RocksDB
/// db/internal_stats.cc: Sum has exactly the levels whose rows are printed.
void add_missing_row(StatisticsTable& table);

/// Takes back what add_missing_row() set: a row of a level stands below Sum.
void forget_missing_row(StatisticsTable& table);

}  // namespace lsmlab::stores

// A run as RocksDB 7.8 would print it: "** Compaction Stats **" as in its LOG and in db_bench's
// output, column by column, so that people and programs that know that table can read it.
// docs/rocksdb-stats.md defines each column.
// Source: RocksDB 7.8 db/internal_stats.cc (DumpDBStats, DumpCFStatsNoFileHistogram).
#pragma once

#include <span>
#include <string>

#include "models/accounting/run_result.h"

namespace lsmlab {

/// The tables of all runs, one after the other. One run has the name "default", as RocksDB's own
/// column family, and the statistics of the database before its table. Several runs have the names
/// of their policies, and of their workloads where these differ.
[[nodiscard]] std::string rocksdb_stats_text(std::span<const RunResult> runs);

/// What the tables cannot say about these runs, in one line; empty if there is nothing.
[[nodiscard]] std::string rocksdb_stats_note(std::span<const RunResult> runs);

}  // namespace lsmlab

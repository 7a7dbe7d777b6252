// Reads the lines that Cassandra and ScyllaDB write to their logs when a compaction ends, behind
// whatever a collector of logs puts before them. Pure functions of the bytes. Times are local ones,
// taken as UTC; where a line has no year, it is 1972.
// Source: Cassandra 2.1 to 5.0 db/compaction/CompactionTask.java; ScyllaDB 1 to 2026
// compaction/compaction.cc.
#pragma once

#include "traces/stores/info_log.h"

namespace lsmlab::stores {

/// "... Compacted 4 sstables to [...]. 68MB to 61MB (~89% of original) in 2319ms = 26MB/s. ..."
[[nodiscard]] bool is_compaction_log(std::string_view bytes);

/// Each compaction in the order of time; where their times have no common one, in the order of the
/// text, with times 0. Its family is "keyspace.table". Its reason says how many
/// SSTables it merged, and of ScyllaDB the kind of the job, if it is no compaction. Faults (each
/// names the line): a line of a compaction without its sizes.
[[nodiscard]] Salvaged<InfoLog> read_compaction_log(std::string_view bytes);

}  // namespace lsmlab::stores

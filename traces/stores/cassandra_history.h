// Reads what `nodetool compactionhistory` of Cassandra and ScyllaDB prints, as text, with -F json
// and with -F yaml. Pure functions of the bytes. Times are local ones, taken as UTC.
// Source: Cassandra 3.11 to 5.0 tools/nodetool/stats/CompactionHistory*.java,
// db/compaction/CompactionHistoryTabularData.java.
#pragma once

#include "traces/stores/info_log.h"

namespace lsmlab::stores {

[[nodiscard]] bool is_compaction_history(std::string_view bytes);

/// Each compaction in the order of time. Its family is "keyspace.table"; its reason says how many
/// SSTables at least it merged. Faults (each names the line, in JSON the number of the entry): an
/// entry without a number of bytes, a time or a name (it is left out); the input is cut within an
/// entry; no entry at all.
[[nodiscard]] Salvaged<InfoLog> read_compaction_history(std::string_view bytes);

}  // namespace lsmlab::stores

// Reads what `nodetool compactionhistory` of Cassandra and ScyllaDB prints, as text, with -F json
// and with -F yaml, and what cqlsh prints of the table system.compaction_history, by rows or
// expanded. Pure functions of the bytes. Times are local ones, taken as UTC.
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

/// Microseconds since 1970 of "2026-11-28T10:30:00.123", where the seconds may be missing, or of
/// milliseconds since 1970.
[[nodiscard]] std::optional<std::uint64_t> history_micros(std::string_view text);

/// Of a count of bytes, or of "1.5 MiB".
[[nodiscard]] std::optional<std::uint64_t> history_bytes(std::string_view text);

/// Of "{1:150, 2:50}": 150 partitions were in one SSTable, 50 were merged from two.
[[nodiscard]] std::map<std::uint64_t, std::uint64_t> merged_rows_of(std::string_view text);

}  // namespace lsmlab::stores

// Reads what `nodetool tablestats` (cfstats) of Cassandra and ScyllaDB prints as text. Pure
// functions of the bytes. Source: Cassandra 2.0 to 5.0 tools/nodetool/stats/TableStatsPrinter.java.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lsmlab::stores {

struct NodetoolTable {
  std::string name;  // "keyspace.table"
  std::optional<std::uint64_t> sstables;
  std::vector<std::uint64_t> level_sstables;  // of LeveledCompactionStrategy; otherwise empty
  std::optional<std::uint64_t> live_bytes;
  std::optional<std::uint64_t> total_bytes;  // with SSTables that wait for their deletion
  std::optional<double> compression_ratio;
  std::optional<std::uint64_t> partitions;         // an estimate
  std::optional<std::uint64_t> memtable_switches;  // flushes since the node started
  std::optional<std::uint64_t> reads;              // since then
  std::optional<std::uint64_t> writes;
  std::optional<std::uint64_t> partition_mean_bytes;
};

[[nodiscard]] bool is_nodetool_tables(std::string_view bytes);

/// Each table in the order of the text. A value that is no number is left out.
[[nodiscard]] std::vector<NodetoolTable> read_nodetool_tables(std::string_view bytes);

[[nodiscard]] std::string nodetool_table_text(const NodetoolTable& table);

}  // namespace lsmlab::stores

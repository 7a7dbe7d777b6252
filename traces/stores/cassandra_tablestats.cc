#include "traces/stores/cassandra_tablestats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/base/quantity_text.h"
#include "traces/stores/cassandra_history.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

struct NodetoolLine {
  std::string_view name;
  std::string_view value;
};

// "Keyspace : ks", "\t\tSSTable count: 17", "Space used (live), bytes: 4949", also quoted.
NodetoolLine line_of_nodetool(std::string_view line) {
  const std::size_t begin = line.find_first_not_of("> \t");
  if (begin == std::string_view::npos) return {};
  line = line.substr(begin);
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view name = trimmed(line.substr(0, colon));
  if (name.ends_with(", bytes")) name.remove_suffix(7);
  return {name, trimmed(line.substr(colon + 1))};
}

bool is_table_name(std::string_view name) { return name == "Table" || name == "Column Family"; }

// "[10/4, 2, 0]": ten SSTables where four are the most.
std::vector<std::uint64_t> levels_of_nodetool(std::string_view list) {
  std::vector<std::uint64_t> levels;
  while (!list.empty()) {
    const std::size_t at = list.find_first_of("0123456789");
    const auto count =
        at == std::string_view::npos ? std::nullopt : leading_number(list.substr(at));
    if (!count) break;
    levels.push_back(*count);
    const std::size_t comma = list.find(',');
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  while (!levels.empty() && levels.back() == 0) levels.pop_back();
  return levels;
}

void add_value(NodetoolTable& table, const NodetoolLine& line) {
  const std::string_view value = line.value;
  if (line.name == "SSTable count") table.sstables = leading_number(value);
  if (line.name == "SSTables in each level") table.level_sstables = levels_of_nodetool(value);
  if (line.name == "Space used (live)") table.live_bytes = history_bytes(value);
  if (line.name == "Space used (total)") table.total_bytes = history_bytes(value);
  if (line.name == "SSTable Compression Ratio") table.compression_ratio = decimal_number(value);
  if (line.name == "Number of partitions (estimate)" || line.name == "Number of keys (estimate)") {
    table.partitions = leading_number(value);
  }
  if (line.name == "Memtable switch count") table.memtable_switches = leading_number(value);
  if (line.name == "Local read count") table.reads = leading_number(value);
  if (line.name == "Local write count") table.writes = leading_number(value);
  if (line.name == "Compacted partition mean bytes") {
    table.partition_mean_bytes = leading_number(value);
  }
}

}  // namespace

bool is_nodetool_tables(std::string_view bytes) {
  bool has_table = false;
  Lines lines(bytes.substr(0, 1U << 20));
  while (const auto line = lines.next()) {
    const NodetoolLine found = line_of_nodetool(*line);
    if (is_table_name(found.name)) has_table = true;
    if (has_table && found.name == "SSTable count" && leading_number(found.value)) return true;
  }
  return false;
}

std::vector<NodetoolTable> read_nodetool_tables(std::string_view bytes) {
  std::vector<NodetoolTable> tables;
  std::string keyspace;
  bool is_index = false;
  Lines lines(bytes);
  while (const auto line = lines.next()) {
    const NodetoolLine found = line_of_nodetool(*line);
    if (found.name == "Keyspace") keyspace = found.value;
    if (found.name == "Table (index)") is_index = true;
    if (is_table_name(found.name)) {
      is_index = false;
      tables.emplace_back();
      tables.back().name = keyspace + (keyspace.empty() ? "" : ".") + std::string(found.value);
    } else if (!is_index && !tables.empty()) {
      add_value(tables.back(), found);
    }
  }
  return tables;
}

std::string nodetool_table_text(const NodetoolTable& table) {
  std::string text;
  if (table.sstables) text += fmt::format("  SSTables: {}", grouped_text(*table.sstables));
  if (!table.level_sstables.empty()) {
    text += fmt::format(", by level {}", fmt::join(table.level_sstables, ", "));
  }
  if (table.live_bytes) text += fmt::format("; {} live", bytes_text(*table.live_bytes));
  if (table.total_bytes && table.total_bytes != table.live_bytes) {
    text += fmt::format(" of {}", bytes_text(*table.total_bytes));
  }
  // Cassandra prints 0, or -1, where it knows none.
  if (table.compression_ratio.value_or(0) > 0) {
    text += fmt::format("; compressed to {:.2f}", *table.compression_ratio);
  }
  text += '\n';
  if (table.partitions) {
    text += fmt::format("  partitions: about {}", grouped_text(*table.partitions));
    if (table.partition_mean_bytes) {
      text += fmt::format(", {} on average", bytes_text(*table.partition_mean_bytes));
    }
    text += '\n';
  }
  if (table.writes && table.reads && table.memtable_switches) {
    text += fmt::format("  since the node started: {} writes, {} reads, {} of memtables\n",
                        grouped_text(*table.writes), grouped_text(*table.reads),
                        counted_text(*table.memtable_switches, "flush", "flushes"));
  }
  return text +
         "  bytes of flushes and compactions: unknown; nodetool compactionhistory has them\n";
}

}  // namespace lsmlab::stores

#include "traces/stores/unread_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::size_t kHeadBytes = std::size_t{1} << 20;

bool has_any(std::string_view text, std::initializer_list<std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(), [text](std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
  });
}

// The number behind one of several names, and ": ", "=" or " = ".
std::optional<double> value_behind(std::string_view text,
                                   std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto rest = after(text, name);
    if (!rest) continue;
    const std::size_t begin = rest->find_first_not_of(" :=");
    const auto value =
        begin == std::string_view::npos ? std::nullopt : leading_real(rest->substr(begin));
    if (value && *value >= 0 && *value < 1e15) return value;
  }
  return std::nullopt;
}

// What the properties of SSTables say of a workload: the entries, and the mean size of keys,
// without the eight bytes of sequence number and kind, and of values.
std::string workload_of_properties(std::string_view text) {
  constexpr double kSuffixBytes = 8;
  const auto entries = value_behind(text, {"# entries", "num_entries"});
  const auto keys = value_behind(text, {"raw key size", "raw_key_size"});
  const auto values = value_behind(text, {"raw value size", "raw_value_size"});
  if (!entries || *entries < 1 || !keys || !values) return "";
  const double key_bytes = std::max(1.0, std::round(*keys / *entries - kSuffixBytes));
  return fmt::format(
      "; as a workload its entries are load:entries={:.0f},key_bytes={:.0f},"
      "value_bytes={:.0f}",
      *entries, key_bytes, std::round(*values / *entries));
}

bool is_table_properties(std::string_view text) {
  const bool is_text = has_any(text, {"# data blocks", "# entries"}) &&
                       has_any(text, {"raw key size", "raw average key size"});
  return is_text || (has_any(text, {"num_data_blocks"}) && has_any(text, {"raw_key_size"}));
}

// goleveldb writes "version@stat F·[3 40] ...", and its tables of statistics by a property.
bool is_goleveldb_log(std::string_view text) {
  return has_any(text.substr(0, 1U << 16), {"version@stat ", "table@move ", "table@compaction ",
                                            "memdb@flush ", "db@open ", "journal@recovery "});
}

// Pebble's tool prints the edits of a MANIFEST.
bool is_pebble_manifest_dump(std::string_view text) {
  return has_any(text, {"\n  next-file-num:", "\n  log-num:"}) &&
         has_any(text, {"\n  comparer:", "\n  last-seq-num:"});
}

bool is_compaction_stats(std::string_view text) {
  return text.find("pending tasks:") != std::string_view::npos ||
         (has_any(text, {"compaction type"}) && has_any(text, {"progress"}));
}

}  // namespace

std::optional<std::string> why_unread(std::string_view text) {
  text = text.substr(0, kHeadBytes);
  if (is_goleveldb_log(text)) {
    return "is a log of goleveldb, which lsmlab does not read; it reads goleveldb's property "
           "leveldb.stats, a table of its levels";
  }
  if (is_compaction_stats(text)) {
    return "is 'nodetool compactionstats', which has only the compactions that run and wait now; "
           "give 'nodetool compactionhistory' for what was merged, or 'nodetool tablestats' for "
           "the SSTables";
  }
  if (has_any(text, {"ColumnFamily: "}) && has_any(text, {"Compaction Strategy: "})) {
    return "is what 'describe' of cassandra-cli prints; give what its 'show schema' prints, or "
           "DESCRIBE of cqlsh";
  }
  if (has_any(text, {"keyspace_name"}) && has_any(text, {"Compaction History:"})) {
    return "is a compaction history without bytes_in and bytes_out; give all of its columns";
  }
  if (is_pebble_manifest_dump(text)) {
    return "is what 'pebble manifest dump' prints; give the MANIFEST file itself, which lsmlab "
           "reads";
  }
  if (has_any(text, {"num-files-at-level", "num_files_at_level"})) {
    return "has the number of files of one level only; give those of all levels, or the property "
           "rocksdb.levelstats";
  }
  if (is_table_properties(text)) {
    return "is a list of properties of SSTables, which has neither levels nor compactions" +
           workload_of_properties(text) +
           "; give the LOG, or 'ldb manifest_dump' or the property rocksdb.sstables for the tree";
  }
  return std::nullopt;
}

}  // namespace lsmlab::stores

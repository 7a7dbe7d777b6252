#include "validate/advise/parameter_table.h"

#include <algorithm>
#include <array>

namespace lsmlab {
namespace {

using Values = std::vector<std::string>;

const Values kRatios{"2", "3", "4", "5", "6", "8", "10", "12", "16", "20"};
const Values kRuns{"2", "3", "4", "6", "8", "12", "16", "24", "32"};
const Values kStackSizes{"2", "3", "4", "5", "6", "7", "8", "10", "12", "16", "20", "24", "32"};
const Values kBases{"1", "2", "4", "8", "16", "32", "64"};
const Values kFileSizes{"0.25", "0.5", "1", "2", "4"};
const Values kFlags{"false", "true"};

std::vector<SearchedParameter> leveled_rows(std::string_view family) {
  return {{family, "size_ratio", {"4", "10"}, kRatios},
          {family, "l0_trigger", {"4", "8"}, kRuns},
          {family, "level_base", {"4", "16"}, kBases, LadderKind::kBuffers},
          {family, "file_size", {}, kFileSizes, LadderKind::kBuffers}};
}

std::vector<SearchedParameter> rows_of_other_systems() {
  return {
      {"pebble", "size_ratio", {"4", "10"}, kRatios},
      {"pebble", "l0_compaction_threshold", {"2", "4", "8"}, kRuns},
      {"pebble", "level_base", {"4", "16"}, kBases, LadderKind::kBuffers},
      {"pebble", "file_size", {}, kFileSizes, LadderKind::kBuffers},
      {"pebble",
       "multilevel",
       {"none", "write-amp"},
       {"none", "write-amp", "write-amp-from-level0"},
       LadderKind::kNames},
      {"cassandra-stcs", "min_threshold", {"4", "8", "16"}, kRuns},
      {"cassandra-stcs", "bucket_high", {}, {"1.2", "1.5", "2", "3"}},
      {"cassandra-lcs", "fanout_size", {"4", "10"}, kRatios},
      {"cassandra-lcs", "sstable_size", {"1", "4"}, kBases, LadderKind::kBuffers},
      {"cassandra-ucs",
       "scaling_parameters",
       {"L10", "L4", "N", "T4", "T8"},
       {"L32", "L16", "L10", "L6", "L4", "L3", "N", "T3", "T4", "T6", "T8", "T12", "T16", "T32"},
       LadderKind::kNames},
      {"scylla-stcs", "min_threshold", {"4", "8", "16"}, kRuns},
      {"scylla-lcs", "sstable_size", {"1", "4"}, kBases, LadderKind::kBuffers},
      {"scylla-ics", "min_threshold", {"4", "8", "16"}, kRuns},
      {"scylla-ics", "space_amplification_goal", {"1.25", "1.5"}, {"1.1", "1.25", "1.5", "1.75"}}};
}

std::vector<SearchedParameter> table() {
  std::vector<SearchedParameter> rows;
  for (const std::string_view family : {"rocksdb-leveled", "delete-aware"}) {
    for (SearchedParameter& row : leveled_rows(family)) rows.push_back(std::move(row));
    rows.push_back({family, "dynamic_levels", kFlags, kFlags, LadderKind::kNames});
    rows.push_back({family,
                    "priority",
                    {},
                    {"min-overlapping-ratio", "by-compensated-size", "oldest-largest-seq-first",
                     "oldest-smallest-seq-first", "round-robin"},
                    LadderKind::kNames});
  }
  for (const std::string_view family : {"leveldb", "ldc", "primitives"}) {
    for (SearchedParameter& row : leveled_rows(family)) rows.push_back(std::move(row));
  }
  const std::vector<SearchedParameter> others = {
      {"ldc", "slice_threshold", {}, {"2", "4", "8", "10", "16", "32"}},
      {"rocksdb-universal", "l0_trigger", {"4", "8", "16"}, kRuns},
      {"rocksdb-universal", "size_ratio_percent", {"1", "50"}, {"0", "1", "10", "25", "50", "100"}},
      {"rocksdb-universal", "min_merge_width", {}, {"2", "3", "4", "6", "8"}},
      {"rocksdb-universal",
       "max_size_amplification_percent",
       {"100", "400"},
       {"25", "50", "100", "200", "400", "800", "1600"}},
      {"tiered", "size_ratio", {"2", "4", "8"}, kRatios},
      {"leveled", "size_ratio", {"4", "10"}, kRatios},
      {"leveled", "level0_sstables", {"0", "2", "4"}, {"0", "1", "2", "3", "4", "6", "8"}},
      {"leveled-full", "size_ratio", {"2", "4", "10"}, kRatios},
      {"binomial", "k", {"3", "6", "12"}, kStackSizes},
      {"min-latency", "k", {"3", "6", "12"}, kStackSizes},
      {"constant", "k", {"2", "4", "8", "16"}, kStackSizes},
      {"bigtable", "k", {"3", "6", "12"}, kStackSizes},
      {"exploring", "k", {"3", "6", "12"}, kStackSizes},
      {"exploring", "lambda", {"1.2", "2"}, {"1", "1.2", "1.5", "2", "3"}},
      {"ratio-based", "ratio", {"1.2", "3"}, {"1.1", "1.2", "1.5", "2", "3", "4"}},
      {"ratio-based", "max_files", {"10", "20"}, {"6", "10", "15", "20", "30"}},
      {"prefix", "max_tolerance_files", {"5", "10"}, kRuns},
      {kEveryFamily, "buffer", {}, {}, LadderKind::kNumbers, SearchedWhen::kMemory},
      {kEveryFamily,
       "bits_per_key",
       {"5", "10", "16"},
       {"0", "2", "4", "5", "6", "8", "10", "12", "16", "20"},
       LadderKind::kNumbers,
       SearchedWhen::kReads}};
  rows.insert(rows.end(), others.begin(), others.end());
  for (SearchedParameter& row : rows_of_other_systems()) rows.push_back(std::move(row));
  for (SearchedParameter& row : rows) {
    for (const std::string& value : row.coarse) {
      if (std::find(row.ladder.begin(), row.ladder.end(), value) == row.ladder.end()) {
        row.ladder.push_back(value);
      }
    }
  }
  return rows;
}

// Leveling by RocksDB, LevelDB and the design-space paper; tiering by RocksDB and Cassandra; lazy
// leveling; policies that bound the number of SSTables, of which HBase has the last.
constexpr std::array<std::string_view, 9> kUsualPolicies = {
    "rocksdb-leveled",   "rocksdb-universal", "leveldb",     "lo+1",     "tiered",
    "dostoevsky-table1", "binomial",          "min-latency", "exploring"};

}  // namespace

std::span<const SearchedParameter> searched_parameters() {
  static const std::vector<SearchedParameter> kTable = table();
  return kTable;
}

std::span<const std::string_view> usual_policies() { return kUsualPolicies; }

std::vector<std::string> policies_of_system(std::string_view family) {
  // TimeWindowCompactionStrategy is for data that expire, and only for them.
  using Names = std::vector<std::string>;
  if (family.ends_with("-twcs")) return {std::string(family)};
  if (family.starts_with("rocksdb-")) return Names{"rocksdb-leveled", "rocksdb-universal"};
  if (family.starts_with("cassandra-")) {
    return Names{"cassandra-stcs", "cassandra-lcs", "cassandra-ucs"};
  }
  if (family.starts_with("scylla-")) return Names{"scylla-stcs", "scylla-lcs", "scylla-ics"};
  return {std::string(family)};
}

}  // namespace lsmlab

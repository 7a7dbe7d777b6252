// Reads numbers that RocksDB's properties and a store's exporter of metrics print one a line:
// `ldb get_property rocksdb.cfstats`, "rocksdb.num-files-at-level0: 4", and lines of Prometheus
// such as tikv_engine_num_files_at_level{cf="default",db="kv",level="0"} 4. Pure functions of the
// text. Source: RocksDB 7 to 11 db/internal_stats.cc; TiKV engine_rocks/src/rocks_metrics.rs;
// MyRocks.
#pragma once

#include <string_view>

#include "traces/stores/info_log.h"

namespace lsmlab::stores {

/// True if the text has numbers of files by level, the map of compaction statistics, or counters of
/// the bytes that flushes and compactions wrote.
[[nodiscard]] bool is_property_text(std::string_view text);

/// The last number of each name. Families of a text that names databases have the database before
/// theirs: "kv.default". Counters of several tables of one database are summed.
[[nodiscard]] InfoLog read_property_text(std::string_view text);

}  // namespace lsmlab::stores

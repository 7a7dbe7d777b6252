// Short logs, metrics, histories and schemas of other systems for tests, in the words of those
// systems.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "traces/stores/info_log.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::testing {

// Two flushes, a compaction of both and of an older file, a move, stalls, statistics; the second
// flush is of column family "b [2]".
inline std::string sample_rocksdb_log() {
  return
      R"(2026/11/27-01:00:00.000000 7f48 RocksDB version: 7.8.3
2026/11/27-01:00:00.000001 7f48               Options.max_background_jobs: 4
2026/11/27-01:00:00.000002 7f48 [db/column_family.cc:630] --------------- Options for column family [default]:
2026/11/27-01:00:00.000003 7f48               Options.comparator: leveldb.BytewiseComparator
2026/11/27-01:00:00.000004 7f48            table_factory options:   flush_block_policy_factory: F (0x1)
  block_cache_options:
    capacity : 8388608
  block_size: 8192
2026/11/27-01:00:00.000005 7f48        Options.write_buffer_size: 1000000
2026/11/27-01:00:00.000006 7f48 Options.level_compaction_dynamic_level_bytes: 1
2026/11/27-01:00:10.000000 7f48 EVENT_LOG_v1 {"time_micros": 1, "job": 2, "event": "flush_started", "num_memtables": 1, "num_entries": 110, "num_deletes": 11, "total_data_size": 2000, "memory_usage": 9000, "flush_reason": "Write Buffer Full"}
2026/11/27-01:00:10.100000 7f48 EVENT_LOG_v1 {"time_micros": 2, "cf_name": "default", "job": 2, "event": "table_file_creation", "file_number": 11, "file_size": 1000, "table_properties": {"data_size": 900, "raw_key_size": 2400, "raw_value_size": 900, "num_entries": 100, "num_deletions": 10, "compression": "LZ4"}}
2026/11/27-01:00:10.200000 7f48 (Original Log Time 2026/11/27-01:00:10.150000) EVENT_LOG_v1 {"time_micros": 3, "job": 2, "event": "flush_finished", "output_compression": "LZ4", "lsm_state": [1, 1, 0], "immutable_memtables": 0}
2026/11/27-01:00:11.000000 7f48 EVENT_LOG_v1 {"time_micros": 4, "job": 3, "event": "flush_started", "num_memtables": 1, "num_entries": 10, "num_deletes": 0, "memory_usage": 100, "flush_reason": "Manual Flush"}
2026/11/27-01:00:11.000001 7f48 [db/flush_job.cc:362] [b [2]] [JOB 3] Level-0 flush table #12: started
2026/11/27-01:00:11.100000 7f48 EVENT_LOG_v1 {"time_micros": 5, "cf_name": "b [2]", "job": 3, "event": "table_file_creation", "file_number": 12, "file_size": 500, "table_properties": {"num_entries": 10}}
2026/11/27-01:00:11.200000 7f48 EVENT_LOG_v1 {"time_micros": 6, "job": 3, "event": "flush_finished", "lsm_state": [1, 0, 0]}
2026/11/27-01:00:12.000000 7f48 [WARN] [db/column_family.cc:742] [b [2]] Stopping writes because we have 2 immutable memtables (waiting for flush), max_write_buffer_number is set to 2
2026/11/27-01:00:12.000001 7f48 [WARN] [db/column_family.cc:742] [default] Stalling writes because we have 20 level-0 files rate 16777216
2026/11/27-01:00:20.000000 7f48 [db/compaction/compaction_job.cc:1] [default] [JOB 4] Compacting 1@0 + 1@1 files to L1, score 1.00
2026/11/27-01:00:20.000001 7f48 EVENT_LOG_v1 {"time_micros": 7, "job": 4, "event": "compaction_started", "compaction_reason": "LevelL0FilesNum", "files_L0": [11], "files_L1": [5], "files_L2": [], "score": 1, "input_data_size": 3000}
2026/11/27-01:00:20.500000 7f48 EVENT_LOG_v1 {"time_micros": 8, "cf_name": "default", "job": 4, "event": "table_file_creation", "file_number": 13, "file_size": 2700, "table_properties": {"data_size": 2500, "raw_key_size": 5000, "raw_value_size": 5000, "num_entries": 250, "compression": "ZSTD"}}
2026/11/27-01:00:20.600000 7f48 EVENT_LOG_v1 {"time_micros": 9, "job": 4, "event": "compaction_finished", "compaction_time_micros": 9179, "output_level": 1, "num_output_files": 1, "total_output_size": 2700, "num_input_records": 300, "num_output_records": 250, "output_compression": "ZSTD", "lsm_state": [0, 1, 0]}
2026/11/27-01:00:21.000000 7f48 [db/db_impl/db_impl_compaction_flush.cc:3] [default] Moving #13 to level-2 2700 bytes
2026/11/27-01:00:21.000001 7f48 EVENT_LOG_v1 {"time_micros": 10, "job": 5, "event": "trivial_move", "destination_level": 2, "files": 1, "total_files_size": 2700}
2026/11/27-01:00:30.000000 7f48 [db/db_impl/db_impl.cc:1105] ------- DUMPING STATS -------
2026/11/27-01:00:30.000001 7f48 [db/db_impl/db_impl.cc:1107] 
** DB Stats **
Uptime(secs): 30.0 total, 30.0 interval
Cumulative writes: 12K writes, 12K keys, 1 commit groups, 1.0 writes per commit group, ingest: 1.50 GB, 0.02 MB/s
Cumulative stall: 00:01:2.500 H:M:S, 20.5 percent

** Compaction Stats [default] **
Level    Files   Size     Score Read(GB)  Rn(GB) Write(GB) W-Amp KeyIn KeyDrop
------------------------------------------------------------------------------
  L0      2/1   64.50 MB   0.5      0.0     0.0      1.5   1.0      0       0
  L1      7/0    1.25 GB   1.2      3.0     1.5      3.1   2.1    50M     12K
 Sum      9/1    1.31 GB   0.0      3.0     1.5      4.6   3.1    50M     12K
 Int      0/0    0.00 KB   0.0      0.0     0.0      0.0   0.0      0       0

Uptime(secs): 30.0 total, 30.0 interval
Flush(GB): cumulative 1.500, interval 0.000
Stalls(count): 3 level0_slowdown, 0 level0_numfiles, interval 0 total count
2026/11/27-01:00:40.000000 7f48 Shutdown complete
)";
}

inline std::string sample_leveldb_log() {
  return R"(2026/11/27-01:16:01.947949 140576450516800 Creating DB ldb since it was missing.
2026/11/27-01:16:01.952055 140576446076608 Level-0 table #5: started
2026/11/27-01:16:01.953118 140576446076608 Level-0 table #5: 97054 bytes OK
2026/11/27-01:16:01.953180 140576450516800 Current memtable full; waiting...
2026/11/27-01:16:01.955774 140576446076608 Delete type=0 #12
2026/11/27-01:16:01.959827 140576446076608 Compacting 4@0 + 1@1 files
2026/11/27-01:16:01.960281 140576446076608 Level-0 table #18: started
2026/11/27-01:16:01.960834 140576446076608 Level-0 table #18: 97172 bytes OK
2026/11/27-01:16:01.970000 140576446076608 Generated table #19@0: 3000 keys, 360000 bytes
2026/11/27-01:16:01.970001 140576446076608 Compacted 4@0 + 1@1 files => 360000 bytes
2026/11/27-01:16:01.970002 140576446076608 compacted to: files[ 1 1 0 0 0 0 0 ]
2026/11/27-01:16:01.980000 140576446076608 Moved #19 to level-2 360000 bytes OK: files[ 1 0 1 0 0 0 0 ]
2026/11/27-01:16:01.990000 140576446076608 Too many L0 files; waiting...
)";
}

// The beginning of a table of metrics of Pebble 2.1.7.
inline std::string sample_pebble_metrics() {
  return
      R"(      |                             |                |       |   ingested   |     moved    |    written   |       |    amp   |    val sep
level | tables  size val-bl vtables | score  ff  cff |   in  | tables  size | tables  size | tables  size |  read |   r   w  | refsz  valblk
------+-----------------------------+----------------+-------+--------------+--------------+--------------+-------+----------+--------------
    0 |     0     0B     0B       0 |    -    0    0 | 9.5MB |     0     0B |     0     0B |   148  6.3MB |    0B |   0 0.66 |    0B      0B
    1 |     0     0B     0B       0 |    -    0    0 |    0B |     0     0B |     0     0B |     0     0B |    0B |   0    0 |    0B      0B
    2 |     0     0B     0B       0 |    -    0    0 |    0B |     0     0B |     0     0B |     0     0B |    0B |   0    0 |    0B      0B
    3 |     0     0B     0B       0 |    -    0    0 |    0B |     0     0B |     0     0B |     0     0B |    0B |   0    0 |    0B      0B
    4 |     0     0B     0B       0 |    -    0    0 |    0B |     0     0B |     0     0B |     0     0B |    0B |   0    0 |    0B      0B
    5 |     4  366KB     0B       0 |    - 0.71 0.79 | 6.0MB |     0     0B |     0     0B |   100   11MB |  12MB |   1 1.81 |    0B      0B
    6 |    15  2.5MB     0B       0 |    - 0.97 0.97 | 4.9MB |     0     0B |     0     0B |    56  9.4MB |  12MB |   1 1.91 |    0B      0B
total |    19  2.8MB     0B       0 |    -    -    - | 9.5MB |     0     0B |     0     0B |   304   36MB |  24MB |   2 3.78 |    0B      0B
--------------------------------------------------------------------------------------------------------------------------------------------
WAL: 1 files (0B)  in: 7.7MB  written: 9.5MB (23% overhead)
Flushes: 41
Compactions: 61  estimated debt: 0B  in progress: 0 (0B)  canceled: 0 (0B)  failed: 0  problem spans: 0
             default: 61  delete: 0  elision: 0  move: 0  read: 0  tombstone-density: 0  rewrite: 0  copy: 0  multi-level: 0  blob-file-rewrite:  0
MemTables: 1 (256KB)  zombie: 1 (256KB)
)";
}

// The history of two tables, as nodetool of Cassandra 4.1 prints it.
inline std::string sample_cassandra_history() {
  return
      R"(Compaction History:
id                                   keyspace_name columnfamily_name compacted_at            bytes_in  bytes_out rows_merged
c3c5f1f0-cc43-11f0-a1c5-3f6f1d0c6a11 shop          orders            2026-11-28T12:00:00.250 160000000 120000000 {1:9000, 2:3000, 4:2000}
b7c5f1f0-cc42-11f0-a1c5-3f6f1d0c6a12 shop          orders            2026-11-28T10:10:00.010 41000000  30500000  {1:900, 12:30}
b3c5f1f0-cc42-11f0-a1c5-3f6f1d0c6a13 system        local             2026-11-28T10:05:00.010 5790      5944      {4:1}
a3c5f1f0-cc42-11f0-a1c5-3f6f1d0c6a14 shop          orders            2026-11-28T10:00:00.010 40000000  30000000  {1:1500, 4:500}
)";
}

// Four tables, as DESCRIBE KEYSPACE prints them.
inline std::string sample_cassandra_schema() {
  return
      R"(CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': '1'};

CREATE TABLE shop.orders (
    id uuid,
    day date, // the day
    total decimal,
    tags map<text, frozen<list<int>>>,
    PRIMARY KEY ((id), day)
) WITH CLUSTERING ORDER BY (day DESC)
    AND additional_write_policy = '99p'
    AND bloom_filter_fp_chance = 0.01
    AND caching = {'keys': 'ALL', 'rows_per_partition': 'NONE'}
    AND comment = 'it''s; AND ''quoted'''
    AND compaction = {'class': 'org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy', 'max_threshold': '32', 'min_threshold': '6'}
    AND compression = {'chunk_length_in_kb': '16', 'class': 'org.apache.cassandra.io.compress.ZstdCompressor'}
    AND crc_check_chance = 1.0
    AND gc_grace_seconds = 3600
    AND default_time_to_live = 0;

CREATE TABLE IF NOT EXISTS shop."Odd ""name""" (a int PRIMARY KEY)
    WITH compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': 160};

CREATE MATERIALIZED VIEW shop.by_day AS
    SELECT day, id FROM shop.orders WHERE day IS NOT NULL AND id IS NOT NULL
    PRIMARY KEY (day, id)
    WITH compaction = {'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'T4, L10'};

CREATE TABLE shop.events (a int PRIMARY KEY) WITH COMPACT STORAGE AND compaction = {'class': 'TimeWindowCompactionStrategy'};
)";
}

// The tables of Pebble since 2025. Empty levels have no row.
inline std::string sample_pebble_split_tables() {
  return "LSM                             |    vtables   |   value sep   |        |   ingested   | "
         "   "
         "amp\n"
         "level       size | tables  size |  count  size |  refsz valblk |     in | tables  size | "
         "  r  "
         "   w\n"
         "-----------------+--------------+--------------+---------------+--------+--------------+-"
         "-----"
         "----\n"
         "   L0      101MB |    101  98MB |    102  107M |     0B     0B |  2.5GB |      0    0B | "
         "  7  "
         "1.02\n"
         "   L5      601MB |    601 601MB |      0     0 |     0B     0B |  2.4GB |      2    4MB "
         "|   1 "
         " 4.50\n"
         "   L6      9.5GB |   2.1K 9.5GB |      0     0 |     0B     0B |  2.3GB |      0    0B | "
         "  1  "
         "6.10\n"
         "-----------------+--------------+--------------+---------------+--------+--------------+-"
         "-----"
         "----\n"
         "total       10GB |   2.8K  10GB |    102  107M |     0B     0B |  2.5GB |      2    4MB "
         "|   9 "
         "12.02\n"
         "\n"
         "COMPACTIONS               |     moved    |     multilevel    |     read     |       "
         "written\n"
         "level | score    ff   cff | tables  size |   top    in  read | tables  blob | tables  "
         "sstsz "
         "blobsz\n"
         "------+-------------------+--------------+-------------------+--------------+------------"
         "-----"
         "----\n"
         "   L0 |  1.10  2.10  0.30 |      0    0B |    0B    0B    0B |     0B    0B |    217  "
         "2.5GB   "
         "  0B\n"
         "   L5 |  1.60  2.60  1.80 |    606 606MB |    0B    0B    0B |    13GB   0B |   1.2K   "
         "11GB   "
         "  0B\n"
         "   L6 |     -  2.70  2.10 |     70  70MB |    0B    0B    0B |    15GB   0B |   1.4K   "
         "14GB   "
         "  0B\n"
         "------+-------------------+--------------+-------------------+--------------+------------"
         "-----"
         "----\n"
         "total |     -     -     - |    676 676MB |    0B    0B    0B |    28GB   0B |   5.7K   "
         "30GB   "
         "  0B\n"
         "\n"
         " kind | default  delete  elision  move  read  tomb  rewrite  copy  multi  blob virtual\n"
         "count |    1.5K       0       12   676     0     0        0     0     40     0       0\n"
         "\n"
         "COMMIT PIPELINE\n"
         "               wals                |              memtables              |       "
         "ingestions\n"
         "    files |    written |  overhead |   flushes |       live |     zombie |     total |   "
         "flushable\n"
         "----------+------------+-----------+-----------+------------+------------+-----------+---"
         "-----"
         "----\n"
         " 22 (24B) | 2.5GB: 2.6GB |     4.0% |       217 |   12 (2GB) |   5 (13MB) |        12 |  "
         "    "
         "4 (6B)\n";
}

// The lines of a LOG as Ceph writes them, with lines of its own between, or as TiKV does, whose
// head has no times.
inline std::string hosted_log(const std::string& log, bool is_ceph) {
  std::string text;
  stores::Lines lines(log);
  while (const auto line = lines.next()) {
    if (!stores::micros_of_line(*line)) {
      text += std::string(*line) + "\n";
      continue;
    }
    std::string date(line->substr(0, 10));
    const std::string time(line->substr(11, 12));
    const std::size_t space = line->find(' ', 27);
    const std::string thread(line->substr(27, space - 27));
    const std::string message(line->substr(space + 1));
    if (is_ceph) {
      std::replace(date.begin(), date.end(), '/', '-');
      text += fmt::format("{0}T{1}+0000 {2}  4 rocksdb: {3}\n{0}T{1}+0000 7f  1 osd.3 9 a line\n",
                          date, time, thread, message);
    } else if (message.find("Options") != std::string::npos ||
               message.find("RocksDB version") != std::string::npos ||
               message.find("options:") != std::string::npos) {
      text += message + "\n";
    } else {
      text += fmt::format("[{} {} +08:00][{}][INFO] {}\n", date, time, thread, message);
    }
  }
  return text;
}

}  // namespace lsmlab::testing

// The names are those of these sources:
// - RocksDB 7.8.3: include/rocksdb/options.h, advanced_options.h, universal_compaction.h, table.h,
//   utilities/table_properties_collectors.h; for stalls db/column_family.cc.
// - LevelDB 1.23: include/leveldb/options.h.
// - db_bench: RocksDB's tools/db_bench_tool.cc and LevelDB's benchmarks/db_bench.cc.
// - Cassandra: the reference of compaction subproperties and of UnifiedCompactionStrategy for
//   version 5.0, LeveledCompactionStrategy.java, unified/Controller.java, cassandra.yaml, whose
//   compaction_throughput_mb_per_sec became compaction_throughput in version 4.1.
// - ScyllaDB (2026): compaction/*_strategy.hh, db/config.cc, cql3/statements/cf_prop_defs.cc,
//   sstables/compressor.cc.
// - Pebble (2026): options.go; the names are those of its OPTIONS file, mem_table_size for
//   MemTableSize.
// - YCSB 0.17: CoreWorkload.java, Client.java.
// - HBase's hbase-default.xml; AsterixDB's PrefixMergePolicy.java; Accumulo's Property.java.
#include "models/base/foreign_options.h"

namespace lsmlab {
namespace {

// The families that have the option, except those in which it means something else.
using Places = std::array<ForeignPlace, 8>;
constexpr Places kSizeRatio{{{kAnyFamily, "size_ratio", "tiered"}}};
constexpr Places kFileSize{{{kAnyFamily, "file_size"}}};
constexpr Places kSstableSize{{{"cassandra-lcs", "sstable_size"},
                               {"scylla-lcs", "sstable_size"},
                               {"scylla-ics", "sstable_size"},
                               {kAnyFamily, "file_size"}}};
constexpr Places kLevelBase{{{kAnyFamily, "level_base", "leveled-full"}}};
constexpr Places kLevel0Trigger{{{kAnyFamily, "l0_trigger"}}};
constexpr Places kSubcompactions{{{kAnyFamily, "max_subcompactions"}}};
constexpr Places kMinFiles{{{kAnyFamily, "min_files"}}};
constexpr Places kMaxFiles{{{kAnyFamily, "max_files"}}};
constexpr Places kUniversalRatio{{{kAnyFamily, "size_ratio_percent"}}};
constexpr Places kMinWidth{{{kAnyFamily, "min_merge_width"}}};
constexpr Places kMaxWidth{{{kAnyFamily, "max_merge_width"}}};
constexpr Places kAmplification{
    {{kAnyFamily, "max_size_amplification_percent"}, {kAnyFamily, "space_amplification_percent"}}};
constexpr Places kRatio{{{kAnyFamily, "lambda"}, {kAnyFamily, "ratio", "prefix"}}};
constexpr Places kBuffer{{{kEveryPolicy, "buffer"}}};
constexpr Places kBitsPerKey{{{kEveryPolicy, "bits_per_key"}}};

constexpr std::string_view kCassandra = "Cassandra, ScyllaDB";
constexpr std::string_view kUniversal = "RocksDB universal compaction";
constexpr std::string_view kFifo = "RocksDB FIFO compaction";
constexpr std::string_view kMergeThreads = "the option --merge-threads N of simulate and replay";
constexpr std::string_view kClientRate =
    "the option --clients of simulate, such as closed:clients=N or poisson:rate=N";
constexpr std::string_view kYcsbMix =
    "the preset: ycsb-a to ycsb-f have YCSB's mixes, and a JSON file can have any "
    "(docs/operation-workloads.md)";
constexpr std::string_view kCompression =
    "compression, with a codec for each level from 0: compression=none:none:lz4:zstd";
constexpr std::string_view kDisableWal =
    "the flag --disable-wal of replay --engine rocksdb, and of simulate with --device";
constexpr std::string_view kNoAge =
    "nearest is primitives:trigger=staleness, which counts operations";
constexpr std::string_view kNoThrottle =
    "merges run as fast as the device and --merge-threads allow";
constexpr std::string_view kNoShards = "no policy here splits the keys into shards";
constexpr std::string_view kNoLevelFactors = "every level here has the same factor";
constexpr std::string_view kSingleMerges =
    "only tiered, cassandra-* and scylla-* merge an SSTable by itself, with "
    "tombstone_threshold and that parameter; it counts an interval in operations";

constexpr ForeignOption kForeignOptions[] = {
    // Memtables.
    {"write_buffer_size", "RocksDB, LevelDB", ForeignValue::kBytes, kBuffer},
    {"mem_table_size", "Pebble", ForeignValue::kBytes, kBuffer},
    {"hbase.hregion.memstore.flush.size", "HBase", ForeignValue::kBytes, kBuffer},
    {"db_write_buffer_size", "RocksDB", ForeignValue::kBytes, {{{kEveryPolicy, "shared_buffer"}}}},
    {"arena_block_size", "RocksDB", ForeignValue::kBytes, {{{kEveryPolicy, "arena_block"}}}},
    {.name = "min_write_buffer_number_to_merge",
     .systems = "RocksDB",
     .note = "every flush here writes one memtable: give buffer so many times the bytes"},
    {.name = "memtable_heap_space",
     .systems = "Cassandra",
     .note = "nearest is buffer, the bytes of one memtable; Cassandra's limit is shared by all "
             "tables, and memtable_cleanup_threshold decides when one is flushed"},
    // Levels and files.
    {"max_bytes_for_level_multiplier", "RocksDB", ForeignValue::kWhole, kSizeRatio},
    {"fanout_size",
     "Cassandra",
     ForeignValue::kWhole,
     {{{"cassandra-lcs", "fanout_size"}, {kAnyFamily, "size_ratio", "tiered"}}}},
    {.name = "max_bytes_for_level_multiplier_additional",
     .systems = "RocksDB",
     .note = kNoLevelFactors},
    {"level_multiplier", "Pebble", ForeignValue::kWhole, kSizeRatio},
    {"max_bytes_for_level_base", "RocksDB", ForeignValue::kBytes, kLevelBase},
    {"lbase_max_bytes", "Pebble", ForeignValue::kBytes, kLevelBase},
    {"target_file_size_base", "RocksDB", ForeignValue::kBytes, kFileSize},
    {"target_file_size_multiplier",
     "RocksDB",
     ForeignValue::kWhole,
     {{{kAnyFamily, "file_size_multiplier"}}}},
    {"max_file_size", "LevelDB", ForeignValue::kBytes, kFileSize},
    {"sstable_size_in_mb", kCassandra, ForeignValue::kMebibytes, kSstableSize},
    {"target_sstable_size", "Cassandra", ForeignValue::kBytes, kFileSize},
    {.name = "target_file_size",
     .systems = "Pebble",
     .note = "nearest is file_size, which is the same in every level; Pebble's doubles from level "
             "to level by default"},
    {"level0_file_num_compaction_trigger", "RocksDB", ForeignValue::kWhole, kLevel0Trigger},
    {"l0_compaction_file_threshold", "Pebble", ForeignValue::kWhole, kLevel0Trigger},
    {.name = "l0_compaction_threshold",
     .systems = "Pebble",
     .note = "nearest is l0_trigger, which counts the files of level 0; Pebble counts its "
             "sublevels"},
    {"num_levels", "RocksDB", ForeignValue::kWhole, {{{kAnyFamily, "levels"}}}},
    // What merges, and how much at a time.
    {.name = "compaction_style",
     .systems = "RocksDB",
     .elsewhere = "the policy's name: rocksdb-leveled, rocksdb-universal or rocksdb-fifo"},
    {.name = "class",
     .systems = kCassandra,
     .elsewhere =
         "the policy's name: cassandra-stcs, cassandra-lcs, cassandra-twcs, scylla-stcs or "
         "scylla-lcs"},
    {"disable_auto_compactions",
     "RocksDB",
     ForeignValue::kFlag,
     {{{kAnyFamily, "disable_auto_compactions"}}}},
    {"compaction_pri", "RocksDB", ForeignValue::kCompactionPri, {{{kAnyFamily, "priority"}}}},
    {"level_compaction_dynamic_level_bytes",
     "RocksDB",
     ForeignValue::kFlag,
     {{{kAnyFamily, "dynamic_levels"}}}},
    {"level_compaction_dynamic_file_size",
     "RocksDB",
     ForeignValue::kFlag,
     {{{kAnyFamily, "dynamic_file_size"}}}},
    {"max_compaction_bytes",
     "RocksDB",
     ForeignValue::kBytes,
     {{{kAnyFamily, "max_compaction_bytes"}}}},
    {.name = "size_ratio",
     .systems = kUniversal,
     .value = ForeignValue::kWhole,
     .places = kUniversalRatio,
     .is_ambiguous = true},
    {"universal_size_ratio", "db_bench", ForeignValue::kWhole, kUniversalRatio},
    {"min_merge_width", kUniversal, ForeignValue::kWhole, kMinWidth},
    {"universal_min_merge_width", "db_bench", ForeignValue::kWhole, kMinWidth},
    {"max_merge_width", kUniversal, ForeignValue::kWhole, kMaxWidth},
    {"universal_max_merge_width", "db_bench", ForeignValue::kWhole, kMaxWidth},
    {"max_size_amplification_percent", kUniversal, ForeignValue::kWhole, kAmplification},
    {"universal_max_size_amplification_percent", "db_bench", ForeignValue::kWhole, kAmplification},
    {"universal_compression_size_percent",
     "db_bench",
     ForeignValue::kWhole,
     {{{kAnyFamily, "compression_size_percent"}}}},
    {"universal_allow_trivial_move",
     "db_bench",
     ForeignValue::kFlag,
     {{{kAnyFamily, "allow_trivial_move"}}}},
    {"incremental", kUniversal, ForeignValue::kFlag, {{{kAnyFamily, "incremental"}}}},
    {"universal_incremental", "db_bench", ForeignValue::kFlag, {{{kAnyFamily, "incremental"}}}},
    {"sliding_window_size", "RocksDB", ForeignValue::kSame, {{{kAnyFamily, "mark_window"}}}},
    {"deletion_trigger", "RocksDB", ForeignValue::kSame, {{{kAnyFamily, "mark_deletes"}}}},
    {"deletion_ratio", "RocksDB", ForeignValue::kSame, {{{kAnyFamily, "mark_ratio"}}}},
    {"periodic_compaction_seconds",
     "RocksDB",
     ForeignValue::kNameOnly,
     {{{kAnyFamily, "periodic_age"}}}},
    {"ttl", "RocksDB", ForeignValue::kNameOnly, {{{kAnyFamily, "ttl"}}}},
    {"max_table_files_size", kFifo, ForeignValue::kBytes, {{{kAnyFamily, "max_table_files_size"}}}},
    {"allow_compaction", kFifo, ForeignValue::kFlag, {{{kAnyFamily, "allow_compaction"}}}},
    {"fifo_compaction_allow_compaction",
     "db_bench",
     ForeignValue::kFlag,
     {{{kAnyFamily, "allow_compaction"}}}},
    {"fifo_compaction_max_table_files_size_mb",
     "db_bench",
     ForeignValue::kNameOnly,
     {{{kAnyFamily, "max_table_files_size"}}}},
    {"fifo_compaction_ttl", "db_bench", ForeignValue::kNameOnly, {{{kAnyFamily, "ttl"}}}},
    // Threads, and when writers wait.
    {.name = "max_background_jobs", .systems = "RocksDB", .elsewhere = kMergeThreads},
    {.name = "max_background_compactions", .systems = "RocksDB", .elsewhere = kMergeThreads},
    {.name = "max_concurrent_compactions", .systems = "Pebble", .elsewhere = kMergeThreads},
    {.name = "concurrent_compactors", .systems = "Cassandra", .elsewhere = kMergeThreads},
    {.name = "max_background_flushes",
     .systems = "RocksDB",
     .note = "one thread flushes; --merge-threads N is the number of merges at a time"},
    {"max_subcompactions", "RocksDB", ForeignValue::kWhole, kSubcompactions},
    {"subcompactions", "db_bench", ForeignValue::kWhole, kSubcompactions},
    {"max_write_buffer_number",
     "RocksDB",
     ForeignValue::kOneLess,
     {{{kStalls, "full_memtables_max"}}}},
    {"mem_table_stop_writes_threshold",
     "Pebble",
     ForeignValue::kOneLess,
     {{{kStalls, "full_memtables_max"}}}},
    {"level0_slowdown_writes_trigger",
     "RocksDB",
     ForeignValue::kWhole,
     {{{kStalls, "level0_slowdown_runs"}}}},
    {"level0_stop_writes_trigger",
     "RocksDB",
     ForeignValue::kWhole,
     {{{kStalls, "level0_stop_runs"}}}},
    {"l0_stop_writes_threshold", "Pebble", ForeignValue::kWhole, {{{kStalls, "level0_stop_runs"}}}},
    {.name = "hbase.hstore.blockingStoreFiles",
     .systems = "HBase",
     .note = "nearest is level0_stop_runs of --stalls, which counts the sorted runs of level 0"},
    {"soft_pending_compaction_bytes_limit",
     "RocksDB",
     ForeignValue::kBytes,
     {{{kStalls, "pending_slowdown_bytes"}}}},
    {"hard_pending_compaction_bytes_limit",
     "RocksDB",
     ForeignValue::kBytes,
     {{{kStalls, "pending_stop_bytes"}}}},
    {"delayed_write_rate",
     "RocksDB",
     ForeignValue::kBytes,
     {{{kStalls, "slowdown_bytes_per_second"}}}},
    {.name = "rate_limiter", .systems = "RocksDB", .note = kNoThrottle},
    {.name = "rate_limiter_bytes_per_sec", .systems = "db_bench", .note = kNoThrottle},
    {.name = "compaction_throughput", .systems = "Cassandra", .note = kNoThrottle},
    {.name = "compaction_throughput_mb_per_sec", .systems = kCassandra, .note = kNoThrottle},
    // Filters, caches, blocks, files.
    {"bloom_bits_per_key", "RocksDB", ForeignValue::kSame, kBitsPerKey},
    {"bloom_bits", "db_bench", ForeignValue::kSame, kBitsPerKey},
    {"filter_policy", "RocksDB, LevelDB, Pebble", ForeignValue::kNameOnly, kBitsPerKey},
    {"bloom_filter_fp_chance", kCassandra, ForeignValue::kFilterChance, kBitsPerKey},
    {.name = "optimize_filters_for_hits",
     .systems = "RocksDB",
     .note =
         "files of every level have filters; filter_split=monkey gives the last level fewer bits"},
    {"cache_size", "db_bench, Pebble", ForeignValue::kBytes, {{{kEveryPolicy, "block_cache"}}}},
    {"block_size",
     "RocksDB, LevelDB, Pebble",
     ForeignValue::kBytes,
     {{{kEveryPolicy, "block_size"}}}},
    {.name = "block_restart_interval",
     .systems = "RocksDB, LevelDB, Pebble",
     .note = "table_format=rocksdb and table_format=leveldb have a restart after 16 keys, the "
             "default of all three; lsmlab's own tables have none"},
    {.name = "chunk_length_in_kb",
     .systems = kCassandra,
     .note = "nearest is block_size, the bytes of a data block"},
    {.name = "compression_type", .systems = "db_bench", .elsewhere = kCompression},
    {.name = "compression_per_level", .systems = "RocksDB", .elsewhere = kCompression},
    {.name = "enable_blob_files",
     .systems = "RocksDB",
     .note = "values here always lie in the SSTables, beside their keys"},
    {.name = "max_open_files",
     .systems = "RocksDB, LevelDB, Pebble",
     .note = "the engine keeps every SSTable open"},
    {.name = "use_direct_reads",
     .systems = "RocksDB",
     .elsewhere = "the flag --direct-io of replay"},
    {.name = "use_direct_io_for_flush_and_compaction",
     .systems = "RocksDB",
     .elsewhere = "the flag --direct-io of replay"},
    {.name = "wal_bytes_per_sync",
     .systems = "RocksDB, Pebble",
     .elsewhere = "--sync BYTES of replay"},
    {.name = "sync",
     .systems = "RocksDB, LevelDB",
     .elsewhere = "--sync batch of replay, and of simulate with --device"},
    {.name = "disableWAL", .systems = "RocksDB", .elsewhere = kDisableWal},
    {.name = "disable_wal", .systems = "db_bench, Pebble", .elsewhere = kDisableWal},
    // Cassandra and ScyllaDB.
    {"min_threshold",
     kCassandra,
     ForeignValue::kWhole,
     {{{"tiered", "size_ratio"},
       {kAnyFamily, "min_threshold"},
       {kAnyFamily, "tier_runs"},
       {kAnyFamily, "min_files"},
       {kAnyFamily, "min_merge_width"}}}},
    {"max_threshold",
     kCassandra,
     ForeignValue::kWhole,
     {{{kAnyFamily, "max_threshold"}, {kAnyFamily, "max_files"}, {kAnyFamily, "max_merge_width"}}}},
    {"bucket_low", kCassandra, ForeignValue::kSame, {{{kAnyFamily, "bucket_low"}}}},
    {"bucket_high", kCassandra, ForeignValue::kSame, {{{kAnyFamily, "bucket_high"}}}},
    {"min_sstable_size", kCassandra, ForeignValue::kBytes, {{{kAnyFamily, "min_sstable_size"}}}},
    {"tombstone_threshold",
     kCassandra,
     ForeignValue::kSame,
     {{{kAnyFamily, "tombstone_density"}, {kAnyFamily, "tombstone_threshold"}}}},
    {.name = "tombstone_compaction_interval", .systems = kCassandra, .note = kSingleMerges},
    {.name = "unchecked_tombstone_compaction", .systems = kCassandra, .note = kSingleMerges},
    {"gc_grace_seconds", kCassandra, ForeignValue::kNameOnly, {{{kAnyFamily, "gc_grace"}}}},
    {.name = "default_time_to_live",
     .systems = kCassandra,
     .note = "nearest is ttl of cassandra-twcs, which drops whole SSTables; give it as ttl=30d"},
    {.name = "scaling_parameters",
     .systems = "Cassandra",
     .note = "T4 is nearest to tiered:size_ratio=4, and L10 to leveled:size_ratio=10"},
    {.name = "base_shard_count", .systems = "Cassandra", .note = kNoShards},
    {.name = "space_amplification_goal",
     .systems = "ScyllaDB",
     .note =
         "nearest is max_size_amplification_percent of rocksdb-universal: a goal of 1.25 is 25"},
    {"compaction_window_size",
     kCassandra,
     ForeignValue::kNameOnly,
     {{{kAnyFamily, "compaction_window_size"}}}},
    {.name = "compaction_window_unit",
     .systems = kCassandra,
     .note = "compaction_window_size of cassandra-twcs has its unit behind the number, as in 6h"},
    // HBase, Accumulo, AsterixDB.
    {"hbase.hstore.compaction.ratio", "HBase", ForeignValue::kSame, kRatio},
    {"hbase.hstore.compaction.min", "HBase", ForeignValue::kWhole, kMinFiles},
    {"hbase.hstore.compactionThreshold", "HBase", ForeignValue::kWhole, kMinFiles},
    {"hbase.hstore.compaction.max", "HBase", ForeignValue::kWhole, kMaxFiles},
    {"hbase.hstore.compaction.min.size",
     "HBase",
     ForeignValue::kBytes,
     {{{kAnyFamily, "min_size"}}}},
    {.name = "hbase.hstore.compaction.max.size",
     .systems = "HBase",
     .note = "nearest is max_mergeable_bytes of prefix"},
    {.name = "hbase.hregion.majorcompaction", .systems = "HBase", .note = kNoAge},
    {.name = "hbase.hstore.compaction.throughput.higher.bound",
     .systems = "HBase",
     .note = kNoThrottle},
    {"table.compaction.major.ratio",
     "Accumulo",
     ForeignValue::kSame,
     {{{kAnyFamily, "ratio", "prefix"}}}},
    {"table.file.max", "Accumulo", ForeignValue::kWhole, {{{kAnyFamily, "file_max"}}}},
    {"max-mergable-component-size",
     "AsterixDB",
     ForeignValue::kBytes,
     {{{kAnyFamily, "max_mergeable_bytes"}}}},
    {"max-tolerance-component-count",
     "AsterixDB",
     ForeignValue::kWhole,
     {{{kAnyFamily, "max_tolerance_files"}}}},
    // Workloads.
    {"key_size", "db_bench", ForeignValue::kWhole, {{{kWorkload, "key_bytes"}}}},
    {"value_size", "db_bench", ForeignValue::kWhole, {{{kWorkload, "value_bytes"}}}},
    {"num", "db_bench", ForeignValue::kWhole, {{{kWorkload, "entries"}}}},
    {.name = "benchmarks",
     .systems = "db_bench",
     .elsewhere = "the workload: load is nearest to fillrandom, "
                  "load:insert_distribution=sequential to fillseq"},
    {.name = "duration",
     .systems = "db_bench",
     .note = "a run ends after a number of operations, not after a time"},
    {"recordcount",
     "YCSB",
     ForeignValue::kWhole,
     {{{kWorkload, "entries"}, {kWorkload, "records"}}}},
    {"operationcount", "YCSB", ForeignValue::kWhole, {{{kWorkload, "operations"}}}},
    {.name = "fieldlength",
     .systems = "YCSB",
     .elsewhere = "value_bytes, which is fieldcount * fieldlength"},
    {.name = "fieldcount",
     .systems = "YCSB",
     .elsewhere = "value_bytes, which is fieldcount * fieldlength"},
    {.name = "readproportion", .systems = "YCSB", .elsewhere = kYcsbMix},
    {.name = "updateproportion", .systems = "YCSB", .elsewhere = kYcsbMix},
    {.name = "insertproportion", .systems = "YCSB", .elsewhere = kYcsbMix},
    {.name = "scanproportion", .systems = "YCSB", .elsewhere = kYcsbMix},
    {.name = "readmodifywriteproportion", .systems = "YCSB", .elsewhere = kYcsbMix},
    {.name = "requestdistribution", .systems = "YCSB", .elsewhere = kYcsbMix},
    {.name = "insertorder",
     .systems = "YCSB",
     .elsewhere =
         "insert_distribution of load: uniform is nearest to hashed, sequential to ordered"},
    {.name = "threadcount", .systems = "YCSB", .elsewhere = kClientRate},
    {.name = "target", .systems = "YCSB", .elsewhere = kClientRate},
};

}  // namespace

std::span<const ForeignOption> foreign_options() { return kForeignOptions; }

}  // namespace lsmlab

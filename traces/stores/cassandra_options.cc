// The options of a Cassandra or ScyllaDB table that decide compactions, and their defaults.
// Source: Cassandra 3.11 to 5.0 db/compaction/*Options.java, AbstractCompactionStrategy.java,
// LeveledCompactionStrategy.java, unified/Controller.java, schema/TableParams.java.
#include "traces/stores/known_option.h"

namespace lsmlab::stores {
namespace {

constexpr KnownOption kCassandraOptions[] = {
    {"compaction.class", "SizeTieredCompactionStrategy", true},
    {"compaction.enabled", "true"},
    {"compaction.min_threshold", "4", true},
    {"compaction.max_threshold", "32", true},
    {"compaction.min_sstable_size", ""},
    {"compaction.bucket_low", "0.5"},
    {"compaction.bucket_high", "1.5"},
    {"compaction.sstable_size_in_mb", "160", true},
    {"compaction.fanout_size", "10"},
    {"compaction.single_sstable_uplevel", "true"},
    {"compaction.scaling_parameters", "T4", true},
    {"compaction.target_sstable_size", "1GiB"},
    {"compaction.base_shard_count", "4"},
    {"compaction.flush_size_override", ""},
    {"compaction.max_sstables_to_compact", ""},
    {"compaction.sstable_growth", "0.333"},
    {"compaction.overlap_inclusion_method", "TRANSITIVE"},
    {"compaction.adaptive", "false"},
    {"compaction.space_amplification_goal", ""},
    {"compaction.compaction_window_size", "1", true},
    {"compaction.compaction_window_unit", "DAYS", true},
    {"compaction.tombstone_threshold", "0.2"},
    {"compaction.tombstone_compaction_interval", "86400"},
    {"compaction.unchecked_tombstone_compaction", "false"},
    {"compaction.only_purge_repaired_tombstones", "false"},
    {"compression.class", "LZ4Compressor", true},
    {"compression.enabled", "true"},
    {"compression.chunk_length_in_kb", "", true},
    {"gc_grace_seconds", "864000", true},
    {"default_time_to_live", "0"},
    {"bloom_filter_fp_chance", "", true},
    {"memtable_flush_period_in_ms", "0"},
};

}  // namespace

std::span<const KnownOption> cassandra_options() { return kCassandraOptions; }

}  // namespace lsmlab::stores

// The options of Pebble that decide merges.
// Source: Pebble 1.1.5 and 2.1.7, options.go.
#include "traces/stores/known_option.h"

namespace lsmlab::stores {
namespace {

constexpr KnownOption kPebbleOptions[] = {
    {"format_major_version", "", true},
    {"mem_table_size", "4194304", true},
    {"mem_table_stop_writes_threshold", "2", true},
    {"l0_compaction_threshold", "4", true},
    {"l0_compaction_file_threshold", "500"},
    {"l0_stop_writes_threshold", "12", true},
    {"lbase_max_bytes", "67108864", true},
    {"level_multiplier", "10", true},
    {"flush_split_bytes", "4194304"},
    {"concurrent_compactions", "1"},
    {"max_concurrent_compactions", "1", true},
    {"l0_compaction_concurrency", "10"},
    {"compaction_debt_concurrency", "1073741824"},
    {"read_compaction_rate", "16000"},
    {"multilevel_compaction_heuristic", "wamp(0.00, false)"},
    {"tombstone_dense_compaction_threshold", "0.100000"},
    {"value_separation.enabled", "false"},
    {"value_separation.minimum_size", ""},
    {"comparer", "leveldb.BytewiseComparator"},
    {"merger", "pebble.concatenate"},
    {"disable_wal", "false"},
    {"cache_size", "8388608"},
    {"level0.target_file_size", "2097152", true},
    {"level1.target_file_size", "4194304"},
    {"level0.block_size", "4096"},
    {"level6.block_size", "4096"},
    {"level0.compression", "Snappy", true},
    {"level1.compression", "Snappy"},
    {"level5.compression", "Snappy"},
    {"level6.compression", "Snappy"},
    {"level0.filter_policy", "none"},
    {"level6.filter_policy", "none"},
};

}  // namespace

std::span<const KnownOption> pebble_options() { return kPebbleOptions; }

}  // namespace lsmlab::stores

// Every policy, with options that let a small run exercise it.
#pragma once

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "models/base/spec.h"
#include "models/base/spec_parameters.h"
#include "models/policies/registry.h"
#include "testing/catch.h"
#include "testing/random_operations.h"
#include "validate/catalog/catalog.h"

namespace lsmlab::testing {

/// Options for small stores: a flush has ten to fifty entries, a file as many bytes as a flush, and
/// a level a few files. Thresholds in operations are small enough for a small run. Memtables keep
/// every version unless the spec says otherwise: few keys may never fill one that replaces entries.
inline ConfiguredPolicy small_policy(Spec spec) {
  if (stated_value(spec.parameters, "memtable") == nullptr) {
    spec.parameters.emplace_back("memtable", "versions");
  }
  const Parameters small{{"buffer", "700"},
                         {"block_size", "128"},
                         {"file_size", "700"},
                         {"size_ratio", "3"},
                         {"staleness", "400"},
                         {"delete_persistence", "300"},
                         {"min_size", "1500"},
                         {"max_mergeable_bytes", "5000"},
                         {"max_table_files_size", "3000"},
                         {"flush_size_override", "700"},
                         {"min_sstable_size", "100"},
                         {"target_sstable_size", "700"},
                         {"guard_bits", "18"},
                         {"growth_factor", "3"},
                         {"level0_file_num_compaction_trigger", "3"},
                         {"level1_extents_major_compaction_trigger", "8"},
                         {"l0_size", "1800"},
                         {"l0_compaction_trigger", "1200"},
                         {"sub_levels", "3"},
                         {"sstable_size", "1500"},
                         {"fanout_size", "3"},
                         {"min_sstable_size", "1000"},
                         {"compaction_window_size", "150"},
                         {"range_size", "4000"}};
  for (const auto& [name, value] : small) {
    const auto known = policy_of_spec(spec);
    REQUIRE(known.has_value());
    const bool is_store = name == "buffer" || name == "block_size";
    const auto has = [&, &option = name](const ResolvedOptions& options) {
      return std::any_of(options.begin(), options.end(), [&](const auto& resolved) {
        return resolved.first == option && !std::holds_alternative<std::monostate>(resolved.second);
      });
    };
    // An optional parameter without a value does not apply here.
    const bool applies = is_store || has(known.value().options) || name == "file_size";
    if (!applies) continue;
    Spec with = spec;
    std::erase_if(with.parameters, [&](const auto& given) { return given.first == name; });
    with.parameters.emplace_back(name, value);
    if (policy_of_spec(with)) spec = with;
  }
  auto policy = policy_of_spec(spec);
  REQUIRE(policy.has_value());
  return std::move(policy).value();
}

/// Whether the policy first moves the files that were looked up least recently. Among files without
/// look-ups it takes the one written first, by the clock of operations.
inline bool moves_coldest(const ConfiguredPolicy& policy) {
  return std::any_of(policy.options.begin(), policy.options.end(), [](const auto& option) {
    const auto* const text = std::get_if<std::string>(&option.second);
    return text != nullptr && *text == "coldest";
  });
}

/// Whether the policy drops files with all their data.
inline bool drops_data(const ConfiguredPolicy& policy) {
  const auto is_ttl = [](const auto& option) {
    return option.first == "ttl" && !std::holds_alternative<std::monostate>(option.second);
  };
  const bool has_ttl = std::any_of(policy.options.begin(), policy.options.end(), is_ttl);
  const bool is_cassandra = policy.family == "cassandra-twcs" || policy.family == "cassandra-ucs";
  return policy.family == "rocksdb-fifo" || (is_cassandra && has_ttl);
}

/// Whether the policy's merges keep every delete, whatever lies below.
inline bool keeps_deletes(const ConfiguredPolicy& policy) { return policy.family == "sifrdb"; }

/// Options that reach further code of some families: of RocksDB's, and of the others.
inline constexpr const char* kRocksdbVariants[] = {
    "rocksdb-leveled:dynamic_levels=false",
    "delete-aware:del_ratio_base=0.1",
    "delete-aware:del_ratio_base=0.1,pre_remove=blocks,range_bytes=128",
    "delete-aware:adapt_flushes=3,pre_remove=blocks,range_bytes=128",
    "delete-aware:adapt_flushes=2,size_trigger=kept,mark_ratio=20%",
    "rocksdb-leveled:pre_remove=off",
    "rocksdb-leveled:filter_split=autotune",
    "ldc:pre_remove=blocks,range_bytes=300",
    "tiered:pre_remove=blocks",
    "ldc:pre_remove=filters",
    "ldc:memtable=in-place",
    "rocksdb-leveled:memtable=in-place",
    "dcompaction:pre_remove=filters",
    "rocksdb-leveled:pre_remove=filters",
    "rocksdb-leveled:pre_remove=filters,bits_per_key=0",
    "delete-aware:del_ratio_base=0.01,size_trigger=kept",
    "rocksdb-leveled:priority=by-compensated-size",
    "rocksdb-leveled:priority=oldest-largest-seq-first",
    "rocksdb-leveled:priority=oldest-smallest-seq-first,l0_trigger=1",
    "rocksdb-leveled:priority=round-robin",
    "rocksdb-leveled:max_subcompactions=3,version=8.4,l0_trigger=3",
    "rocksdb-leveled:priority=round-robin,dynamic_levels=false,l0_trigger=2",
    "rocksdb-leveled:mark_window=128,mark_deletes=3",
    "rocksdb-leveled:mark_ratio=10%,priority=round-robin",
    "delete-aware:mark_window=10,mark_deletes=5,mark_ratio=30%",
    "rocksdb-leveled:periodic_age=150",
    "rocksdb-leveled:periodic_age=300,mark_ratio=20%,priority=round-robin",
    "delete-aware:periodic_age=200",
    "rocksdb-leveled:ttl=150",
    "rocksdb-leveled:ttl=100,periodic_age=250,dynamic_levels=false",
    "rocksdb-leveled:ttl=120,priority=round-robin",
    "delete-aware:ttl=200,priority=by-compensated-size",
    "silk:bandwidth=5MB,bandwidth_min=1MB,bandwidth_step=1000,pause_above=20KB,"
    "bandwidth_check_interval=1000",
    "silk:plus=true,large_request=60,priority=round-robin,pause_above=1MB",
    "rocksdb-universal:l0_trigger=8",
    "rocksdb-universal:max_subcompactions=4,version=9.0",
    "rocksdb-universal:incremental=true,max_compaction_bytes=3000,levels=4",
    "rocksdb-universal:incremental=true,l0_trigger=3,max_size_amplification_percent=60,"
    "allow_trivial_move=true",
    "rocksdb-fifo:allow_compaction=true,max_table_files_size=6000,l0_trigger=3",
    "rocksdb-fifo:ttl=100,max_table_files_size=4000,allow_compaction=true,l0_trigger=2",
};
inline constexpr const char* kOtherVariants[] = {
    "cassandra-ucs:scaling_parameters=N:L4,overlap_inclusion_method=single",
    "cassandra-ucs:scaling_parameters=L3,base_shard_count=1",
    "cassandra-ucs:scaling_parameters=T12,ttl=150",
    "cassandra-ucs:adapt_flushes=3",
    "cassandra-ucs:adapt_flushes=2,scaling_parameters=T6:L6:N,adaptive_threshold=0.01,read_"
    "multiplier=8",
    "pebblesdb:guard_bits=14,l0_trigger=1",
    "cassandra-stcs:max_threshold=5,tombstone_threshold=10%,tombstone_compaction_interval=60",
    "scylla-stcs:enforce_min_threshold=true,min_sstable_age=0,tombstone_threshold=10%,tombstone_"
    "compaction_interval=60",
    "cassandra-twcs:ttl=400",
    "cassandra-twcs:ttl=200,tombstone_threshold=10%,tombstone_compaction_interval=60",
    "cassandra-lcs:single_sstable_uplevel=true,min_threshold=2,max_threshold=3,tombstone_threshold="
    "5%,tombstone_compaction_interval=60",
    "scylla-lcs:tombstone_threshold=5%,tombstone_compaction_interval=60",
    "tiered:gc_grace=150",
    "tiered:gc_grace=100,tombstone_threshold=5%,tombstone_compaction_interval=60,flush=separate",
    "cassandra-stcs:gc_grace=120,tombstone_threshold=5%,tombstone_compaction_interval=60,"
    "unchecked_tombstone_compaction=true",
    "cassandra-twcs:gc_grace=50,ttl=200,tombstone_threshold=5%,tombstone_compaction_interval=60",
    "cassandra-lcs:gc_grace=120,tombstone_threshold=5%,tombstone_compaction_interval=60,"
    "unchecked_tombstone_compaction=true",
    "cassandra-ucs:gc_grace=120",
    "scylla-stcs:gc_grace=120,tombstone_threshold=5%,tombstone_compaction_interval=60",
    "scylla-lcs:gc_grace=120,tombstone_threshold=5%,tombstone_compaction_interval=60",
    "scylla-ics:min_sstable_size=0,gc_grace=120,tombstone_threshold=5%,"
    "tombstone_compaction_interval=60",
    "pebble:level_base=2800,l0_compaction_threshold=8",
    "pebble:level_base=1400,version=1.1,multilevel=write-amp-from-level0",
    "pebble:level_base=1400,version=2023-01",
    "pebble:level_base=2800,flush_split_bytes=0,multilevel=none",
    "ldc:slice_threshold=2",
    "ldc:adaptive=true",
    "leveldb:flush_level_max=0,l0_trigger=1",
    "leveled:level0_sstables=0",
    "tiered:flush=separate",
    "tiered:tombstone_threshold=10%,tombstone_compaction_interval=40",
    "tiered:tombstone_threshold=5%,tombstone_compaction_interval=60,"
    "unchecked_tombstone_compaction=true,flush=separate",
    "binomial:flush=separate",
    "exploring:k=4,min_size=2000,stuck=hbase,flush=separate,deletes_go_with=all",
    "ratio-based:preset=accumulo",
    "scylla-ics:min_sstable_size=1000,sstable_size=1500",
    "scylla-ics:min_sstable_size=0,bucket_low=0.5,bucket_high=1.5,sstable_size=900,"
    "enforce_min_threshold=true",
    "scylla-ics:min_sstable_size=0,space_amplification_goal=1.25,sstable_size=1200",
    "scylla-ics:min_sstable_size=0,tombstone_threshold=10%,tombstone_compaction_interval=200",
    "scylla-ics:min_sstable_size=2000,min_sstable_age=60,tombstone_threshold=5%,"
    "tombstone_compaction_interval=100,unchecked_tombstone_compaction=true",
    "dostoevsky:k=1",
    "dostoevsky:k=2,z=2,filter_split=monkey",
    "dostoevsky:filter_split=autotune",
    "lsm-bush:levels=3,c=3,filter_split=monkey",
    "asterixdb-concurrent:max_component_count=5,component_size_ratio=0.35",
    "asterixdb-concurrent:max_component_size=6000,max_merge_component_count=4",
    "blsm:min_ratio=1",
    "sifrdb:adopt_files=false",
    "slimdb:leveled_from=1",
    "lsbm:levels=2,data_merged_each_round=2500",
    "lsbm:levels=3,l0_size=1800,l0_compaction_trigger=1200,size_ratio=3,compaction_buffer=on,"
    "trim_flushes=3,hot_file_percent=20",
    "lsbm:levels=4,l0_size=900,l0_compaction_trigger=700,size_ratio=2,compaction_buffer=on,"
    "trim_flushes=7,hot_file_percent=0,buffer_tables=2",
    "x-engine:flush_level1_size=300,auto_task_interval=150,compaction_task_extents_limit=6",
    "x-engine:level0_layer_num_compaction_trigger=2,flush_delete_record_trigger=5,"
    "compaction_delete_percent=20",
    "wiredtiger:merge_max=4",
    "wiredtiger:merge_max=6,merge_min=2,chunk_max=5000,worker=4",
    "wiredtiger:merge_max=5,aggressiveness=1",
    "dcompaction:merge_threshold=4,read_threshold=2",
    "dcompaction:merge_threshold=30,read_threshold=4096",
    "tarantool:run_count_per_level=1,run_size_ratio=2",
    "tarantool:run_count_per_level=4,run_size_ratio=10",
};

/// Families, presets, and variants that reach further code.
inline std::vector<Spec> all_policies() {
  std::vector<Spec> specs;
  for (const PolicyFamily& family : policy_families()) {
    if (family.name != "none") specs.push_back({family.name, {}});
  }
  for (const Preset& preset : policy_presets()) {
    specs.push_back({preset.name, {}});
    // lsmlab's engine writes its own format, and sizes are exact without compression.
    for (const auto& [name, value] : preset.spec.parameters) {
      if (name == "table_format") specs.back().parameters.emplace_back(name, "lsmlab");
      if (name == "compression") specs.back().parameters.emplace_back(name, "none");
      if (name == "level_base") specs.back().parameters.emplace_back(name, "2800");
    }
  }
  for (const char* text : kRocksdbVariants) specs.push_back(parse_spec(text).value());
  for (const char* text : kOtherVariants) specs.push_back(parse_spec(text).value());
  return specs;
}

/// Which policies a test takes where LSMLAB_POLICY_STEP leaves some only. Tests of different kinds
/// begin at different ones, so that each policy is in some of them.
enum class PolicyShare : std::size_t { kFirst, kSecond, kThird };

/// all_policies(), of which LSMLAB_POLICY_STEP=3 in the environment leaves every third only.
inline std::vector<Spec> every_policy(PolicyShare share = PolicyShare::kFirst) {
  std::vector<Spec> specs = all_policies();
  const std::uint64_t step = seeds_wanted("LSMLAB_POLICY_STEP", 1);
  std::vector<Spec> chosen;
  for (std::size_t i = static_cast<std::size_t>(share) % step; i < specs.size(); i += step) {
    chosen.push_back(std::move(specs[i]));
  }
  return chosen;
}

}  // namespace lsmlab::testing

#include "engine/foreign/rocksdb_options.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include <algorithm>

#include "engine/foreign/foreign_store.h"
#include "engine/foreign/options.h"

namespace lsmlab::engine {
namespace {

rocksdb::CompactionPri priority_of(const std::string& name) {
  if (name == "by-compensated-size") return rocksdb::kByCompensatedSize;
  if (name == "oldest-largest-seq-first") return rocksdb::kOldestLargestSeqFirst;
  if (name == "oldest-smallest-seq-first") return rocksdb::kOldestSmallestSeqFirst;
  return name == "round-robin" ? rocksdb::kRoundRobin : rocksdb::kMinOverlappingRatio;
}

void set_leveled(const PolicyValues& values, rocksdb::Options& options) {
  options.compaction_style = rocksdb::kCompactionStyleLevel;
  options.target_file_size_base = values.count("file_size");
  options.max_bytes_for_level_base = values.count("level_base");
  options.max_bytes_for_level_multiplier = static_cast<double>(values.count("size_ratio"));
  options.level_compaction_dynamic_level_bytes = values.flag("dynamic_levels");
  options.level_compaction_dynamic_file_size = values.flag("dynamic_file_size");
  options.compaction_pri = priority_of(values.text("priority"));
  options.max_compaction_bytes = values.count("max_compaction_bytes");
}

void set_universal(const PolicyValues& values, rocksdb::Options& options) {
  options.compaction_style = rocksdb::kCompactionStyleUniversal;
  // Without levels below 0 no file is cut, and the option has no effect.
  options.target_file_size_base =
      values.optional_count("file_size").value_or(options.target_file_size_base);
  rocksdb::CompactionOptionsUniversal& universal = options.compaction_options_universal;
  universal.size_ratio = static_cast<unsigned>(values.count("size_ratio_percent"));
  universal.min_merge_width = static_cast<unsigned>(values.count("min_merge_width"));
  if (const auto width = values.optional_count("max_merge_width")) {
    universal.max_merge_width = static_cast<unsigned>(*width);
  }
  universal.max_size_amplification_percent =
      static_cast<unsigned>(values.count("max_size_amplification_percent"));
  universal.stop_style = values.text("stop_style") == "similar-size"
                             ? rocksdb::kCompactionStopStyleSimilarSize
                             : rocksdb::kCompactionStopStyleTotalSize;
  universal.allow_trivial_move = values.flag("allow_trivial_move");
  universal.incremental = values.flag("incremental");
  if (const auto percent = values.optional_count("compression_size_percent")) {
    universal.compression_size_percent = static_cast<int>(*percent);
  }
  options.max_compaction_bytes = values.optional_count("max_compaction_bytes").value_or(0);
}

void set_fifo(const PolicyValues& values, rocksdb::Options& options) {
  options.compaction_style = rocksdb::kCompactionStyleFIFO;
  options.num_levels = 1;
  options.compaction_options_fifo.max_table_files_size = values.count("max_table_files_size");
  options.compaction_options_fifo.allow_compaction = values.flag("allow_compaction");
  options.max_compaction_bytes = values.count("max_compaction_bytes");
}

rocksdb::CompressionType codec_of(Compression codec) {
  switch (codec) {
    case Compression::kNone:
      return rocksdb::kNoCompression;
    case Compression::kZstd:
      return rocksdb::kZSTD;
    case Compression::kLz4:
      return rocksdb::kLZ4Compression;
    case Compression::kSnappy:
      break;
  }
  return rocksdb::kSnappyCompression;
}

void set_compression(const CompressionRules& rules, rocksdb::Options& options) {
  options.compression = codec_of(rules.levels.front().codec);
  if (rules.levels.size() > 1) {
    for (const LevelCodec& level : rules.levels) {
      options.compression_per_level.push_back(codec_of(level.codec));
    }
  }
  if (!rules.bottommost.empty()) {
    options.bottommost_compression = codec_of(rules.bottommost.front().codec);
  }
}

// RocksDB counts the deletes itself.
void set_mark(const std::optional<DeletionMark>& mark, rocksdb::Options& options) {
  if (!mark) return;
  const auto& window = mark->window;
  options.table_properties_collector_factories.push_back(
      rocksdb::NewCompactOnDeletionCollectorFactory(window ? window->entries : 0,
                                                    window ? window->deletes : 0,
                                                    mark->ratio ? mark->ratio->as_double() : 0.0));
}

Result<void> check_store(const StoreOptions& store) {
  if (store.filter_split != FilterSplit::kUniform) {
    return input_error(
        "filter_split: RocksDB gives every level the same filter bits; expected uniform");
  }
  if (store.replaces_entries()) {
    return input_error("memtable: RocksDB's keeps every version of a key; expected versions");
  }
  if (store.pre_remove != PreRemove::kFiles) {
    return input_error("pre_remove: RocksDB goes by the key ranges of files; expected files");
  }
  constexpr std::uint64_t kBufferBytesMin = 64 << 10;
  if (store.buffer.value() < kBufferBytesMin) {
    return input_error("buffer: RocksDB needs at least 64 KiB");
  }
  return success();
}

}  // namespace

std::uint64_t age_of(const ConfiguredPolicy& policy, std::string_view name) {
  const bool is_known = std::any_of(policy.options.begin(), policy.options.end(),
                                    [&](const auto& option) { return option.first == name; });
  return is_known ? PolicyValues(policy).optional_count(name).value_or(0) : 0;
}

Result<rocksdb::Options> rocksdb_options(const ConfiguredPolicy& policy) {
  const bool is_leveled = policy.foreign == ForeignCompaction::kRocksdbLeveled;
  const bool is_universal = policy.foreign == ForeignCompaction::kRocksdbUniversal;
  const bool is_fifo = policy.foreign == ForeignCompaction::kRocksdbFifo;
  if (!is_leveled && !is_universal && !is_fifo) {
    return input_error(
        fmt::format("RocksDB has the policies rocksdb-leveled, rocksdb-universal and rocksdb-fifo "
                    "only, not {}",
                    policy.name));
  }
  BOOST_OUTCOME_TRYV(check_store(policy.store));
  if (is_universal && PolicyValues(policy).optional_count("max_read_amp")) {
    return input_error(fmt::format("max_read_amp: RocksDB {} does not have it; it came with 9.4",
                                   rocksdb_version()));
  }
  if (!is_fifo && PolicyValues(policy).text("version") != "7.8") {
    return input_error(
        fmt::format("version: this is RocksDB {}, whose rules are version=7.8", rocksdb_version()));
  }
  const PolicyValues values(policy);
  rocksdb::Options options;
  options.create_if_missing = true;
  set_compression(policy.store.compression, options);
  options.write_buffer_size = policy.store.buffer.value();
  options.db_write_buffer_size = policy.store.shared_buffer.value_or(Bytes(0)).value();
  options.arena_block_size = policy.store.arena_block.value_or(Bytes(0)).value();
  options.level0_file_num_compaction_trigger = static_cast<int>(values.count("l0_trigger"));
  options.level0_slowdown_writes_trigger =
      std::max(options.level0_slowdown_writes_trigger, options.level0_file_num_compaction_trigger);
  options.level0_stop_writes_trigger =
      std::max(options.level0_stop_writes_trigger, options.level0_slowdown_writes_trigger);
  if (!is_fifo) {
    options.num_levels = static_cast<int>(values.count("levels"));
    options.target_file_size_multiplier = static_cast<int>(values.count("file_size_multiplier"));
    options.max_subcompactions = static_cast<std::uint32_t>(values.count("max_subcompactions"));
  }
  options.disable_auto_compactions = values.flag("disable_auto_compactions");
  // RocksDB's own default for both depends on the table format, and counts seconds.
  options.periodic_compaction_seconds = age_of(policy, "periodic_age");
  options.ttl = age_of(policy, "ttl");
  (is_leveled ? set_leveled : is_universal ? set_universal : set_fifo)(values, options);
  set_mark(policy.policy->deletion_mark(), options);
  // One compaction at a time: see the top of this file.
  options.max_background_flushes = 1;
  options.max_background_compactions = 1;
  options.env->SetBackgroundThreads(1, rocksdb::Env::HIGH);
  options.env->SetBackgroundThreads(1, rocksdb::Env::LOW);
  // Every file contains the host's name. The size must not depend on it.
  options.db_host_id = "lsmlab";
  rocksdb::BlockBasedTableOptions table;
  table.block_size = policy.store.block_size.value();
  const double bits = static_cast<double>(policy.store.bits_per_key.numerator()) /
                      static_cast<double>(policy.store.bits_per_key.denominator());
  if (bits > 0) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(bits));
  table.no_block_cache = policy.store.block_cache == Bytes(0);
  if (!table.no_block_cache) {
    table.block_cache = rocksdb::NewLRUCache(policy.store.block_cache.value());
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace lsmlab::engine

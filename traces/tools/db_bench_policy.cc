#include "traces/tools/db_bench_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/predicate.hpp>
#include <string>
#include <utility>

#include "models/base/shortened.h"
#include "traces/stores/rocksdb_stalls.h"

namespace lsmlab::tools {
namespace {

constexpr std::array<std::string_view, 4> kStyles{"kCompactionStyleLevel",
                                                  "kCompactionStyleUniversal",
                                                  "kCompactionStyleFIFO", "kCompactionStyleNone"};
constexpr std::array<std::string_view, 5> kPriorities{
    "kByCompensatedSize", "kOldestLargestSeqFirst", "kOldestSmallestSeqFirst",
    "kMinOverlappingRatio", "kRoundRobin"};
constexpr std::array<std::string_view, 2> kStopStyles{"kCompactionStopStyleSimilarSize",
                                                      "kCompactionStopStyleTotalSize"};
constexpr std::pair<std::string_view, std::string_view> kCompressions[] = {
    {"none", "kNoCompression"},       {"snappy", "kSnappyCompression"},
    {"zlib", "kZlibCompression"},     {"bzip2", "kBZip2Compression"},
    {"lz4", "kLZ4Compression"},       {"lz4hc", "kLZ4HCCompression"},
    {"xpress", "kXpressCompression"}, {"zstd", "kZSTD"}};

// Flags with which 0 stands for RocksDB's default.
constexpr std::pair<std::string_view, std::string_view> kUniversalDefaults[] = {
    {"universal_size_ratio", "1"},
    {"universal_min_merge_width", "2"},
    {"universal_max_merge_width", "4294967295"},
    {"universal_max_size_amplification_percent", "200"}};

Error unknown_value(std::string_view name, std::string_view value, std::string_view expected) {
  return option_error({{std::string(name), std::string(value), std::string(expected), false, "",
                        fmt::format("--{}={}: expected {}", name, excerpt(value), expected)}});
}

template <std::size_t N>
Result<std::string> numbered(const DbBenchLine& line, std::string_view name,
                             const std::array<std::string_view, N>& words) {
  const std::int64_t number = line.integer(name);
  if (number >= 0 && number < static_cast<std::int64_t>(N)) {
    return std::string(words[static_cast<std::size_t>(number)]);
  }
  return unknown_value(name, line.text(name), fmt::format("0 to {}", N - 1));
}

Result<std::string> compression_of(const DbBenchLine& line) {
  const std::string text = line.text("compression_type");
  // db_bench compares without case.
  for (const auto& [flag, option] : kCompressions) {
    if (boost::algorithm::iequals(text, flag)) return std::string(option);
  }
  return unknown_value("compression_type", text,
                       "none, snappy, zlib, bzip2, lz4, lz4hc, xpress or zstd");
}

// With min_level_to_compress each level is named; otherwise none is.
Result<std::string> compression_per_level(const DbBenchLine& line) {
  const std::int64_t first = line.integer("min_level_to_compress");
  if (first < 0) return std::string();
  const std::string codec = BOOST_OUTCOME_TRYX(compression_of(line));
  std::string list;
  constexpr std::int64_t kLevelsMax = 64;
  const std::int64_t levels = std::clamp<std::int64_t>(line.integer("num_levels"), 1, kLevelsMax);
  for (std::int64_t level = 0; level < levels; ++level) {
    if (level > 0) list += ':';
    list += level < first ? "kNoCompression" : codec;
  }
  return list;
}

std::uint64_t natural_part(const DbBenchLine& line, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, line.integer(name)));
}

// Both distributions of db_bench lie even around the middle of their bounds.
std::uint64_t mean_value_bytes(const DbBenchLine& line) {
  const bool is_fixed =
      boost::algorithm::iequals(line.text("value_size_distribution_type"), "fixed");
  if (is_fixed) return natural_part(line, "value_size");
  return (natural_part(line, "value_size_min") + natural_part(line, "value_size_max")) / 2;
}

std::string filter_of(const DbBenchLine& line) {
  const std::int64_t bits = line.integer("bloom_bits");
  return bits <= 0 ? "nullptr" : fmt::format("bloomfilter:{}:false", bits);
}

// The value in the words of an OPTIONS file.
Result<std::string> option_of(const DbBenchLine& line, const DbBenchFlag& flag) {
  const std::string text = line.text(flag.name);
  std::string value = text;
  // Negative values of these stand for none.
  const bool may_be_negative =
      flag.name == "bloom_bits" || flag.name == "universal_compression_size_percent" ||
      flag.name == "universal_max_read_amp" || flag.name == "min_level_to_compress";
  if (flag.type != FlagType::kText && text.starts_with('-') && !may_be_negative) {
    return unknown_value(flag.name, text, "0 or more");
  }
  if (flag.name == "compaction_style") {
    value = BOOST_OUTCOME_TRYX(numbered(line, flag.name, kStyles));
  } else if (flag.name == "compaction_pri") {
    value = BOOST_OUTCOME_TRYX(numbered(line, flag.name, kPriorities));
  } else if (flag.name == "universal_stop_style") {
    value = BOOST_OUTCOME_TRYX(numbered(line, flag.name, kStopStyles));
  } else if (flag.name == "compression_type") {
    value = BOOST_OUTCOME_TRYX(compression_of(line));
  } else if (flag.name == "min_level_to_compress") {
    value = BOOST_OUTCOME_TRYX(compression_per_level(line));
  } else if (flag.name == "bloom_bits") {
    value = filter_of(line);
  } else if (flag.name == "fifo_compaction_max_table_files_size_mb") {
    constexpr std::int64_t kMebibytesMax = std::int64_t{1} << 40;
    value = std::to_string(std::min(line.integer(flag.name), kMebibytesMax) << 20);
  } else if (text == "0") {
    for (const auto& [name, standard] : kUniversalDefaults) {
      if (flag.name == name) value = standard;
    }
  }
  return value;
}

}  // namespace

Result<stores::PolicySpec> db_bench_policy(const DbBenchLine& line, bool has_rate) {
  stores::Store store;
  store.version = "7.8.3";
  stores::StoreOptions& options = store.options.emplace();
  options.version = store.version;
  stores::FamilyOptions& family = options.add_family("default");
  for (const DbBenchFlag& flag : db_bench_flags_with_effect()) {
    if (flag.use != FlagUse::kPolicy) continue;
    std::string value = BOOST_OUTCOME_TRYX(option_of(line, flag));
    family.values.insert_or_assign(std::string(flag.what), std::move(value));
  }
  for (const char* const name : {"max_write_buffer_number", "level0_stop_writes_trigger"}) {
    family.values.insert_or_assign(name, line.text(name));
  }
  // db_bench has no flag for it and keeps RocksDB's default.
  family.values.insert_or_assign("level_compaction_dynamic_file_size", "true");
  // What families share is then not that of one.
  if (line.integer("num_column_families") > 1) {
    static_cast<void>(options.add_family("column_family_name_000001"));
  }
  stores::FamilyFigures figures;
  figures.name = "default";
  return stores::policy_spec(store, figures,
                             has_rate ? "" : "the workload lacks operations_per_second");
}

Parameters db_bench_stalls(const DbBenchLine& line, bool has_pending_limits) {
  stores::StallOptions options;
  options.level0_trigger = line.integer("level0_file_num_compaction_trigger");
  options.level0_slowdown = line.integer("level0_slowdown_writes_trigger");
  options.level0_stop = line.integer("level0_stop_writes_trigger");
  options.memtables = line.integer("max_write_buffer_number");
  options.merged_memtables = line.integer("min_write_buffer_number_to_merge");
  options.delayed_write_rate = line.natural("delayed_write_rate");
  options.soft_pending_bytes = line.natural("soft_pending_compaction_bytes_limit");
  options.hard_pending_bytes = line.natural("hard_pending_compaction_bytes_limit");
  options.is_fifo = line.integer("compaction_style") == 2;
  return stores::stall_parameters(options, has_pending_limits);
}

DbBenchRun db_bench_run(const DbBenchLine& line) {
  constexpr std::int64_t kClientsMax = 1000;
  constexpr std::uint64_t kBandwidthMax = std::uint64_t{1} << 44;
  DbBenchRun run;
  run.merge_threads = stores::merge_threads_of(line.integer("max_background_jobs"),
                                               line.integer("max_background_flushes"),
                                               line.integer("max_background_compactions"));
  run.clients =
      static_cast<std::uint64_t>(std::clamp<std::int64_t>(line.integer("threads"), 1, kClientsMax));
  // db_bench's limiter counts the bytes of an entry, and is shared by all threads.
  const std::uint64_t limit = line.natural("benchmark_write_rate_limit");
  const std::uint64_t entry = natural_part(line, "key_size") + mean_value_bytes(line);
  if (limit > 0)
    run.puts_per_second = std::max<std::uint64_t>(1, limit / std::max<std::uint64_t>(1, entry));
  run.disable_wal = line.flag("disable_wal");
  run.background_write_bytes_per_second =
      std::min(line.natural("rate_limiter_bytes_per_sec"), kBandwidthMax);
  return run;
}

}  // namespace lsmlab::tools

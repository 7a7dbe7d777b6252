#include "models/base/foreign_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/portable_math.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"

namespace lsmlab {
namespace {

constexpr std::array<ForeignPlace, 8> kSizeRatio{{{"rocksdb-leveled", "size_ratio"},
                                                  {"leveldb", "size_ratio"},
                                                  {"ldc", "size_ratio"},
                                                  {"primitives", "size_ratio"},
                                                  {"leveled", "size_ratio"},
                                                  {"leveled-full", "size_ratio"}}};
constexpr std::array<ForeignPlace, 8> kFileSize{{{"rocksdb-leveled", "file_size"},
                                                 {"rocksdb-universal", "file_size"},
                                                 {"leveldb", "file_size"},
                                                 {"ldc", "file_size"},
                                                 {"primitives", "file_size"},
                                                 {"leveled", "file_size"}}};
constexpr std::array<ForeignPlace, 8> kMinFiles{
    {{"exploring", "min_files"}, {"ratio-based", "min_files"}}};
constexpr std::array<ForeignPlace, 8> kMaxFiles{
    {{"exploring", "max_files"}, {"ratio-based", "max_files"}}};
constexpr std::array<ForeignPlace, 8> kRatio{{{"exploring", "lambda"}, {"ratio-based", "ratio"}}};
constexpr std::string_view kNoBuckets =
    "no policy here sorts SSTables into buckets of similar size; tiered and "
    "primitives:layout=tiering merge the SSTables of one tier";
constexpr std::string_view kCassandra = "Cassandra, ScyllaDB";

// Meanings as in the systems' own documentation or source: RocksDB's include/rocksdb/options.h,
// advanced_options.h and universal_compaction.h, and db/column_family.cc for stalls; LevelDB's
// include/leveldb/options.h; Cassandra's compaction subproperties; HBase's hbase-default.xml;
// AsterixDB's PrefixMergePolicy; Accumulo's table properties; db_bench and YCSB's CoreWorkload.
constexpr ForeignOption kForeignOptions[] = {
    {"write_buffer_size", "RocksDB, LevelDB", ForeignValue::kBytes, {{{kEveryPolicy, "buffer"}}}},
    {"hbase.hregion.memstore.flush.size",
     "HBase",
     ForeignValue::kBytes,
     {{{kEveryPolicy, "buffer"}}}},
    {"max_bytes_for_level_multiplier", "RocksDB", ForeignValue::kWhole, kSizeRatio},
    {"fanout_size", "Cassandra", ForeignValue::kWhole, kSizeRatio},
    {"max_bytes_for_level_base",
     "RocksDB",
     ForeignValue::kBytes,
     {{{"rocksdb-leveled", "level_base"},
       {"leveldb", "level_base"},
       {"ldc", "level_base"},
       {"primitives", "level_base"}}}},
    {"target_file_size_base", "RocksDB", ForeignValue::kBytes, kFileSize},
    {"max_file_size", "LevelDB", ForeignValue::kBytes, kFileSize},
    {"sstable_size_in_mb", kCassandra, ForeignValue::kMebibytes, kFileSize},
    {"level0_file_num_compaction_trigger",
     "RocksDB",
     ForeignValue::kWhole,
     {{{"rocksdb-leveled", "l0_trigger"},
       {"rocksdb-universal", "l0_trigger"},
       {"leveldb", "l0_trigger"},
       {"ldc", "l0_trigger"},
       {"primitives", "l0_trigger"}}}},
    {"compaction_pri",
     "RocksDB",
     ForeignValue::kCompactionPri,
     {{{"rocksdb-leveled", "priority"}}}},
    {"level_compaction_dynamic_level_bytes",
     "RocksDB",
     ForeignValue::kFlag,
     {{{"rocksdb-leveled", "dynamic_levels"}}}},
    {"level_compaction_dynamic_file_size",
     "RocksDB",
     ForeignValue::kFlag,
     {{{"rocksdb-leveled", "dynamic_file_size"}}}},
    {"max_compaction_bytes",
     "RocksDB",
     ForeignValue::kBytes,
     {{{"rocksdb-leveled", "max_compaction_bytes"}}}},
    {"num_levels",
     "RocksDB",
     ForeignValue::kWhole,
     {{{"rocksdb-leveled", "levels"},
       {"rocksdb-universal", "levels"},
       {"leveldb", "levels"},
       {"ldc", "levels"}}}},
    {.name = "size_ratio",
     .systems = "RocksDB universal compaction",
     .value = ForeignValue::kWhole,
     .places = {{{"rocksdb-universal", "size_ratio_percent"}}},
     .is_ambiguous = true},
    {.name = "min_merge_width",
     .systems = "RocksDB universal compaction",
     .value = ForeignValue::kWhole,
     .places = {{{"rocksdb-universal", "min_merge_width"}}}},
    {.name = "max_merge_width",
     .systems = "RocksDB universal compaction",
     .value = ForeignValue::kWhole,
     .places = {{{"rocksdb-universal", "max_merge_width"}}}},
    {.name = "max_size_amplification_percent",
     .systems = "RocksDB universal compaction",
     .value = ForeignValue::kWhole,
     .places = {{{"rocksdb-universal", "max_size_amplification_percent"},
                 {"primitives", "space_amplification_percent"}}}},
    // When writers wait.
    {"max_write_buffer_number",
     "RocksDB",
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
    // Filters, caches, blocks.
    {"bloom_bits_per_key",
     "RocksDB, LevelDB",
     ForeignValue::kSame,
     {{{kEveryPolicy, "bits_per_key"}}}},
    {"bloom_bits", "db_bench", ForeignValue::kSame, {{{kEveryPolicy, "bits_per_key"}}}},
    {"bloom_filter_fp_chance",
     kCassandra,
     ForeignValue::kFilterChance,
     {{{kEveryPolicy, "bits_per_key"}}}},
    {"cache_size", "db_bench", ForeignValue::kBytes, {{{kEveryPolicy, "block_cache"}}}},
    {"block_size", "RocksDB, LevelDB", ForeignValue::kBytes, {{{kEveryPolicy, "block_size"}}}},
    {.name = "compression",
     .systems = "RocksDB, LevelDB, Cassandra",
     .note = "sizes here are those of uncompressed blocks"},
    {.name = "max_background_jobs",
     .systems = "RocksDB",
     .note = "merges at a time are --merge-threads N"},
    // Cassandra and ScyllaDB.
    {"min_threshold",
     kCassandra,
     ForeignValue::kWhole,
     {{{"tiered", "size_ratio"},
       {"primitives", "tier_runs"},
       {"exploring", "min_files"},
       {"ratio-based", "min_files"},
       {"rocksdb-universal", "min_merge_width"}}}},
    {"max_threshold",
     kCassandra,
     ForeignValue::kWhole,
     {{{"exploring", "max_files"},
       {"ratio-based", "max_files"},
       {"rocksdb-universal", "max_merge_width"}}}},
    {.name = "bucket_low", .systems = kCassandra, .note = kNoBuckets},
    {.name = "bucket_high", .systems = kCassandra, .note = kNoBuckets},
    {.name = "min_sstable_size", .systems = kCassandra, .note = kNoBuckets},
    {"tombstone_threshold",
     kCassandra,
     ForeignValue::kSame,
     {{{"primitives", "tombstone_density"}}}},
    {.name = "scaling_parameters",
     .systems = "Cassandra",
     .note = "T4 is nearest to tiered:size_ratio=4, and L10 to leveled:size_ratio=10"},
    {.name = "compaction_window_size",
     .systems = kCassandra,
     .note = "no policy here merges by windows of time"},
    // HBase, Accumulo, AsterixDB.
    {"hbase.hstore.compaction.ratio", "HBase", ForeignValue::kSame, kRatio},
    {"hbase.hstore.compaction.min", "HBase", ForeignValue::kWhole, kMinFiles},
    {"hbase.hstore.compactionThreshold", "HBase", ForeignValue::kWhole, kMinFiles},
    {"hbase.hstore.compaction.max", "HBase", ForeignValue::kWhole, kMaxFiles},
    {"hbase.hstore.compaction.min.size",
     "HBase",
     ForeignValue::kBytes,
     {{{"ratio-based", "min_size"}}}},
    {"table.compaction.major.ratio", "Accumulo", ForeignValue::kSame, {{{"ratio-based", "ratio"}}}},
    {"table.file.max", "Accumulo", ForeignValue::kWhole, {{{"ratio-based", "file_max"}}}},
    {"max-mergable-component-size",
     "AsterixDB",
     ForeignValue::kBytes,
     {{{"prefix", "max_mergeable_bytes"}}}},
    {"max-tolerance-component-count",
     "AsterixDB",
     ForeignValue::kWhole,
     {{{"prefix", "max_tolerance_files"}}}},
    // Workloads.
    {"key_size", "db_bench", ForeignValue::kWhole, {{{kWorkload, "key_bytes"}}}},
    {"value_size", "db_bench", ForeignValue::kWhole, {{{kWorkload, "value_bytes"}}}},
    {"num", "db_bench", ForeignValue::kWhole, {{{kWorkload, "entries"}}}},
    {"recordcount", "YCSB", ForeignValue::kWhole, {{{kWorkload, "records"}}}},
    {"operationcount", "YCSB", ForeignValue::kWhole, {{{kWorkload, "operations"}}}},
};

// The largest binary unit that leaves a whole number.
std::string binary_text(std::uint64_t bytes) {
  constexpr std::pair<unsigned, const char*> kUnits[] = {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto& [shift, unit] : kUnits) {
    const std::uint64_t size = std::uint64_t{1} << shift;
    if (bytes >= size && bytes % size == 0) return fmt::format("{}{}", bytes / size, unit);
  }
  return std::to_string(bytes);
}

std::optional<std::string> whole_number_text(const std::string& text) {
  const std::optional<Decimal> number = Decimal::parse(text);
  if (!number || number->numerator() % number->denominator() != 0) return std::nullopt;
  return std::to_string(number->numerator() / number->denominator());
}

std::optional<std::string> priority_text(std::string_view text) {
  // RocksDB's names and numbers, and ours.
  constexpr std::array<std::string_view, 3> kPriorities[] = {
      {"kByCompensatedSize", "0", "by-compensated-size"},
      {"kOldestLargestSeqFirst", "1", "oldest-largest-seq-first"},
      {"kOldestSmallestSeqFirst", "2", "oldest-smallest-seq-first"},
      {"kMinOverlappingRatio", "3", "min-overlapping-ratio"},
      {"kRoundRobin", "4", "round-robin"}};
  for (const auto& [name, number, ours] : kPriorities) {
    if (text == name || text == number) return std::string(ours);
  }
  return std::nullopt;
}

// A Bloom filter with the best number of hash functions: -ln(p) / ln(2)^2 bits, to one decimal.
std::optional<std::string> filter_bits_text(const std::string& text) {
  const std::optional<Decimal> chance = Decimal::parse(text);
  if (!chance || chance->as_double() <= 0 || chance->as_double() > 1) return std::nullopt;
  const double ln2 = portable_log(2);
  return fmt::format("{:.1f}", -portable_log(chance->as_double()) / (ln2 * ln2));
}

// Nothing where the text is no value of the system's.
std::optional<std::string> our_value(ForeignValue value, const std::string& text) {
  switch (value) {
    case ForeignValue::kSame:
      return text;
    case ForeignValue::kBytes: {
      const auto bytes = parse_bytes(text);
      return bytes ? std::optional(binary_text(bytes.value())) : std::nullopt;
    }
    case ForeignValue::kMebibytes: {
      const std::optional<std::string> whole = whole_number_text(text);
      return whole ? std::optional(*whole + "MiB") : std::nullopt;
    }
    case ForeignValue::kWhole:
      return whole_number_text(text);
    case ForeignValue::kFlag:
      if (text == "1" || text == "true") return "true";
      if (text == "0" || text == "false") return "false";
      return std::nullopt;
    case ForeignValue::kCompactionPri:
      return priority_text(text);
    case ForeignValue::kOneLess: {
      const auto count = parse_count(text);
      if (!count || count.value() < 2) return std::nullopt;
      return std::to_string(count.value() - 1);
    }
    case ForeignValue::kFilterChance:
      return filter_bits_text(text);
  }
  return std::nullopt;
}

bool is_one_of(std::string_view name, std::span<const std::string> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The place among the valid parameters, if there is one. Without an owner the names decide.
const ForeignPlace* valid_place(const ForeignOption& option, std::span<const std::string> names,
                                std::string_view owner) {
  for (std::size_t i = 0; i < option.place_count(); ++i) {
    const ForeignPlace& place = option.places[i];
    const bool fits = owner.empty() || owner == place.owner || place.owner == kEveryPolicy;
    if (fits && is_one_of(place.option, names)) return &option.places[i];
  }
  return nullptr;
}

// "size_ratio=10 of tiered, tier_runs=10 of primitives": options of the same name share a list.
std::string all_places(const ForeignOption& option, const std::string& value) {
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> owners;
  for (std::size_t i = 0; i < option.place_count(); ++i) {
    const ForeignPlace& place = option.places[i];
    const auto known = std::find_if(owners.begin(), owners.end(),
                                    [&](const auto& entry) { return entry.first == place.option; });
    if (known == owners.end()) {
      owners.push_back({place.option, {place.owner}});
    } else {
      known->second.push_back(place.owner);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [name, of] : owners) {
    texts.push_back(fmt::format("{}{} of {}", name, value, fmt::join(of, ", ")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::span<const ForeignOption> foreign_options() { return kForeignOptions; }

std::string foreign_option_help(std::string_view name, const std::string& text,
                                std::span<const std::string> names, std::string_view owner) {
  for (const ForeignOption& option : kForeignOptions) {
    if (option.name != name) continue;
    const ForeignPlace* const place = valid_place(option, names, owner);
    if (place == nullptr && option.is_ambiguous) return "";
    const std::string_view system = option.systems.substr(0, option.systems.find(','));
    const std::string theirs = fmt::format("{}'s {}", system, name);
    if (option.place_count() == 0) {
      return fmt::format("{} has no counterpart: {}", theirs, option.note);
    }
    const std::optional<std::string> ours = our_value(option.value, text);
    const std::string value = ours ? "=" + excerpt(*ours) : "";
    const std::string given = ours ? "=" + excerpt(text) : "";
    if (place != nullptr)
      return fmt::format("{}{} is {}{} here", theirs, given, place->option, value);
    const bool is_of_policies =
        option.places[0].owner != kStalls && option.places[0].owner != kWorkload;
    return fmt::format(
        "{}{} is {}{}", theirs, given, all_places(option, value),
        is_of_policies && !owner.empty() ? fmt::format("; {} has no such option", owner) : "");
  }
  return "";
}

}  // namespace lsmlab

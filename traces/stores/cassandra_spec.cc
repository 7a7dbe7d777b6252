// Source: Cassandra 3.11 to 5.0 db/compaction/SizeTieredCompactionStrategy.java,
// LeveledManifest.java, TimeWindowCompactionStrategy.java, unified/Controller.java,
// schema/CompressionParams.java; ScyllaDB compaction/.
#include "traces/stores/cassandra_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <cmath>
#include <set>
#include <tuple>

#include "models/base/decimal.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/stated_time.h"
#include "traces/stores/spec_writer.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kSecondsMax = std::uint64_t{1} << 40;
constexpr std::string_view kGrace = "gc_grace_seconds";

// Options that change compactions or sizes in ways that lsmlab does not model, unless they have
// this value. Some have an effect on one strategy only, and some strategies model some.
struct CassandraHarmless {
  std::string_view option;
  std::string_view value;
};
constexpr CassandraHarmless kCassandraUnmodelled[] = {
    {"compaction.enabled", "true"},
    {"compaction.min_threshold", "4"},
    {"compaction.max_threshold", ""},
    {"compaction.min_sstable_size", ""},
    {"compaction.bucket_low", ""},
    {"compaction.bucket_high", ""},
    {"compaction.min_sstable_age", ""},
    {"compaction.sstable_size_in_mb", ""},
    {"compaction.fanout_size", ""},
    {"compaction.single_sstable_uplevel", "false"},
    {"compaction.target_sstable_size", ""},
    {"compaction.base_shard_count", ""},
    {"compaction.flush_size_override", ""},
    {"compaction.max_sstables_to_compact", ""},
    {"compaction.sstable_growth", ""},
    {"compaction.overlap_inclusion_method", ""},
    {"compaction.adaptive", "false"},
    {"compaction.space_amplification_goal", ""},
    {"compaction.compaction_window_size", ""},
    {"compaction.compaction_window_unit", ""},
    {"compaction.timestamp_resolution", "MICROSECONDS"},
    {"compaction.unsafe_aggressive_sstable_expiration", "false"},
    {"compaction.tombstone_threshold", ""},
    {"compaction.tombstone_compaction_interval", ""},
    {"compaction.unchecked_tombstone_compaction", "false"},
    {"compaction.only_purge_repaired_tombstones", "false"},
    {kGrace, "0"},
    {"default_time_to_live", "0"},
    {"memtable_flush_period_in_ms", "0"},
};

class CassandraSpecBuilder : public SpecWriter {
 public:
  CassandraSpecBuilder(StoreSystem system, const OptionValues& options)
      : is_scylla_(system == StoreSystem::kScylladb), options_(options) {}

  [[nodiscard]] std::optional<std::string> value(std::string_view name) const {
    const auto found = options_.find(name);
    return found == options_.end() ? std::nullopt : std::optional(found->second);
  }
  void begin_nearest(std::string_view policy, std::string why) {
    begin(policy);
    guess("policy", std::move(why));
  }

  /// The whole number of an option, in lsmlab's range. A schema leaves out defaults.
  std::uint64_t number(std::string_view parameter, std::string_view option, std::uint64_t standard,
                       std::uint64_t min, std::uint64_t max) {
    modelled_.insert(option);
    const auto text = value(option);
    const auto found = text ? leading_number(*text) : std::nullopt;
    if (text && !found) guess(parameter, fmt::format("{}={} is no number", option, excerpt(*text)));
    return found ? in_range(parameter, option, *found, min, max) : standard;
  }

  void map_size_tiered() {
    begin(is_scylla_ ? "scylla-stcs" : "cassandra-stcs");
    map_tiers();
    map_tombstones(false);
  }

  void map_incremental() {
    constexpr std::uint64_t kFragmentMebibytes = 1000;
    begin("scylla-ics");
    const std::uint64_t fragment =
        number("sstable_size", "compaction.sstable_size_in_mb", kFragmentMebibytes, 1, 1 << 20) *
        kMebibyte;
    add("sstable_size", typed_bytes_text(fragment));
    map_tiers();
    if (!value("compaction.bucket_low") && !value("compaction.bucket_high")) {
      guess("bucket_low",
            "ScyllaDB's default since 2026.3, like bucket_high; before, they were 0.5 and 1.5");
    }
    map_share("space_amplification_goal", "compaction.space_amplification_goal",
              Decimal(1'000'000'001, kBillion), Decimal(2, 1));
    map_tombstones(false);
  }

  void map_leveled() {
    constexpr std::uint64_t kFileMebibytes = 160;
    begin(is_scylla_ ? "scylla-lcs" : "cassandra-lcs");
    const std::uint64_t file =
        number("sstable_size", "compaction.sstable_size_in_mb", kFileMebibytes, 1, 1 << 20) *
        kMebibyte;
    add("sstable_size", typed_bytes_text(file));
    if (!is_scylla_) {
      add("fanout_size",
          std::to_string(number("fanout_size", "compaction.fanout_size", 10, 2, 1024)));
      modelled_.insert("compaction.single_sstable_uplevel");
      if (value("compaction.single_sstable_uplevel") == "true") {
        add("single_sstable_uplevel", "true");
      }
    }
    map_tiers();
    map_tombstones(true);
  }

  void map_windows() {
    if (is_scylla_) {
      begin_nearest("cassandra-twcs",
                    "ScyllaDB's TimeWindowCompactionStrategy has the same windows; this policy "
                    "merges in the newest one as Cassandra does");
    } else {
      begin("cassandra-twcs");
    }
    const std::string unit = value("compaction.compaction_window_unit").value_or("DAYS");
    const std::uint64_t unit_seconds = unit == "MINUTES" ? 60 : unit == "HOURS" ? 3'600 : 86'400;
    modelled_.insert("compaction.compaction_window_unit");
    const std::uint64_t window =
        number("compaction_window_size", "compaction.compaction_window_size", 1, 1, 1 << 20);
    add_time("compaction_window_size", window * unit_seconds);
    const std::uint64_t ttl_seconds = number("ttl", "default_time_to_live", 0, 0, kSecondsMax);
    if (ttl_seconds > 0) add_time("ttl", ttl_seconds);
    map_tiers();
    map_tombstones(true);
  }

  void map_unified() {
    begin("cassandra-ucs");
    add("scaling_parameters", scaling_parameters());
    for (const auto& [parameter, option, min] :
         {std::tuple("target_sstable_size", "compaction.target_sstable_size", 1U),
          std::tuple("min_sstable_size", "compaction.min_sstable_size", 0U),
          std::tuple("flush_size_override", "compaction.flush_size_override", 1U)}) {
      map_bytes(parameter, option, min);
    }
    map_count("base_shard_count", "compaction.base_shard_count", 65'536);
    map_sstables_max();
    map_share("sstable_growth", "compaction.sstable_growth", Decimal(0, 1), Decimal(1, 1));
    const std::string overlaps = boost::algorithm::to_lower_copy(
        value("compaction.overlap_inclusion_method").value_or("transitive"));
    if (overlaps == "single" || overlaps == "none") add("overlap_inclusion_method", overlaps);
    if (overlaps == "transitive" || overlaps == "single" || overlaps == "none") {
      modelled_.insert("compaction.overlap_inclusion_method");
    }
    const std::uint64_t ttl_seconds = number("ttl", "default_time_to_live", 0, 0, kSecondsMax);
    if (ttl_seconds > 0) add_time("ttl", ttl_seconds);
    const std::uint64_t grace_seconds = number("gc_grace", kGrace, 0, 0, kSecondsMax);
    if (grace_seconds > 0) add_time("gc_grace", grace_seconds);
  }

  void map_store(const FamilyFigures& figures, bool is_leveled) {
    guess(
        "buffer",
        "no schema says when memtables are flushed; lsmlab's default, which buffer=BYTES replaces");
    map_filter(is_leveled);
    const auto chunk = value("compression.chunk_length_in_kb");
    const std::uint64_t standard = is_scylla_ ? 4 : 16;
    const std::uint64_t chunk_bytes =
        number("block_size", "compression.chunk_length_in_kb", standard, 1, 32) * 1024;
    add("block_size", typed_bytes_text(chunk_bytes));
    guess("block_size", chunk ? "the chunk of compression is the nearest to a block"
                        : is_scylla_
                            ? "ScyllaDB's chunk of compression by default"
                            : "the chunk of compression since Cassandra 4.0; before it was 64 KiB");
    map_compression(figures);
  }

  void list_unmodelled() {
    for (const CassandraHarmless& option : kCassandraUnmodelled) {
      const auto text = value(option.option);
      if (!text || *text == option.value || modelled_.contains(option.option)) continue;
      const auto seconds = option.option == kGrace ? leading_number(*text) : std::nullopt;
      const std::string why = seconds && *seconds <= kSecondsMax
                                  ? fmt::format(" (gc_grace={} makes the policy need single keys)",
                                                typed_time_text(*seconds))
                                  : std::string();
      add_unmodelled(fmt::format("{}={}{}", option.option, excerpt(*text), why));
    }
  }

 private:
  void map_filter(bool is_leveled) {
    const auto text = value("bloom_filter_fp_chance");
    const double chance = text                        ? leading_real(*text).value_or(0)
                          : is_leveled && !is_scylla_ ? 0.1
                                                      : 0.01;
    // An optimal filter has ln(1/p) / ln(2)^2 bits a key. A chance of 1 means none.
    constexpr double kLn2Squared = 0.4804530139182014;
    const double bits =
        chance > 0 && chance < 1 ? std::min(100.0, std::round(-std::log(chance) / kLn2Squared)) : 0;
    add("bits_per_key", fmt::format("{:.0f}", bits));
    if (!text) guess("bits_per_key", "the schema does not state bloom_filter_fp_chance");
  }

  void map_compression(const FamilyFigures& figures) {
    const std::pair<std::string_view, std::string_view> codecs[] = {
        {"LZ4Compressor", "kLZ4Compression"},
        {"LZ4WithDictsCompressor", "kLZ4Compression"},
        {"SnappyCompressor", "kSnappyCompression"},
        {"DeflateCompressor", "kZlibCompression"},
        {"ZstdCompressor", "kZSTD"},
        {"ZstdWithDictsCompressor", "kZSTD"},
        {"ZstdDictionaryCompressor", "kZSTD"},
        {"NoopCompressor", "kNoCompression"},
        {"", "kNoCompression"}};
    std::string option = value("compression.class").value_or("LZ4Compressor");
    if (!value("compression.class")) guess("compression", "the schema states none; the default");
    if (value("compression.enabled") == "false") option = "";
    for (const auto& [name, rocksdb] : codecs) {
      if (name != option) continue;
      option = rocksdb;
      break;
    }
    add(compression_spec(
        [&](std::string_view name) {
          return name == "compression" ? std::optional(option) : std::nullopt;
        },
        figures));
  }

  // What the schema states of tiers of similar size.
  void map_tiers() {
    const std::uint64_t fewest =
        number("min_threshold", "compaction.min_threshold", 4, 2, kThresholdMax);
    const std::uint64_t most =
        number("max_threshold", "compaction.max_threshold", 32, 2, kThresholdMax);
    add("min_threshold", std::to_string(fewest));
    if (value("compaction.max_threshold") || most < fewest) {
      add("max_threshold", std::to_string(std::max(fewest, most)));
    }
    if (value("compaction.min_sstable_size")) {
      add("min_sstable_size",
          typed_bytes_text(number("min_sstable_size", "compaction.min_sstable_size", 0, 0,
                                  std::uint64_t{1} << 50)));
    }
    map_share("bucket_low", "compaction.bucket_low", Decimal(0, 1), Decimal(999'999'999, kBillion));
    map_share("bucket_high", "compaction.bucket_high", Decimal(1'000'000'001, kBillion),
              Decimal(1'000, 1));
    if (is_scylla_ && value("compaction.min_sstable_age") && !is_leveled()) {
      add_time("min_sstable_age",
               number("min_sstable_age", "compaction.min_sstable_age", 3'600, 0, kSecondsMax));
    }
  }

  [[nodiscard]] bool is_leveled() const {
    return value("compaction.class") == "LeveledCompactionStrategy";
  }

  // "T4, L10, N" or numbers: by level, the last one for all deeper. As the policy takes them.
  std::string scaling_parameters() {
    const auto stated = value("compaction.scaling_parameters");
    std::vector<std::string> parts;
    boost::algorithm::split(parts, stated.value_or("T4"), boost::algorithm::is_any_of(","));
    bool are_known = true;
    for (std::string& part : parts) {
      boost::algorithm::trim(part);
      const bool has_letter = part.starts_with('T') || part.starts_with('L');
      const bool has_sign = part.starts_with('-') || part.starts_with('+');
      const std::string_view digits = std::string_view(part).substr(has_letter || has_sign ? 1 : 0);
      const auto size = leading_number(digits);
      const bool is_number = size && *size <= 1000 && (!has_letter || *size >= 2) &&
                             digits.find_first_not_of("0123456789") == std::string_view::npos;
      are_known = are_known && (part == "N" || is_number);
    }
    if (are_known) return fmt::format("{}", fmt::join(parts, ":"));
    guess("scaling_parameters",
          fmt::format("lsmlab does not know {}; this is Cassandra's default", excerpt(*stated)));
    return "T4";
  }

  // "100MiB", or a number of bytes.
  void map_bytes(std::string_view parameter, std::string_view option, std::uint64_t min) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
    const auto text = value(option);
    const auto bytes = text ? parse_bytes(*text) : Result<std::uint64_t>(min);
    if (!text || !bytes || bytes.value() < min || bytes.value() > kMost) return;
    add(parameter, typed_bytes_text(bytes.value()));
    modelled_.insert(option);
  }

  // Numbers up to 0 set no limit, as no option does.
  void map_sstables_max() {
    constexpr std::string_view kOption = "compaction.max_sstables_to_compact";
    const auto text = value(kOption);
    const auto number = text ? leading_real(*text) : std::nullopt;
    if (number && *number <= 0) {
      modelled_.insert(kOption);
    } else {
      map_count("max_sstables_to_compact", kOption, 1U << 20);
    }
  }

  void map_count(std::string_view parameter, std::string_view option, std::uint64_t max) {
    if (value(option)) add(parameter, std::to_string(number(parameter, option, 1, 1, max)));
  }

  // Adds a decimal that the schema states, if lsmlab can take it.
  bool map_share(std::string_view parameter, std::string_view option, const Decimal& min,
                 const Decimal& max) {
    const auto text = value(option);
    const auto share = text ? Decimal::parse(*text) : std::nullopt;
    if (!share || *share < min || max < *share) return false;
    add(parameter, share->text());
    modelled_.insert(option);
    return true;
  }

  // What the schema says of tombstones. Merges of single SSTables are on in Cassandra and ScyllaDB,
  // with an age of a day. They need single keys, so they are mapped only where the schema sets
  // them; and gc_grace_seconds only where the policy then needs keys. `needs_keys`: it does anyway.
  void map_tombstones(bool needs_keys) {
    const bool merges_single = map_single_merges();
    if (!(merges_single || needs_keys) || !value(kGrace)) return;
    const std::uint64_t seconds = number("gc_grace", kGrace, 0, 0, kSecondsMax);
    if (seconds > 0) add_time("gc_grace", seconds);
  }

  // Returns whether the policy merges single SSTables.
  bool map_single_merges() {
    const bool is_set = value("compaction.tombstone_threshold").has_value() ||
                        value("compaction.tombstone_compaction_interval").has_value() ||
                        value("compaction.unchecked_tombstone_compaction") == "true";
    if (!is_set) return false;
    if (!map_share("tombstone_threshold", "compaction.tombstone_threshold", Decimal(0, 1),
                   Decimal(1, 1))) {
      if (value("compaction.tombstone_threshold")) return false;
      add("tombstone_threshold", "0.2");
    }
    add_time("tombstone_compaction_interval",
             number("tombstone_compaction_interval", "compaction.tombstone_compaction_interval",
                    86'400, 1, kSecondsMax));
    modelled_.insert("compaction.unchecked_tombstone_compaction");
    if (value("compaction.unchecked_tombstone_compaction") == "true") {
      add("unchecked_tombstone_compaction", "true");
    }
    return true;
  }

  static constexpr std::uint32_t kBillion = 1'000'000'000;
  static constexpr std::uint64_t kThresholdMax = 1'000'000;

  bool is_scylla_;
  std::set<std::string_view> modelled_;  // names of options
  const OptionValues& options_;
};

}  // namespace

PolicySpec cassandra_spec(StoreSystem system, const OptionValues& options,
                          const FamilyFigures& figures) {
  CassandraSpecBuilder builder(system, options);
  if (!builder.value("compaction.class")) {
    builder.guess("policy", "no schema names the strategy; this is Cassandra's default");
  }
  const std::string strategy =
      builder.value("compaction.class").value_or("SizeTieredCompactionStrategy");
  if (strategy == "SizeTieredCompactionStrategy") {
    builder.map_size_tiered();
  } else if (strategy == "IncrementalCompactionStrategy") {
    builder.map_incremental();
  } else if (strategy == "LeveledCompactionStrategy") {
    builder.map_leveled();
  } else if (strategy == "TimeWindowCompactionStrategy") {
    builder.map_windows();
  } else if (strategy == "UnifiedCompactionStrategy") {
    builder.map_unified();
  } else {
    builder.add_unmodelled("compaction.class=" + excerpt(strategy));
    builder.list_unmodelled();
    return builder.finish();
  }
  builder.map_store(figures, strategy == "LeveledCompactionStrategy");
  builder.list_unmodelled();
  return builder.finish();
}

}  // namespace lsmlab::stores

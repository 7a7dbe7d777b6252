// Source: Cassandra 3.11 to 5.0 db/compaction/SizeTieredCompactionStrategy.java,
// LeveledManifest.java, unified/Controller.java, schema/CompressionParams.java.
#include "traces/stores/cassandra_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "traces/stores/spec_writer.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

// Options that change compactions or sizes in ways that lsmlab does not model, unless they have
// this value. Some have an effect on one strategy only.
struct CassandraHarmless {
  std::string_view option;
  std::string_view value;
};
constexpr CassandraHarmless kCassandraUnmodelled[] = {
    {"compaction.enabled", "true"},
    {"compaction.max_threshold", ""},
    {"compaction.min_sstable_size", ""},
    {"compaction.bucket_low", ""},
    {"compaction.bucket_high", ""},
    {"compaction.target_sstable_size", ""},
    {"compaction.base_shard_count", ""},
    {"compaction.space_amplification_goal", ""},
    {"compaction.compaction_window_size", ""},
    {"compaction.compaction_window_unit", ""},
    {"compaction.tombstone_threshold", ""},
    {"compaction.tombstone_compaction_interval", ""},
    {"compaction.unchecked_tombstone_compaction", "false"},
    {"compaction.only_purge_repaired_tombstones", "false"},
    {"gc_grace_seconds", "0"},
    {"default_time_to_live", "0"},
    {"memtable_flush_period_in_ms", "0"},
};

class CassandraSpecBuilder : public SpecWriter {
 public:
  explicit CassandraSpecBuilder(const OptionValues& options) : options_(options) {}

  [[nodiscard]] std::optional<std::string> value(std::string_view name) const {
    const auto found = options_.find(name);
    return found == options_.end() ? std::nullopt : std::optional(found->second);
  }
  void begin(std::string_view policy, std::string why) {
    SpecWriter::begin(policy);
    guess("policy", std::move(why));
  }

  /// The whole number of an option, in lsmlab's range. A schema leaves out defaults.
  std::uint64_t number(std::string_view parameter, std::string_view option, std::uint64_t standard,
                       std::uint64_t min, std::uint64_t max) {
    const auto text = value(option);
    const auto found = text ? leading_number(*text) : std::nullopt;
    if (text && !found) guess(parameter, fmt::format("{}={} is no number", option, excerpt(*text)));
    return found ? in_range(parameter, option, *found, min, max) : standard;
  }

  void map_size_tiered(std::string_view why) {
    begin("tiered", std::string(why));
    add("size_ratio", std::to_string(number("size_ratio", "compaction.min_threshold", 4, 2, 1024)));
  }

  void map_leveled() {
    constexpr std::uint64_t kFileMebibytes = 160;
    begin(
        "leveldb",
        "LeveledCompactionStrategy follows LevelDB; it merges level 0 with level 1 as soon as its "
        "SSTables are larger than one of level 1, and 32 of it at most");
    const std::uint64_t ratio = number("size_ratio", "compaction.fanout_size", 10, 2, 1024);
    const std::uint64_t file =
        number("file_size", "compaction.sstable_size_in_mb", kFileMebibytes, 1, 1 << 20) *
        kMebibyte;
    add("size_ratio", std::to_string(ratio));
    add("file_size", typed_bytes_text(file));
    add("level_base", typed_bytes_text(ratio * file));
    add("l0_trigger", "4");
    guess("l0_trigger", "Cassandra counts the bytes of level 0, and its goal is four SSTables");
  }

  // "T4", "L10", "N" or a number, for each level; the last holds for all deeper ones.
  void map_unified() {
    const std::string all = value("compaction.scaling_parameters").value_or("T4");
    const std::string first(trimmed(std::string_view(all).substr(0, all.find(','))));
    if (first != all) {
      guess("policy", fmt::format("scaling_parameters={}: the first one is taken for every level",
                                  excerpt(all)));
    }
    // W > 0 is tiered with W + 2, W < 0 leveled with 2 - W.
    const bool is_number = !first.empty() && (first.front() == '-' || leading_number(first));
    const bool is_leveled = first.starts_with('L') || first.starts_with('-');
    const auto size = leading_number(
        std::string_view(first).substr(!first.empty() && !leading_number(first) ? 1 : 0));
    const std::uint64_t ratio = std::clamp<std::uint64_t>(
        std::min<std::uint64_t>(size.value_or(is_number ? 0 : 2), 1022) + (is_number ? 2 : 0), 2,
        1024);
    begin(is_leveled ? "leveled-full" : "tiered",
          "UnifiedCompactionStrategy sorts SSTables by density and splits the keys into shards; "
          "this policy has its factor");
    add("size_ratio", std::to_string(ratio));
  }

  void map_store(const FamilyFigures& figures, bool is_leveled) {
    guess(
        "buffer",
        "no schema says when memtables are flushed; lsmlab's default, which buffer=BYTES replaces");
    map_filter(is_leveled);
    const auto chunk = value("compression.chunk_length_in_kb");
    constexpr std::uint64_t kChunkKibibytes = 16;
    const std::uint64_t chunk_bytes =
        number("block_size", "compression.chunk_length_in_kb", kChunkKibibytes, 1, 32) * 1024;
    add("block_size", typed_bytes_text(chunk_bytes));
    guess("block_size", chunk
                            ? "the chunk of compression is the nearest to a block"
                            : "the chunk of compression since Cassandra 4.0; before it was 64 KiB");
    map_compression(figures);
  }

  void list_unmodelled() {
    for (const CassandraHarmless& option : kCassandraUnmodelled) {
      const auto text = value(option.option);
      if (text && *text != option.value) {
        add_unmodelled(fmt::format("{}={}", option.option, excerpt(*text)));
      }
    }
  }

 private:
  void map_filter(bool is_leveled) {
    const auto text = value("bloom_filter_fp_chance");
    const double chance = text ? leading_real(*text).value_or(0) : is_leveled ? 0.1 : 0.01;
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

  const OptionValues& options_;
};

}  // namespace

PolicySpec cassandra_spec(const OptionValues& options, const FamilyFigures& figures) {
  CassandraSpecBuilder builder(options);
  if (!builder.value("compaction.class")) {
    builder.guess("policy", "no schema names the strategy; this is Cassandra's default");
  }
  const std::string strategy =
      builder.value("compaction.class").value_or("SizeTieredCompactionStrategy");
  if (strategy == "SizeTieredCompactionStrategy") {
    builder.map_size_tiered(
        "SizeTieredCompactionStrategy merges SSTables of similar size; this policy merges those of "
        "one tier");
  } else if (strategy == "IncrementalCompactionStrategy") {
    builder.map_size_tiered(
        "IncrementalCompactionStrategy merges runs of similar size piece by piece; this policy "
        "merges the SSTables of one tier at once");
  } else if (strategy == "LeveledCompactionStrategy") {
    builder.map_leveled();
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

// Source: Pebble 1.1.5 and 2.1.7, options.go, compaction_picker.go, sstable/block/compression.go.
#include "traces/stores/pebble_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "models/base/decimal.h"
#include "models/base/quantity_text.h"
#include "traces/stores/option_names.h"
#include "traces/stores/pebble_figures.h"
#include "traces/stores/spec_writer.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::uint64_t kPebbleBytesMax = std::uint64_t{1} << 40;
constexpr std::uint64_t kBaseBytesMax = std::uint64_t{1} << 62;

// Options that change merges, sizes or stalls in ways that lsmlab does not model, unless they have
// this value.
struct Harmless {
  std::string_view option;
  std::string_view value;
};
constexpr Harmless kUnmodelled[] = {
    {"comparer", "leveldb.BytewiseComparator"},   {"merger", "pebble.concatenate"},
    {"value_separation.enabled", "false"},        {"read_compaction_rate", ""},
    {"tombstone_dense_compaction_threshold", ""}, {"disable_wal", "false"},
};

class PebbleSpecBuilder : public SpecWriter {
 public:
  explicit PebbleSpecBuilder(const OptionValues& options) : options_(options) {}

  [[nodiscard]] std::optional<std::string> value(std::string_view name) const {
    const auto found = options_.find(name);
    return found == options_.end() ? std::nullopt : std::optional(found->second);
  }
  /// An option of a level. Version 1 writes the first levels only, and the others are as the last
  /// of them.
  [[nodiscard]] std::optional<std::string> level_value(std::size_t level,
                                                       std::string_view name) const {
    for (std::size_t i = level + 1; i-- > 0;) {
      if (const auto text = value(fmt::format("level{}.{}", i, name))) return text;
    }
    return std::nullopt;
  }

  void begin() { SpecWriter::begin("pebble"); }

  /// The whole number of an option, in the range of lsmlab.
  std::uint64_t number(std::string_view parameter, std::string_view option,
                       const std::optional<std::string>& text, std::uint64_t standard,
                       std::uint64_t min, std::uint64_t max) {
    const auto found = text ? leading_number(*text) : std::nullopt;
    if (!found) {
      guess(parameter, fmt::format("no file names {}; this is Pebble's default", option));
      return standard;
    }
    return in_range(parameter, option, *found, min, max);
  }

  /// An option that has the same meaning here (option_names.h).
  void map_bytes(std::string_view option, const std::optional<std::string>& text,
                 std::uint64_t standard, std::uint64_t min, std::uint64_t max) {
    const std::string_view parameter = our_option(StoreSystem::kPebble, option, "pebble").name;
    add(parameter, typed_bytes_text(number(parameter, option, text, standard, min, max)));
  }

  void map_size_ratio() {
    // Pebble writes the option only where it is not the default.
    const auto text = value("level_multiplier");
    const std::uint64_t ratio =
        text ? number("size_ratio", "level_multiplier", text, 10, 2, 1024) : 10;
    add("size_ratio", std::to_string(ratio));
  }

  void map_file_sizes() {
    constexpr std::uint64_t kFirst = 2097152;
    const auto zero = level_value(0, "target_file_size");
    const auto one = value("level1.target_file_size");
    const std::uint64_t first =
        number("file_size", "target_file_size of level 0", zero, kFirst, 1, kPebbleBytesMax);
    add("file_size", typed_bytes_text(first));
    const auto next = one ? leading_number(*one) : std::nullopt;
    const std::uint64_t base = next.value_or(2 * first);
    const std::uint64_t multiplier = std::clamp<std::uint64_t>(base / first, 1, 1024);
    add("file_size_multiplier", std::to_string(multiplier));
    if (next && base != multiplier * first) {
      guess("file_size_multiplier",
            fmt::format("the files of level 1 have {} bytes, which is no multiple of level 0's; "
                        "lsmlab has the same factor for every level",
                        base));
    }
  }

  void map_level0() {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
    for (const auto& [option, standard] : {std::pair("l0_compaction_threshold", 4),
                                           std::pair("l0_compaction_file_threshold", 500)}) {
      add(option, std::to_string(number(option, option, value(option),
                                        static_cast<std::uint64_t>(standard), 1, kMost)));
    }
    const auto split = value("flush_split_bytes");
    if (const auto bytes = split ? leading_number(*split) : std::nullopt) {
      add("flush_split_bytes", typed_bytes_text(in_range("flush_split_bytes", "flush_split_bytes",
                                                         *bytes, 0, kPebbleBytesMax)));
    }
  }

  // Version 2 names its heuristic, "none" or "wamp(0.00, false)": what a third level may add to the
  // bytes written, and whether merges from level 0 may have one.
  void map_multilevel() {
    const auto text = value("multilevel_compaction_heuristic");
    std::string multilevel = "write-amp";
    std::string propensity = "0";
    if (!text) {
      guess("multilevel", "version 1 does not write its heuristic; this is its default");
    } else if (*text == "none") {
      multilevel = "none";
    } else if (const auto open = text->find('('), comma = text->find(','); comma != text->npos) {
      propensity = text->substr(open + 1, comma - open - 1);
      if (text->find("true", comma) != text->npos) multilevel = "write-amp-from-level0";
    } else {
      guess("multilevel", fmt::format("multilevel_compaction_heuristic={} is unknown", *text));
    }
    if (!Decimal::parse(propensity)) {
      guess("multilevel_propensity",
            fmt::format("lsmlab has none below 0, here it is {}", propensity));
      propensity = "0";
    }
    add("multilevel", multilevel);
    const bool has_propensity = Decimal::parse(propensity)->numerator() > 0;
    if (has_propensity) add("multilevel_propensity", Decimal::parse(propensity)->text());
    add("version", text ? "2.1" : "1.1");
    if (!text) guess("version", "no file names the version; only later ones write the heuristic");
  }

  void map_filter() {
    const auto policy = level_value(kPebbleLevels - 1, "filter_policy");
    const bool has_filter = policy && *policy != "none" && !policy->empty();
    add("bits_per_key", has_filter ? "10" : "0");
    if (has_filter) {
      guess("bits_per_key", fmt::format("filter_policy={} does not state the bits", *policy));
    } else if (!policy) {
      guess("bits_per_key", "no file names filter_policy");
    }
  }

  void map_compression(const FamilyFigures& figures) {
    std::vector<std::string> codecs;
    for (std::size_t i = 0; i < kPebbleLevels; ++i) {
      const std::string name = level_value(i, "compression").value_or("Snappy");
      codecs.push_back(name == "NoCompression"                 ? "kNoCompression"
                       : name == "ZSTD"                        ? "kZSTD"
                       : name == "Snappy" || name == "Default" ? "kSnappyCompression"
                                                               : name);
    }
    const std::string list = fmt::format("{}", fmt::join(codecs, ":"));
    add(compression_spec(
        [&](std::string_view name) {
          return name == "compression_per_level" ? std::optional(list) : std::nullopt;
        },
        figures));
  }

  void list_unmodelled() {
    for (const Harmless& option : kUnmodelled) {
      const auto text = value(option.option);
      if (!text || (*text == option.value)) continue;
      add_unmodelled(fmt::format("{}={}", option.option, *text));
    }
  }

 private:
  const OptionValues& options_;
};

}  // namespace

PolicySpec pebble_spec(const OptionValues& options, const FamilyFigures& figures) {
  PebbleSpecBuilder builder(options);
  builder.begin();
  builder.map_size_ratio();
  builder.map_file_sizes();
  builder.map_bytes("lbase_max_bytes", builder.value("lbase_max_bytes"), 67108864, 1,
                    kBaseBytesMax);
  builder.map_level0();
  builder.map_multilevel();
  builder.add("table_format", "rocksdb");
  builder.guess("table_format",
                "Pebble's tables are near to RocksDB's; since version 2 their "
                "blocks have columns");
  builder.map_bytes("mem_table_size", builder.value("mem_table_size"), 4194304, 1, kPebbleBytesMax);
  builder.map_bytes("block_size", builder.level_value(kPebbleLevels - 1, "block_size"), 4096, 64,
                    32768);
  builder.map_filter();
  builder.map_compression(figures);
  builder.list_unmodelled();
  return builder.finish();
}

}  // namespace lsmlab::stores

#include "traces/stores/option_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "traces/stores/known_option.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr KnownOption kRocksdbOptions[] = {
    {"compaction_style", "kCompactionStyleLevel", true},
    {"write_buffer_size", "67108864", true},
    {"max_write_buffer_number", "2", true},
    {"min_write_buffer_number_to_merge", "1"},
    {"level0_file_num_compaction_trigger", "4", true},
    {"level0_slowdown_writes_trigger", "20"},
    {"level0_stop_writes_trigger", "36"},
    {"max_bytes_for_level_base", "268435456", true},
    {"max_bytes_for_level_multiplier", "10", true},
    {"max_bytes_for_level_multiplier_additional", "1:1:1:1:1:1:1"},
    {"level_compaction_dynamic_level_bytes", "false", true, 8004, "true"},
    {"target_file_size_base", "67108864", true},
    {"target_file_size_multiplier", "1"},
    {"target_file_size_is_upper_bound", "false"},
    {"num_levels", "7", true},
    {"compaction_pri", "kByCompensatedSize", true, 6000, "kMinOverlappingRatio"},
    {"level_compaction_dynamic_file_size", "true"},
    {"max_compaction_bytes", "0"},
    {"ignore_max_compaction_bytes_for_input", "true"},
    {"disable_auto_compactions", "false"},
    {"compression", "kSnappyCompression", true},
    {"compression_per_level", ""},
    {"bottommost_compression", "kDisableCompressionOption"},
    {"ttl", ""},
    {"periodic_compaction_seconds", ""},
    {"soft_pending_compaction_bytes_limit", "68719476736"},
    {"hard_pending_compaction_bytes_limit", "274877906944"},
    {"compaction_options_universal.size_ratio", "1"},
    {"compaction_options_universal.min_merge_width", "2"},
    {"compaction_options_universal.max_merge_width", "4294967295"},
    {"compaction_options_universal.max_size_amplification_percent", "200"},
    {"compaction_options_universal.compression_size_percent", "-1"},
    {"compaction_options_universal.stop_style", "kCompactionStopStyleTotalSize"},
    {"compaction_options_universal.allow_trivial_move", "false"},
    {"compaction_options_universal.incremental", "false"},
    {"compaction_options_universal.max_read_amp", "-1"},
    {"compaction_options_fifo.max_table_files_size", "1073741824"},
    {"compaction_options_fifo.allow_compaction", "false"},
    {"merge_operator", "nullptr"},
    {"compaction_filter", "nullptr"},
    {"compaction_filter_factory", "nullptr"},
    {"sst_partitioner_factory", "nullptr"},
    {"comparator", "leveldb.BytewiseComparator"},
    {"enable_blob_files", "false"},
    {"memtable_factory", "SkipListFactory"},
    {"memtable_prefix_bloom_size_ratio", "0"},
    {"table_factory", "BlockBasedTable"},
    {"block_size", "4096"},
    {"filter_policy", "nullptr"},
    {"max_background_jobs", "2", true},
    {"max_subcompactions", "1"},
    {"delayed_write_rate", "16777216"},
    {"rate_limiter", "nullptr"},
    {"db_write_buffer_size", "0"},
    {"arena_block_size", "0"},
    {"max_total_wal_size", "0"},
    {"allow_ingest_behind", "false"},
};

std::span<const KnownOption> options_of(StoreSystem system) {
  if (system == StoreSystem::kPebble) return pebble_options();
  if (has_tables(system)) return cassandra_options();
  return kRocksdbOptions;
}

const KnownOption* known_option(StoreSystem system, std::string_view name) {
  for (const KnownOption& option : options_of(system)) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

// A LOG prints other words than an OPTIONS file: "1", "NoCompression", "None", "bloomfilter".
std::string in_words_of_options(const KnownOption* option, std::string value) {
  const bool is_flag =
      option != nullptr && (option->standard == "true" || option->standard == "false");
  if (is_flag && (value == "0" || value == "1")) return value == "1" ? "true" : "false";
  if (value == "None" || value == "(nil)" || value == "NULL") return "nullptr";
  if (value == "Disabled") return "kDisableCompressionOption";
  const bool is_codec = option != nullptr && option->name == "compression";
  return is_codec ? codec_in_words_of_options(value) : value;
}

bool is_same(std::string_view value, std::string_view standard) {
  if (value == standard) return true;
  // Whole numbers, with or without a fraction of zeros.
  const auto a = leading_real(value);
  const auto b = leading_real(standard);
  return a && b && *a == *b && value.find_first_not_of("0123456789.-") == std::string_view::npos &&
         standard.find_first_not_of("0123456789.-") == std::string_view::npos;
}

}  // namespace

std::string codec_in_words_of_options(const std::string& codec) {
  if (codec.starts_with('k')) return codec;
  if (codec == "ZSTD") return "kZSTD";
  return "k" + codec + (codec.ends_with("Compression") ? "" : "Compression");
}

unsigned version_number(std::string_view version) {
  const auto major = leading_number(version);
  const auto minor = after(version, ".");
  if (!major || !minor || *major > 1000) return 0;
  return static_cast<unsigned>(*major * 1000 + leading_number(*minor).value_or(0) % 1000);
}

std::string_view version_step(unsigned version) {
  static constexpr std::pair<unsigned, std::string_view> kSteps[] = {
      {6013, "7.4"}, {7005, "7.8"}, {8004, "8.4"}, {8007, "8.7"}, {8011, "8.11"},
      {9000, "9.0"}, {9002, "9.2"}, {9006, "9.6"}, {9008, "9.8"}};
  std::string_view step = "6.12";
  for (const auto& [first, name] : kSteps) {
    if (version >= first) step = name;
  }
  return step;
}

bool is_rocksdb_option(std::string_view name) {
  return known_option(StoreSystem::kRocksdb, name) != nullptr;
}

std::optional<std::string> option_value(const StoreOptions& options, const FamilyOptions& family,
                                        std::string_view name) {
  for (const OptionValues* values : {&family.values, &options.database}) {
    const auto found = values->find(name);
    if (found == values->end()) continue;
    if (options.system != StoreSystem::kRocksdb) return found->second;
    return in_words_of_options(known_option(options.system, name), found->second);
  }
  return std::nullopt;
}

namespace {

// True if the option has no effect with this style of compaction.
bool is_idle(std::string_view style, std::string_view name) {
  const bool is_universal_option = name.starts_with("compaction_options_universal.");
  const bool is_fifo_option = name.starts_with("compaction_options_fifo.");
  const bool is_leveled_option = name.starts_with("max_bytes_for_level") ||
                                 name.starts_with("level_compaction_dynamic") ||
                                 name == "compaction_pri";
  if (style == "kCompactionStyleUniversal") return is_leveled_option || is_fifo_option;
  if (style == "kCompactionStyleFIFO") return is_leveled_option || is_universal_option;
  return is_universal_option || is_fifo_option;
}

// The most important ones of a style that is not the default.
bool is_important_for(std::string_view style, std::string_view name) {
  if (style == "kCompactionStyleFIFO") return name.starts_with("compaction_options_fifo.");
  return style == "kCompactionStyleUniversal" &&
         (name == "compaction_options_universal.size_ratio" ||
          name == "compaction_options_universal.max_size_amplification_percent");
}

}  // namespace

std::vector<ShownOption> merge_options(const StoreOptions& options, const FamilyOptions& family) {
  const unsigned version = version_number(options.version);
  // The defaults of RocksDB depend on its version.
  const bool knows_defaults = options.system != StoreSystem::kRocksdb || version > 0;
  const std::string style = option_value(options, family, "compaction_style").value_or("");
  std::vector<ShownOption> shown;
  for (const KnownOption& option : options_of(options.system)) {
    const auto value = option_value(options, family, option.name);
    if (!value || is_idle(style, option.name)) continue;
    // RocksDB 11 prefers LZ4.
    const bool is_changed = option.changed > 0 && version >= option.changed;
    std::string standard(is_changed ? option.changed_standard : option.standard);
    if (option.name == "compression" && version >= 11005) standard = "kLZ4Compression";
    const bool differs = !standard.empty() && knows_defaults && !is_same(*value, standard);
    const bool is_important = option.is_important || is_important_for(style, option.name);
    if (!differs && !is_important) continue;
    // The default 0 of this option stands for 25 target files.
    if (option.name == "max_compaction_bytes") {
      const auto file = option_value(options, family, "target_file_size_base");
      const auto file_bytes = file ? leading_number(*file) : std::nullopt;
      const auto bytes = leading_number(*value);
      if (file_bytes && bytes && *file_bytes <= *bytes / 25 + 1 && *bytes == *file_bytes * 25) {
        continue;
      }
    }
    shown.push_back({std::string(option.name), *value, std::move(standard), is_important, differs});
  }
  return shown;
}

bool is_family_option(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "comparator",        "memtable_factory",     "table_factory",
      "compression",       "num_levels",           "level0_file_num_compaction_trigger",
      "compaction_style",  "compaction_pri",       "max_bytes_for_level_base",
      "write_buffer_size", "target_file_size_base"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace lsmlab::stores

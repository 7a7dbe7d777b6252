#include "traces/stores/policy_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/quantity_text.h"
#include "traces/stores/cassandra_spec.h"
#include "traces/stores/level_scores.h"
#include "traces/stores/leveldb_spec.h"
#include "traces/stores/option_names.h"
#include "traces/stores/option_table.h"
#include "traces/stores/pebble_spec.h"
#include "traces/stores/rocksdb_ages.h"
#include "traces/stores/rocksdb_memory.h"
#include "traces/stores/rocksdb_stalls.h"
#include "traces/stores/spec_writer.h"
#include "traces/stores/table_guesses.h"
#include "traces/stores/text_scanning.h"
#include "traces/stores/unmodelled_options.h"

namespace lsmlab::stores {
namespace {

// A whole number that must be within the range of the parameter that means the same
// (option_names.h).
struct Mapping {
  std::string_view option;
  std::uint64_t min;
  std::uint64_t max;
  std::uint64_t standard;  // if the option is unknown
};

constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargeBytesMax = std::uint64_t{1} << 62;

constexpr std::string_view kFileSize = "target_file_size_base";

constexpr Mapping kLeveled[] = {
    {kFileSize, 1, kBytesMax, 67108864},
    {"max_bytes_for_level_base", 1, kLargeBytesMax, 268435456},
    {"level0_file_num_compaction_trigger", 1, 1024, 4},
    {"num_levels", 2, 64, 7},
};
constexpr Mapping kUniversal[] = {
    {"level0_file_num_compaction_trigger", 1, 1024, 4},
    {"compaction_options_universal.size_ratio", 0, 1000000, 1},
    {"compaction_options_universal.min_merge_width", 2, 1024, 2},
    {"compaction_options_universal.max_size_amplification_percent", 0, 1000000, 200},
    {kFileSize, 1, kBytesMax, 67108864},
    {"num_levels", 1, 64, 7},
};
constexpr Mapping kFifo[] = {
    {"compaction_options_fifo.max_table_files_size", 1, kLargeBytesMax, 1073741824},
    {"level0_file_num_compaction_trigger", 1, 1024, 4},
};
constexpr Mapping kMaxSubcompactions{"max_subcompactions", 1, 1024, 1};
constexpr Mapping kFileSizeMultiplier{"target_file_size_multiplier", 1, 1024, 1};
// -1, which is no number here, stands for the level 0 trigger.
constexpr Mapping kMaxReadAmp{"compaction_options_universal.max_read_amp", 0, 1024,
                              std::numeric_limits<std::uint64_t>::max()};
// Negative values, which are no numbers here, leave the choice to compression.
constexpr Mapping kCompressionSizePercent{"compaction_options_universal.compression_size_percent",
                                          0, 1'000'000, std::numeric_limits<std::uint64_t>::max()};
constexpr Mapping kMemtable{"write_buffer_size", 1, kBytesMax, 67108864};
constexpr Mapping kBlock{"block_size", 64, 1 << 20, 4096};
constexpr std::uint64_t kMemtablesMax = 1000;
constexpr std::string_view kSharedBuffer = "db_write_buffer_size";
constexpr std::string_view kArenaBlock = "arena_block_size";
constexpr std::string_view kDisabled = "disable_auto_compactions";

class SpecBuilder : public SpecWriter {
 public:
  SpecBuilder(const Store& store, const FamilyOptions& family) : store_(store), family_(family) {}

  void begin(std::string_view name) {
    policy_ = name;
    SpecWriter::begin(name);
  }
  [[nodiscard]] OurOption ours(std::string_view option) const {
    return our_option(StoreSystem::kRocksdb, option, policy_);
  }
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const {
    return store_.options ? option_value(*store_.options, family_, name) : std::nullopt;
  }

  void map(const Mapping& mapping) {
    const OurOption parameter = ours(mapping.option);
    const auto text = value(mapping.option);
    const auto number = text ? leading_number(*text) : std::nullopt;
    std::uint64_t shown = mapping.standard;
    if (number) {
      shown = in_range(parameter.name, mapping.option, *number, mapping.min, mapping.max);
    } else {
      guess(parameter.name,
            fmt::format("no file names {}; this is RocksDB's default", mapping.option));
    }
    add(parameter.name, parameter.is_bytes ? typed_bytes_text(shown) : std::to_string(shown));
  }

  // Dynamic levels and universal compaction begin at the last level. False: a file names the
  // number, or the table does not tell it.
  bool guess_levels(const FamilyFigures& figures) {
    if (value("num_levels") || figures.source != HistorySource::kStatistics) return false;
    const auto guessed = levels_of_table(figures, policy_ == "rocksdb-universal");
    if (!guessed) return false;
    add("levels", std::to_string(guessed->levels));
    guess("levels", guessed->why);
    return true;
  }

  void map_size_ratio(const FamilyFigures& figures) {
    const std::string_view parameter = ours("max_bytes_for_level_multiplier").name;
    const auto text = value("max_bytes_for_level_multiplier");
    if (!text && guess_size_ratio(figures)) return;
    const double exact = text ? leading_real(*text).value_or(10) : 10;
    const double rounded = std::clamp(std::round(exact), 2.0, 1024.0);
    if (!text) guess(parameter, "no file names max_bytes_for_level_multiplier; RocksDB's default");
    if (rounded != exact) {
      guess(parameter,
            fmt::format("max_bytes_for_level_multiplier={}; lsmlab needs a whole "
                        "number from 2 to 1024",
                        exact),
            true);
    }
    size_ratio_ = static_cast<std::uint64_t>(rounded);
    add(parameter, std::to_string(size_ratio_));
  }

  // By the columns of a table where no file names it; 0: unknown.
  [[nodiscard]] unsigned version_of(const FamilyFigures& figures) const {
    if (!store_.version.empty()) return version_number(store_.version);
    return figures.oldest_version > 0 ? figures.oldest_version : figures.newest_version;
  }

  void map_priority(const FamilyFigures& figures) {
    const auto priority = value("compaction_pri");
    const std::pair<std::string_view, std::string_view> names[] = {
        {"kMinOverlappingRatio", "min-overlapping-ratio"},
        {"kByCompensatedSize", "by-compensated-size"},
        {"kOldestLargestSeqFirst", "oldest-largest-seq-first"},
        {"kOldestSmallestSeqFirst", "oldest-smallest-seq-first"},
        {"kRoundRobin", "round-robin"}};
    for (const auto& [option, parameter] : names) {
      if (priority == option) return add("priority", parameter);
    }
    const unsigned version = version_of(figures);
    const bool is_old = version > 0 && version < 6000;
    const std::string_view standard = is_old ? "by-compensated-size" : "min-overlapping-ratio";
    const char* const whose = version == 0 ? "RocksDB's default since 6.0"
                              : store_.version.empty()
                                  ? "the default of versions whose tables have "
                                    "these columns"
                                  : "the version's default";
    guess("priority", priority ? fmt::format("compaction_pri={} is unknown", *priority)
                               : fmt::format("no file names compaction_pri; this is {}", whose));
    add("priority", standard);
  }

  void map_flag(std::string_view option, bool standard) {
    const std::string_view parameter = ours(option).name;
    const auto text = value(option);
    if (text == "true" || text == "false") return add(parameter, *text);
    if (text) guess(parameter, fmt::format("{}={} is neither true nor false", option, *text));
    add(parameter, standard ? "true" : "false");
  }
  void map_flags(const FamilyFigures& figures) {
    const unsigned version = version_of(figures);
    // Since 8.4, levels are dynamic by default. Versions before 7.8 cut files by their size only,
    // and later ones dropped the option.
    map_flag("level_compaction_dynamic_level_bytes", has_dynamic_levels(figures, version));
    map_flag("level_compaction_dynamic_file_size", version == 0 || version >= 7008);
    if (!value("level_compaction_dynamic_level_bytes")) {
      guess("dynamic_levels", "no file names level_compaction_dynamic_level_bytes");
    }
    if (!value("level_compaction_dynamic_file_size") && version == 0) {
      guess("dynamic_file_size", "no file names level_compaction_dynamic_file_size");
    }
  }

  // An option that changes nothing at `standard` and is left out then.
  void map_extra(const Mapping& mapping) {
    const auto text = value(mapping.option);
    const auto number = text ? leading_number(*text) : std::nullopt;
    if (!number || *number == mapping.standard) return;
    map(mapping);
  }

  // Everywhere else the option is one of --stalls. 36 is the standard.
  void map_level0_stop() {
    const auto text = value("level0_stop_writes_trigger");
    const auto runs = text ? leading_number(*text) : std::nullopt;
    if (!runs || *runs == 36) return;
    add("level0_stop_runs", std::to_string(std::clamp<std::uint64_t>(*runs, 1, 1'000'000)));
  }

  // Left out where the rules are those of 7.8, and where no file names the version.
  void map_version(const FamilyFigures& figures) {
    const unsigned version = version_of(figures);
    if (version == 0) return;
    const std::string_view step = version_step(version);
    if (step == "7.8") return;
    add("version", step);
    if (store_.version.empty())
      guess("version", fmt::format("the rules of the {} version whose tables have these columns",
                                   figures.oldest_version > 0 ? "oldest" : "newest"));
  }

  // They need levels below 0. RocksDB takes 0 as 1.
  [[nodiscard]] bool has_subcompactions() const {
    const auto text = value(kMaxSubcompactions.option);
    const auto number = text ? leading_number(*text) : std::nullopt;
    return number && *number > 1 && !has_one_level();
  }
  [[nodiscard]] bool has_one_level() const { return value("num_levels") == "1"; }

  void map_max_compaction_bytes() {
    const auto text = value("max_compaction_bytes");
    const auto bytes = text ? leading_number(*text) : std::nullopt;
    if (bytes && *bytes > 0) {
      add("max_compaction_bytes", typed_bytes_text(std::min(*bytes, kLargeBytesMax)));
    }
  }

  // A table's scores tell the target of level 1, unless a file names it.
  bool guess_level_base(const FamilyFigures& figures) {
    constexpr std::string_view kOption = "max_bytes_for_level_base";
    if (value(kOption) || figures.source != HistorySource::kStatistics) return false;
    if (figures.levels.size() < 2) return false;
    const auto base = base_of_scores(figures, size_ratio_);
    if (!base) return false;
    const std::string_view name = ours(kOption).name;
    add(name, typed_bytes_text(std::min(base->bytes, kLargeBytesMax)));
    guess(name, base->level == 1 || has_deeper_base_level(figures)
                    ? fmt::format("level {}'s bytes over its score in the table; no file names "
                                  "max_bytes_for_level_base",
                                  base->level)
                    : fmt::format("level {}'s bytes over its score in the table, divided by the "
                                  "size ratio for each level above; no file names "
                                  "max_bytes_for_level_base",
                                  base->level));
    return true;
  }

  bool guess_file_size(const FamilyFigures& figures) {
    const auto found = value(kFileSize) ? std::nullopt : file_size_of_levels(figures);
    if (!found) return false;
    const std::string_view name = ours(kFileSize).name;
    add(name, typed_bytes_text(found->bytes));
    guess(name, fmt::format("the mean size of level {}'s files in the table; no file names {}",
                            found->level, kFileSize));
    return true;
  }

  // What a table of statistics tells of the option; false: nothing.
  bool guess_of_table(std::string_view option, const FamilyFigures& figures) {
    if (option == "max_bytes_for_level_base") return guess_level_base(figures);
    if (option == kFileSize) return guess_file_size(figures);
    return option == "num_levels" && guess_levels(figures);
  }

  bool guess_size_ratio(const FamilyFigures& figures) {
    if (figures.source != HistorySource::kStatistics) return false;
    const auto found = ratio_of_scores(figures);
    if (!found) return false;
    size_ratio_ = found->ratio;
    const std::string_view name = ours("max_bytes_for_level_multiplier").name;
    add(name, std::to_string(found->ratio));
    guess(name,
          fmt::format("bytes over scores in the table grow so from level {} to level {}; no file "
                      "names max_bytes_for_level_multiplier",
                      found->first, found->last));
    return true;
  }

  // A flush here writes one memtable, which stands for those that RocksDB merges in one flush.
  void map_memtable(const FamilyFigures& figures) {
    const auto memtable = value(kMemtable.option);
    const auto bytes = memtable ? leading_number(*memtable) : std::nullopt;
    const std::int64_t flushed = flushed_memtables();
    const bool has_flushes = figures.flushes.bytes > 0;
    if (!memtable && has_flushes && figures.source == HistorySource::kStatistics) {
      return guess_memtable(figures);
    }
    if (!bytes || flushed <= 1) return map(kMemtable);
    const std::uint64_t product =
        std::min(kBytesMax, std::min(kBytesMax, *bytes) * static_cast<std::uint64_t>(flushed));
    add(ours(kMemtable.option).name, typed_bytes_text(product));
    guess(ours(kMemtable.option).name,
          fmt::format("the {} memtables of {} that a flush merges "
                      "(min_write_buffer_number_to_merge) are one here",
                      flushed, typed_bytes_text(*bytes)));
  }

  void map_memtable_memory(const FamilyFigures& figures) {
    const std::string limit = value(kSharedBuffer).value_or("");
    const std::string memtable = value(kMemtable.option).value_or("");
    const bool is_shared = store_.options && store_.options->families.size() > 1;
    // A flush of several memtables is one larger memtable here.
    const bool is_merged = flushed_memtables() > 1;
    if ((is_shared || is_merged) && leading_number(limit).value_or(0) > 0) {
      add_unmodelled(fmt::format("{}={}", kSharedBuffer, limit));
    } else if (const auto bytes = effective_shared_buffer(limit, memtable)) {
      add(ours(kSharedBuffer).name, typed_bytes_text(*bytes));
    }
    const unsigned version = policy_ == "rocksdb-fifo" ? 0 : version_of(figures);
    const auto unusual = unusual_arena_block(value(kArenaBlock).value_or(""), memtable, version);
    if (unusual && !is_merged) add(ours(kArenaBlock).name, typed_bytes_text(*unusual));
    if (store_.has_jemalloc) add("allocator", "jemalloc");
  }

  void map_bits_per_key() {
    const auto policy = value("filter_policy");
    if (!policy || *policy == "nullptr") {
      add("bits_per_key", "0");
      if (!policy) guess("bits_per_key", "no file names filter_policy");
      return;
    }
    // "bloomfilter:10:false", "rocksdb.BuiltinBloomFilter:10"; a LOG has the name only.
    const std::size_t colon = policy->find(':');
    const auto bits =
        colon == std::string::npos ? std::nullopt : leading_real(policy->substr(colon + 1));
    if (bits) {
      add("bits_per_key", fmt::format("{:.0f}", std::clamp(std::round(*bits), 0.0, 100.0)));
    } else {
      add("bits_per_key", "10");
      guess("bits_per_key", fmt::format("filter_policy={} does not state the bits", *policy));
    }
  }

  void map_compression(const FamilyFigures& figures) {
    const std::string& stated = figures.db_bench.compression;
    const auto value_of = [&](std::string_view name) {
      auto found = value(name);
      if (!found && name == "compression" && !stated.empty()) {
        found = codec_in_words_of_options(stated);
      }
      return found;
    };
    add(compression_spec(value_of, figures));
  }

  void map_disabled() {
    if (value(kDisabled) == "true") add(ours(kDisabled).name, "true");
  }

  // Ages are times in the SPEC, which the workload's rate makes numbers of operations.
  void map_ages(std::string_view rate_lack) {
    const auto lookup = [this](std::string_view name) { return value(name); };
    if (!rate_lack.empty()) {
      for (const std::string& option : changed_rocksdb_ages(lookup)) {
        add_unmodelled(fmt::format("{} ({})", option, rate_lack));
      }
      return;
    }
    const RocksdbAges ages = rocksdb_ages(lookup);
    if (ages.ttl > 0) add_time(ours("ttl").name, ages.ttl);
    if (ages.periodic > 0) add_time(ours("periodic_compaction_seconds").name, ages.periodic);
  }

  void list_unmodelled() {
    if (!store_.options) return;
    for (std::string& option : unmodelled_options(*store_.options, family_)) {
      add_unmodelled(std::move(option));
    }
  }

 private:
  void guess_memtable(const FamilyFigures& figures) {
    const std::uint64_t mean = mean_memtable_bytes(figures);
    const std::string_view name = ours(kMemtable.option).name;
    add(name, typed_bytes_text(std::clamp<std::uint64_t>(mean, 1, kBytesMax)));
    guess(
        name,
        figures.flushes.is_counted
            ? "what the mean flush takes in memory, without compression; no file names "
              "write_buffer_size"
            : "as if all of level 0's jobs were flushes; some were merges within it, so a memtable "
              "is larger. No file names write_buffer_size");
  }

  // How many memtables a flush writes as one file.
  [[nodiscard]] std::int64_t flushed_memtables() const {
    if (value("atomic_flush") == "true") return 1;
    const auto merged = whole("min_write_buffer_number_to_merge");
    return merged ? memtables_of_flush(*merged, whole("max_write_buffer_number").value_or(2)) : 1;
  }

  [[nodiscard]] std::optional<std::int64_t> whole(std::string_view name) const {
    const auto text = value(name);
    const auto number = text ? leading_number(*text) : std::nullopt;
    if (!number) return std::nullopt;
    return static_cast<std::int64_t>(std::min<std::uint64_t>(*number, kMemtablesMax));
  }

  const Store& store_;
  std::uint64_t size_ratio_ = 10;
  const FamilyOptions& family_;
  std::string policy_;  // the family
};

void map_universal(SpecBuilder& builder, const FamilyFigures& figures) {
  // Files of level 0 are not cut.
  const bool has_files_to_cut = !builder.has_one_level();
  for (const Mapping& mapping : kUniversal) {
    const bool is_left_out = !has_files_to_cut && mapping.option == kFileSize;
    if (!is_left_out && !builder.guess_of_table(mapping.option, figures)) builder.map(mapping);
  }
  const auto width = builder.value("compaction_options_universal.max_merge_width");
  const auto runs = width ? leading_number(*width) : std::nullopt;
  if (runs && *runs >= 2 && *runs <= 1024) builder.add("max_merge_width", std::to_string(*runs));
  const bool is_similar =
      builder.value("compaction_options_universal.stop_style") == "kCompactionStopStyleSimilarSize";
  builder.add("stop_style", is_similar ? "similar-size" : "total-size");
  builder.map_extra(kMaxReadAmp);
  builder.map_extra(kCompressionSizePercent);
  if (builder.value("compaction_options_universal.allow_trivial_move") == "true") {
    builder.add("allow_trivial_move", "true");
  }
  // It needs a level below 0 (PickIncrementalForReduceSizeAmp).
  if (has_files_to_cut && builder.value("compaction_options_universal.incremental") == "true") {
    builder.add("incremental", "true");
    builder.map_max_compaction_bytes();
  }
  builder.map_level0_stop();
  builder.map_version(figures);
}

PolicySpec rocksdb_spec(const Store& store, const FamilyOptions& family,
                        const FamilyFigures& figures, std::string_view rate_lack) {
  SpecBuilder builder(store, family);
  const auto style = builder.value("compaction_style");
  const bool is_fifo = style == "kCompactionStyleFIFO";
  const auto universal = style ? std::nullopt : universal_by_scores(figures);
  if (style == "kCompactionStyleNone") {
    builder.add_unmodelled("compaction_style=" + *style);
    builder.list_unmodelled();
    return builder.finish();
  }
  if (style == "kCompactionStyleUniversal" || universal) {
    builder.begin("rocksdb-universal");
    if (universal) builder.guess("policy", *universal);
    map_universal(builder, figures);
  } else if (is_fifo) {
    builder.begin("rocksdb-fifo");
    for (const Mapping& mapping : kFifo) builder.map(mapping);
    builder.map_flag("compaction_options_fifo.allow_compaction", false);
    builder.map_max_compaction_bytes();
  } else {
    builder.begin("rocksdb-leveled");
    if (!style) builder.guess("policy", "no file names compaction_style; RocksDB's default");
    builder.map_size_ratio(figures);
    for (const Mapping& mapping : kLeveled) {
      if (!builder.guess_of_table(mapping.option, figures)) builder.map(mapping);
    }
    builder.map_priority(figures);
    builder.map_flags(figures);
    builder.map_max_compaction_bytes();
    builder.map_version(figures);
  }
  if (!is_fifo) {
    if (!builder.has_one_level()) builder.map_extra(kFileSizeMultiplier);
    if (builder.has_subcompactions()) builder.map(kMaxSubcompactions);
  }
  builder.map_disabled();
  builder.map_ages(rate_lack);
  builder.add("table_format", "rocksdb");
  builder.map_memtable(figures);
  builder.map_memtable_memory(figures);
  builder.map(kBlock);
  builder.map_bits_per_key();
  builder.map_compression(figures);
  builder.list_unmodelled();
  return builder.finish();
}

}  // namespace

PolicySpec policy_spec(const Store& store, const FamilyFigures& figures) {
  return policy_spec(store, figures, figures.writes_per_second() ? std::string_view() : kNoRate);
}

PolicySpec policy_spec(const Store& store, const FamilyFigures& figures,
                       std::string_view rate_lack) {
  if (store.system == StoreSystem::kLeveldb) return leveldb_spec(figures, store);
  const FamilyOptions* options = store.options ? store.options->family(figures.name) : nullptr;
  const FamilyOptions none;
  if (store.system == StoreSystem::kPebble) {
    return pebble_spec(options == nullptr ? none.values : options->values, figures);
  }
  if (has_tables(store.system)) {
    return cassandra_spec(store.system, options == nullptr ? none.values : options->values,
                          figures);
  }
  return rocksdb_spec(store, options == nullptr ? none : *options, figures, rate_lack);
}

}  // namespace lsmlab::stores

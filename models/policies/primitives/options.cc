#include "models/policies/primitives/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "models/base/check.h"
#include "models/base/quantity_text.h"
#include "models/base/shortened.h"
#include "models/base/suggest.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 62;
constexpr std::uint64_t kRunsMax = 1024;

template <class Enum>
using Names = std::vector<std::pair<std::string, Enum>>;

Names<Trigger> trigger_names() {
  return {{"level-saturation", Trigger::kLevelSaturation},
          {"sorted-runs", Trigger::kSortedRuns},
          {"staleness", Trigger::kStaleness},
          {"space-amplification", Trigger::kSpaceAmplification},
          {"tombstone-ttl", Trigger::kTombstoneTtl},
          {"tombstone-density", Trigger::kTombstoneDensity}};
}

Names<Granularity> granularity_names() {
  return {{"level", Granularity::kLevel},
          {"sorted-runs", Granularity::kSortedRuns},
          {"file", Granularity::kFile},
          {"files", Granularity::kFiles}};
}

Names<Movement> movement_names() {
  return {{"round-robin", Movement::kRoundRobin},
          {"least-overlap-parent", Movement::kLeastOverlapParent},
          {"least-overlap-grandparent", Movement::kLeastOverlapGrandparent},
          {"coldest", Movement::kColdest},
          {"oldest", Movement::kOldest},
          {"most-tombstones", Movement::kMostTombstones},
          {"expired-ttl", Movement::kExpiredTtl},
          {"none", Movement::kNone}};
}

Names<DataLayout> layout_names() {
  return {{"leveling", DataLayout::kLeveling},
          {"tiering", DataLayout::kTiering},
          {"1-leveling", DataLayout::kOneLeveling},
          {"l-leveling", DataLayout::kLLeveling},
          {"hybrid", DataLayout::kHybrid}};
}

template <class Enum>
const std::string& name_of(const Names<Enum>& names, Enum value) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const auto& name) { return name.second == value; });
  CHECK(found != names.end());
  return found->first;
}

template <class Enum>
std::string names_text(const Names<Enum>& names) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : names) texts.push_back(name);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// The values of a list joined by '+'. A value that occurs twice is a fault.
template <class Enum>
std::vector<Enum> read_list(const std::string& option, const std::string& text,
                            const Names<Enum>& names, std::vector<std::string>& faults) {
  std::vector<std::string> known;
  for (const auto& [name, value] : names) known.push_back(name);
  std::vector<Enum> values;
  for (const std::string& part : split(text, '+')) {
    const auto found = std::find(known.begin(), known.end(), part);
    if (found == known.end()) {
      faults.push_back(
          fmt::format("{}: unknown value '{}'{}", option, excerpt(part), suggestion(part, known)));
      continue;
    }
    const Enum value = names[static_cast<std::size_t>(found - known.begin())].second;
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      faults.push_back(fmt::format("{}: '{}' is given twice", option, part));
      continue;
    }
    values.push_back(value);
  }
  return values;
}

std::vector<std::uint64_t> read_run_limits(const std::string& text,
                                           std::vector<std::string>& faults) {
  std::vector<std::uint64_t> limits;
  for (const std::string& part : split(text, '/')) {
    const Result<std::uint64_t> limit = parse_count(part);
    if (!limit || limit.value() < 1 || limit.value() > kRunsMax) {
      faults.push_back(
          fmt::format("runs: '{}' is not a number of runs from 1 to {}", part, kRunsMax));
      continue;
    }
    limits.push_back(limit.value());
  }
  return limits;
}

std::string default_trigger(DataLayout layout) {
  switch (layout) {
    case DataLayout::kLeveling:
      return "level-saturation";
    case DataLayout::kTiering:
      return "sorted-runs";
    case DataLayout::kOneLeveling:
    case DataLayout::kLLeveling:
    case DataLayout::kHybrid:
      break;
  }
  return "sorted-runs+level-saturation";
}

std::string default_granularity(DataLayout layout) {
  switch (layout) {
    case DataLayout::kLeveling:
    case DataLayout::kOneLeveling:
      return "file";
    case DataLayout::kTiering:
    case DataLayout::kLLeveling:
    case DataLayout::kHybrid:
      break;
  }
  return "sorted-runs";
}

// The values of the four primitives, given or default, and the faults of reading them.
struct Reading {
  std::vector<std::string> faults;
  std::string trigger_text;
  std::string granularity_text;
  std::string movement_text;
  std::vector<Trigger> triggers;
  std::optional<Granularity> granularity;
  std::vector<Movement> movements;
  std::vector<std::uint64_t> run_limits;

  explicit Reading(const PrimitivesOptions& options) {
    const DataLayout layout = options.layout;
    trigger_text = options.trigger.empty() ? default_trigger(layout) : options.trigger;
    triggers = read_list("trigger", trigger_text, trigger_names(), faults);
    granularity_text =
        options.granularity.empty() ? default_granularity(layout) : options.granularity;
    const auto read = read_list("granularity", granularity_text, granularity_names(), faults);
    if (read.size() == 1) granularity = read.front();
    if (read.size() > 1) faults.push_back("granularity: only one value is possible");
    movement_text = options.movement;
    if (movement_text.empty()) movement_text = is_partial() ? "least-overlap-parent" : "none";
    movements = read_list("movement", movement_text, movement_names(), faults);
    if (!options.runs.empty()) run_limits = read_run_limits(options.runs, faults);
  }

  [[nodiscard]] bool has(Trigger trigger) const {
    return std::find(triggers.begin(), triggers.end(), trigger) != triggers.end();
  }
  [[nodiscard]] bool has(Movement movement) const {
    return std::find(movements.begin(), movements.end(), movement) != movements.end();
  }
  [[nodiscard]] bool is_partial() const {
    return granularity == Granularity::kFile || granularity == Granularity::kFiles;
  }
  [[nodiscard]] bool has_tiered_limit() const {
    return std::any_of(run_limits.begin(), run_limits.end(), [](auto limit) { return limit > 1; });
  }
  [[nodiscard]] bool has_leveled_limit() const {
    return std::find(run_limits.begin(), run_limits.end(), 1) != run_limits.end();
  }
};

class Validator {
 public:
  Validator(const PrimitivesOptions& options, const Reading& reading)
      : options_(options), reading_(reading) {}

  [[nodiscard]] std::vector<std::string> faults() {
    check_layout();
    check_granularity();
    check_movement();
    check_thresholds();
    return std::move(faults_);
  }

 private:
  void refuse_if(bool is_wrong, std::string reason) {
    if (is_wrong) faults_.push_back(std::move(reason));
  }
  [[nodiscard]] bool is(DataLayout layout) const { return options_.layout == layout; }
  [[nodiscard]] bool is(Granularity granularity) const {
    return reading_.granularity == granularity;
  }

  void check_layout() {
    const bool is_hybrid = is(DataLayout::kHybrid);
    refuse_if(!is_hybrid && !options_.runs.empty(), "runs: applies only to layout=hybrid");
    refuse_if(is_hybrid && options_.runs.empty(),
              "layout=hybrid needs runs, the numbers of runs at which levels 1, 2, ... merge, "
              "such as 4/4/1");
    const bool uses_tier_runs = is(DataLayout::kTiering) || is(DataLayout::kLLeveling);
    refuse_if(options_.sizes.tier_runs && !uses_tier_runs,
              "tier_runs: applies only to layout=tiering and layout=l-leveling");
    const bool is_tiered = uses_tier_runs || (is_hybrid && reading_.has_tiered_limit());
    refuse_if(is_tiered && !reading_.has(Trigger::kSortedRuns),
              "trigger: tiered levels need sorted-runs, otherwise their runs are never merged");
    const bool saturates = reading_.has(Trigger::kLevelSaturation);
    refuse_if(
        saturates && is_hybrid && !reading_.run_limits.empty() && !reading_.has_leveled_limit(),
        "trigger: level-saturation checks the leveled levels of a hybrid, but runs defines none "
        "(1)");
    refuse_if(options_.sizes.level_base && !saturates,
              "level_base: applies only to trigger=level-saturation");
  }

  void check_granularity() {
    refuse_if(options_.files && !is(Granularity::kFiles),
              "files: applies only to granularity=files");
    refuse_if(options_.sizes.grandparent_limit && !reading_.is_partial(),
              "grandparent_limit: applies only to granularity=file and granularity=files");
    switch (options_.layout) {
      case DataLayout::kLeveling:
      case DataLayout::kOneLeveling:
        refuse_if(is(Granularity::kSortedRuns),
                  "granularity: sorted-runs is for tiered levels; a leveled level is one run: use "
                  "granularity=level");
        break;
      case DataLayout::kTiering:
        refuse_if(is(Granularity::kLevel),
                  "granularity: level also merges with the level below, but layout=tiering does "
                  "not: use granularity=sorted-runs");
        refuse_if(reading_.is_partial(),
                  "granularity: the runs of a tiered level overlap and must leave together: use "
                  "sorted-runs with layout=tiering");
        break;
      case DataLayout::kLLeveling:
        refuse_if(reading_.is_partial(),
                  "granularity: with layout=l-leveling all runs of an upper level leave together, "
                  "and the last level moves as a whole: use level or sorted-runs");
        break;
      case DataLayout::kHybrid:
        check_hybrid_granularity();
    }
  }

  void check_hybrid_granularity() {
    const std::vector<std::uint64_t>& limits = reading_.run_limits;
    refuse_if(!limits.empty() && !reading_.has_leveled_limit() && !is(Granularity::kSortedRuns),
              "granularity: runs defines no leveled level (1): use sorted-runs");
    if (!reading_.is_partial()) return;
    // Runs of a tiered level are ordered by age. A level that gives up single files gives up newer
    // data before older data, so that the runs that it makes below have no order of age.
    const auto leveled = std::find(limits.begin(), limits.end(), 1);
    refuse_if(std::any_of(leveled, limits.end(), [](auto limit) { return limit > 1; }),
              "granularity: below a leveled level that gives up single files no level can be "
              "tiered, because its runs would not be ordered by age: use level or sorted-runs");
  }

  void check_movement() {
    const std::vector<Movement>& movements = reading_.movements;
    const bool is_none = movements.size() == 1 && movements.front() == Movement::kNone;
    refuse_if(reading_.has(Movement::kNone) && !is_none,
              "movement: none cannot be combined with other values");
    refuse_if(reading_.granularity && !reading_.is_partial() && !is_none,
              "movement: files are chosen only with granularity=file and granularity=files; "
              "otherwise use none");
    const auto rotation = std::find(movements.begin(), movements.end(), Movement::kRoundRobin);
    refuse_if(rotation != movements.end() && rotation + 1 != movements.end(),
              "movement: round-robin leaves no ties, so it must be the last criterion");
    refuse_if(reading_.has(Movement::kExpiredTtl) && !reading_.has(Trigger::kTombstoneTtl),
              "movement: expired-ttl needs trigger=tombstone-ttl");
  }

  void check_threshold(const char* name, bool is_given, Trigger trigger, const char* trigger_name) {
    refuse_if(is_given && !reading_.has(trigger),
              fmt::format("{}: applies only to trigger={}", name, trigger_name));
  }

  void check_thresholds() {
    const TriggerThresholds& given = options_.thresholds;
    check_threshold("staleness", given.staleness.has_value(), Trigger::kStaleness, "staleness");
    refuse_if(reading_.has(Trigger::kStaleness) && !given.staleness,
              "trigger=staleness needs staleness, the longest time that a file may stay in its "
              "level");
    check_threshold("space_amplification_percent", given.space_amplification_percent.has_value(),
                    Trigger::kSpaceAmplification, "space-amplification");
    check_threshold("delete_persistence", given.delete_persistence.has_value(),
                    Trigger::kTombstoneTtl, "tombstone-ttl");
    refuse_if(reading_.has(Trigger::kTombstoneTtl) && !given.delete_persistence,
              "trigger=tombstone-ttl needs delete_persistence, the time within which a delete "
              "must take effect");
    refuse_if(given.tombstone_density && !reading_.has(Trigger::kTombstoneDensity) &&
                  !reading_.has(Movement::kMostTombstones),
              "tombstone_density: applies only to trigger=tombstone-density and "
              "movement=most-tombstones");
  }

  const PrimitivesOptions& options_;
  const Reading& reading_;
  std::vector<std::string> faults_;
};

}  // namespace

bool Primitives::has(Trigger trigger) const {
  return std::find(triggers.begin(), triggers.end(), trigger) != triggers.end();
}

bool Primitives::has(Movement movement) const {
  return std::find(movements.begin(), movements.end(), movement) != movements.end();
}

std::vector<std::string> Primitives::options_by_files() const {
  std::vector<std::string> options;
  const auto add = [&](const char* option, const std::string& value) {
    options.push_back(fmt::format("{}={}", option, value));
  };
  if (is_partial()) add("granularity", name_of(granularity_names(), granularity));
  for (const Trigger trigger : triggers) {
    switch (trigger) {
      case Trigger::kStaleness:
      case Trigger::kTombstoneTtl:
      case Trigger::kTombstoneDensity:
        add("trigger", name_of(trigger_names(), trigger));
        break;
      case Trigger::kLevelSaturation:
      case Trigger::kSortedRuns:
      case Trigger::kSpaceAmplification:
        break;
    }
  }
  return options;
}

bool Primitives::is_dense(const File& file) const {
  // True if tombstones / entries >= density; a file without tombstones is never dense.
  if (file.tombstones == Entries(0)) return false;
  return Uint128{file.tombstones.value()} * tombstone_density.denominator() >=
         Uint128{file.entries.value()} * tombstone_density.numerator();
}

void TriggerThresholds::declare(OptionTable& table) {
  table.optional_count("staleness", staleness, {1}, "operations",
                       "trigger=staleness: longest time that a file may stay in a level above the "
                       "last one; less: updates reach the last level sooner, but more merges");
  table.optional_count("space_amplification_percent", space_amplification_percent,
                       {1, 1'000'000'000}, "%",
                       "trigger=space-amplification: all runs merge into one when the bytes of "
                       "the newer runs reach this share of the oldest run's bytes; default: 200, "
                       "as in RocksDB");
  table.optional_count("delete_persistence", delete_persistence, {1}, "operations",
                       "trigger=tombstone-ttl: D of Lethe, the time within which a delete takes "
                       "effect; less: more merges");
  table.optional_decimal("tombstone_density", tombstone_density, "0", "1",
                         "share of tombstones among a file's entries from which the file is "
                         "dense; default: 0.2 with trigger=tombstone-density, as in Cassandra, "
                         "otherwise 0");
}

void PrimitiveSizes::declare(OptionTable& table) {
  table.count("size_ratio", size_ratio, {2, kRunsMax}, "",
              "T: capacity of a level divided by that of the level above; more: fewer levels, but "
              "more rewrites in each");
  table.bytes("file_size", file_size, {1, std::uint64_t{1} << 40},
              "entry bytes at which an output file of a merge ends; more: fewer and larger merges");
  table.optional_bytes("level_base", level_base, {1, kBytesMax},
                       "capacity of level 1; default: size_ratio * buffer; on a workload of flush "
                       "sizes, size_ratio * their mean");
  table.optional_count("l0_trigger", l0_trigger, {1, kRunsMax}, "runs",
                       "number of flushes in level 0 that starts a merge into level 1; default: 1 "
                       "(pure leveling and tiering), with layout=1-leveling 4");
  table.optional_count("tier_runs", tier_runs, {2, kRunsMax}, "runs",
                       "number of runs at which a tiered level merges; default: size_ratio");
  table.optional_count("grandparent_limit", grandparent_limit, {1, std::uint64_t{1} << 20},
                       "files of file_size",
                       "how much a file may overlap two levels down: an output file ends before "
                       "it overlaps more, and a file that does is rewritten instead of moved; "
                       "default: 25, as in RocksDB 6.11");
}

void PrimitivesOptions::declare(OptionTable& table) {
  table.choice("layout", layout, layout_names(),
               "data layout: which levels hold one sorted run (leveled) and which hold several "
               "(tiered)");
  table.text("trigger", trigger,
             fmt::format("what starts a merge, joined by '+', highest priority first: {}; default: "
                         "depends on layout. The number of runs in level 0 always starts merges",
                         names_text(trigger_names())));
  table.text("granularity", granularity,
             fmt::format("how much a merge takes: {}; default: depends on layout",
                         names_text(granularity_names())));
  table.text(
      "movement", movement,
      fmt::format("which file a merge takes, joined by '+'; later values decide ties, or "
                  "decide if earlier ones apply to no file: {}; default: least-overlap-parent",
                  names_text(movement_names())));
  table.text("runs", runs,
             "layout=hybrid: numbers of runs at which levels 1, 2, ... merge, joined by '/'; the "
             "last one repeats; 1: the level is leveled");
  table.optional_count("files", files, {2, 1'000'000}, "files",
                       "granularity=files: number of adjacent files that a merge takes; default: "
                       "4");
  sizes.declare(table);
  thresholds.declare(table);
}

std::vector<std::string> PrimitivesOptions::validate() const {
  const Reading reading(*this);
  if (!reading.faults.empty()) return reading.faults;
  return Validator(*this, reading).faults();
}

std::vector<std::string> PrimitivesOptions::list_faults() const { return Reading(*this).faults; }

void PrimitivesOptions::resolve(const StoreOptions& store) {
  const Reading reading(*this);
  trigger = reading.trigger_text;
  granularity = reading.granularity_text;
  movement = reading.movement_text;
  if (!files && granularity == "files") files = 4;
  if (!sizes.l0_trigger) sizes.l0_trigger = layout == DataLayout::kOneLeveling ? 4 : 1;
  if (!sizes.tier_runs && (layout == DataLayout::kTiering || layout == DataLayout::kLLeveling)) {
    sizes.tier_runs = sizes.size_ratio;
  }
  if (!sizes.grandparent_limit && reading.is_partial()) sizes.grandparent_limit = 25;
  if (!sizes.level_base && reading.has(Trigger::kLevelSaturation)) {
    LevelOptions levels;
    levels.size_ratio = sizes.size_ratio;
    levels.resolve(store);
    sizes.level_base = levels.level_base;
  }
  if (!thresholds.space_amplification_percent && reading.has(Trigger::kSpaceAmplification)) {
    thresholds.space_amplification_percent = 200;
  }
  if (thresholds.tombstone_density) return;
  // The share at which Cassandra compacts a single SSTable because of its tombstones
  // (tombstone_threshold). No other store of the paper's Table 1 states a share.
  if (reading.has(Trigger::kTombstoneDensity)) {
    thresholds.tombstone_density = Decimal(1, 5);
  } else if (reading.has(Movement::kMostTombstones)) {
    thresholds.tombstone_density = Decimal(0, 1);
  }
}

Primitives PrimitivesOptions::primitives() const {
  const Reading reading(*this);
  CHECK(reading.faults.empty() && reading.granularity && sizes.l0_trigger);
  Primitives result;
  result.triggers = reading.triggers;
  result.layout = layout;
  result.run_limits = reading.run_limits;
  result.tier_runs = sizes.tier_runs.value_or(0);
  result.granularity = *reading.granularity;
  result.files_per_merge = files.value_or(1);
  if (!reading.has(Movement::kNone)) result.movements = reading.movements;
  result.levels.size_ratio = sizes.size_ratio;
  result.levels.file_size = sizes.file_size;
  result.levels.level_base = sizes.level_base;
  result.levels.l0_trigger = *sizes.l0_trigger;
  result.staleness = thresholds.staleness.value_or(0);
  result.space_amplification_percent = thresholds.space_amplification_percent.value_or(0);
  if (thresholds.delete_persistence) {
    result.delete_persistence = DeletePersistence{*thresholds.delete_persistence, sizes.size_ratio};
  }
  if (thresholds.tombstone_density) result.tombstone_density = *thresholds.tombstone_density;
  if (sizes.grandparent_limit) {
    result.grandparent_bytes_max = Bytes(*sizes.grandparent_limit * sizes.file_size.value());
  }
  return result;
}

}  // namespace lsmlab

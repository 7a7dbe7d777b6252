// Targets and scores of the levels, as RocksDB, LevelDB and Pebble compute them.
// Source: RocksDB db/version_set.cc, LevelDB 1.23 db/version_set.cc.
#include <algorithm>
#include <cmath>

#include "traces/stores/leveldb_spec.h"
#include "traces/stores/option_table.h"
#include "traces/stores/pebble_figures.h"
#include "traces/stores/store_figures.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

constexpr std::size_t kLeveldbLevels = 7;

struct LevelOptions {
  std::size_t levels = 7;
  double base_bytes = 0;
  double multiplier = 10;
  bool is_dynamic = false;
};

std::optional<LevelOptions> level_options(const Store& store, const std::string& family) {
  if (!store.options) return std::nullopt;
  const FamilyOptions* values = store.options->family(family);
  if (values == nullptr) return std::nullopt;
  const auto real = [&](std::string_view name) {
    const auto text = option_value(*store.options, *values, name);
    return text ? leading_real(*text) : std::nullopt;
  };
  const auto style = option_value(*store.options, *values, "compaction_style");
  if (style && *style != "kCompactionStyleLevel") return std::nullopt;
  // Levels with factors of their own have no targets here.
  const auto factors =
      option_value(*store.options, *values, "max_bytes_for_level_multiplier_additional");
  if (factors && factors->find_first_not_of("1:") != std::string::npos) return std::nullopt;
  const auto base = real("max_bytes_for_level_base");
  const auto multiplier = real("max_bytes_for_level_multiplier");
  if (!base || !multiplier || *base < 1 || *multiplier < 1) return std::nullopt;
  LevelOptions options;
  options.base_bytes = *base;
  options.multiplier = *multiplier;
  options.levels = static_cast<std::size_t>(
      std::clamp(real("num_levels").value_or(7), 2.0, double{kStoreLevelsMax}));
  options.is_dynamic =
      option_value(*store.options, *values, "level_compaction_dynamic_level_bytes") == "true";
  return options;
}

std::vector<double> static_targets(const LevelOptions& options) {
  std::vector<double> targets(options.levels, 0);
  double target = options.base_bytes;
  for (std::size_t i = 1; i < options.levels; ++i, target *= options.multiplier) {
    targets[i] = target;
  }
  return targets;
}

// Divides the bytes of the largest level by the multiplier for each level upwards, until a level
// fits into the base. Levels above it stay empty.
std::vector<double> dynamic_targets(const LevelOptions& options,
                                    const std::vector<LevelFigures>& levels) {
  std::vector<double> targets(options.levels, 0);
  double largest = 0;
  std::size_t first = 0;
  for (std::size_t i = 1; i < levels.size() && i < options.levels; ++i) {
    const auto bytes = static_cast<double>(levels[i].bytes.value_or(0));
    if (bytes > 0 && first == 0) first = i;
    largest = std::max(largest, bytes);
  }
  if (first == 0) return targets;
  double size = largest;
  for (std::size_t i = options.levels - 1; i > first; --i) size /= options.multiplier;
  const double least = options.base_bytes / options.multiplier;
  std::size_t base = first;
  if (size <= least) {
    size = least + 1;
  } else {
    while (base > 1 && size > options.base_bytes) {
      --base;
      size /= options.multiplier;
    }
    size = std::min(size, options.base_bytes);
  }
  for (std::size_t i = base; i < options.levels; ++i) {
    targets[i] = std::max(size, options.base_bytes);
    size *= options.multiplier;
  }
  return targets;
}

// Files of level 0, or sorted runs, over their number that starts a merge.
void fill_level0_score(FamilyFigures& figures, const Store& store) {
  if (figures.levels.empty() || figures.levels[0].score || figures.tree_source.empty()) return;
  constexpr double kLeveldbTrigger = 4;
  double trigger = store.system == StoreSystem::kLeveldb ? kLeveldbTrigger : 0;
  const FamilyOptions* options = store.options ? store.options->family(figures.name) : nullptr;
  if (options != nullptr) {
    const auto text = option_value(*store.options, *options, "level0_file_num_compaction_trigger");
    if (text) trigger = leading_real(*text).value_or(0);
  }
  if (options != nullptr && store.system == StoreSystem::kPebble) {
    const auto text = option_value(*store.options, *options, "l0_compaction_threshold");
    const double threshold = text ? leading_real(*text).value_or(0) : 0;
    if (threshold > 0 && figures.levels[0].sublevels) {
      figures.levels[0].score = 2 * static_cast<double>(*figures.levels[0].sublevels) / threshold;
    }
  }
  if (trigger <= 0) return;
  std::uint64_t runs = figures.levels[0].files;
  const auto style =
      options ? option_value(*store.options, *options, "compaction_style") : std::nullopt;
  // The score of FIFO compaction is that of its bytes.
  if (style == "kCompactionStyleFIFO") return;
  if (style == "kCompactionStyleUniversal") {
    // Its levels are sorted runs, too (RocksDB, VersionStorageInfo::ComputeCompactionScore).
    runs += static_cast<std::uint64_t>(
        std::count_if(figures.levels.begin() + 1, figures.levels.end(),
                      [](const auto& level) { return level.files > 0; }));
  }
  figures.levels[0].score = static_cast<double>(runs) / trigger;
}

}  // namespace

std::vector<double> level_targets(const Store& store, const std::string& family,
                                  const std::vector<LevelFigures>& levels) {
  if (store.system == StoreSystem::kPebble) {
    const FamilyOptions* values = store.options ? store.options->family(family) : nullptr;
    return values == nullptr ? std::vector<double>() : pebble_targets(values->values, levels);
  }
  if (store.system == StoreSystem::kLeveldb) {
    return static_targets(
        {kLeveldbLevels, static_cast<double>(leveldb_base_mebibytes(store) << 20), 10, false});
  }
  const auto options = level_options(store, family);
  if (!options) return {};
  return options->is_dynamic ? dynamic_targets(*options, levels) : static_targets(*options);
}

void fill_scores(FamilyFigures& figures, const Store& store) {
  fill_level0_score(figures, store);
  const std::vector<double> targets = level_targets(store, figures.name, figures.levels);
  for (std::size_t i = 1; i < figures.levels.size() && i < targets.size(); ++i) {
    LevelFigures& level = figures.levels[i];
    if (targets[i] <= 0) continue;
    // The last level may grow without limit, but Pebble scores it.
    if (i + 1 < targets.size() || store.system == StoreSystem::kPebble)
      level.target_bytes = targets[i];
    if (!level.score && level.bytes && level.target_bytes) {
      level.score = static_cast<double>(*level.bytes) / targets[i];
    }
  }
}

}  // namespace lsmlab::stores

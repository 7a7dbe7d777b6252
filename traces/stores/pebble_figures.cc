#include "traces/stores/pebble_figures.h"

#include <algorithm>
#include <cmath>

#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {
namespace {

// Beyond it, level 0 is in such a state that the exact number says nothing.
constexpr std::size_t kFilesOfLevel0Max = 10'000;

bool overlap(const StoreFile& a, const StoreFile& b) {
  const bool a_ends_before =
      a.largest_is_exclusive ? a.largest_key <= b.smallest_key : a.largest_key < b.smallest_key;
  const bool b_ends_before =
      b.largest_is_exclusive ? b.largest_key <= a.smallest_key : b.largest_key < a.smallest_key;
  return !a_ends_before && !b_ends_before;
}

double real_option(const OptionValues& options, std::string_view name, double standard) {
  const auto found = options.find(name);
  return found == options.end() ? standard : leading_real(found->second).value_or(standard);
}

}  // namespace

std::uint64_t sublevels_of(const std::map<std::uint64_t, StoreFile>& files) {
  std::vector<const StoreFile*> by_age;
  for (const auto& [number, file] : files) by_age.push_back(&file);
  std::stable_sort(by_age.begin(), by_age.end(), [](const StoreFile* a, const StoreFile* b) {
    return a->largest_sequence.value_or(0) < b->largest_sequence.value_or(0);
  });
  if (by_age.size() > kFilesOfLevel0Max) return by_age.size();
  std::vector<std::uint64_t> heights(by_age.size(), 1);
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < by_age.size(); ++i) {
    for (std::size_t older = 0; older < i; ++older) {
      if (heights[older] >= heights[i] && overlap(*by_age[older], *by_age[i])) {
        heights[i] = heights[older] + 1;
      }
    }
    highest = std::max(highest, heights[i]);
  }
  return highest;
}

std::vector<double> pebble_targets(const OptionValues& options,
                                   const std::vector<LevelFigures>& levels) {
  constexpr double kMultiplier = 10;
  const double base_bytes = real_option(options, "lbase_max_bytes", 0);
  const double multiplier = real_option(options, "level_multiplier", kMultiplier);
  if (base_bytes < 1 || multiplier < 1) return {};
  std::size_t first = 0;
  double bytes = 0;
  for (std::size_t i = 0; i < levels.size() && i < kPebbleLevels; ++i) {
    const auto here = static_cast<double>(levels[i].bytes.value_or(0));
    if (first == 0 && i > 0 && here > 0) first = i;
    bytes += here;
  }
  if (first == 0) return {};
  const double bottom = bytes - bytes / multiplier;
  double size = bottom;
  for (std::size_t i = kPebbleLevels - 1; i > first; --i) size /= multiplier;
  std::size_t base = first;
  for (; base > 1 && size > base_bytes; --base) size /= multiplier;
  // The levels from the base to the last one grow by the same factor, whatever the option says.
  const std::size_t steps = kPebbleLevels - 1 - base;
  const double factor =
      steps == 0 ? 1 : std::pow(bottom / base_bytes, 1 / static_cast<double>(steps));
  std::vector<double> targets(kPebbleLevels, 0);
  size = base_bytes;
  for (std::size_t i = base; i < kPebbleLevels; ++i, size *= factor) targets[i] = size;
  return targets;
}

void fill_from_metrics(FamilyFigures& figures, const Store& store) {
  const PebbleMetrics& metrics = *store.metrics;
  if (metrics.levels.empty()) return;
  // Of a table that is cut above the sums lack what is behind the cut.
  const bool is_whole = metrics.has_sums;
  if (is_whole) figures.source = HistorySource::kMetrics;
  figures.tree_source = store.metrics_source;
  figures.levels.resize(metrics.levels.size());
  for (std::size_t i = 0; i < metrics.levels.size(); ++i) {
    const PebbleLevel& row = metrics.levels[i];
    LevelFigures& level = figures.levels[i];
    level.files = row.files;
    level.bytes = row.bytes;
    level.score = row.score ? row.score : row.fill_factor;
    if (i == 0) level.sublevels = row.sublevels;
    if (!is_whole) continue;
    level.written_bytes = row.written_bytes;
    level.read_bytes = row.read_bytes;
    level.moved_bytes = row.moved_bytes;
    figures.moved_bytes += row.moved_bytes;
    figures.merge_read_bytes += row.read_bytes;
    if (i > 0) figures.merge_written_bytes += row.written_bytes;
  }
  if (!is_whole) return;
  // What compactions within level 0 write cannot be told from what flushes write.
  figures.flushes.bytes = metrics.levels[0].written_bytes;
  figures.flushes.flushes = metrics.flushes.value_or(0);
  const auto count = [&](const char* kind) {
    const auto found = metrics.kinds.find(kind);
    return found == metrics.kinds.end() ? std::uint64_t{0} : found->second;
  };
  figures.moves = count("move");
  const std::uint64_t all = metrics.compactions.value_or(0);
  figures.merges = all - std::min(all, figures.moves + count("delete"));
}

}  // namespace lsmlab::stores

#include "traces/stores/level_scores.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace lsmlab::stores {
namespace {

// A table tells how many files of a level are in compactions, not how large these are: they have
// from nothing to twice the bytes of as many mean files, as RocksDB ends a file at twice its target
// size at the latest.
struct ScoredLevel {
  std::size_t level = 0;
  double bytes = 0;
  double busy_share = 0;  // of the files; at most a half
  double score = 0;
  /// If files in compactions are as large as the others.
  [[nodiscard]] double target() const { return bytes * (1 - busy_share) / score; }
  /// `off`: by how much the score may be another one.
  [[nodiscard]] double least(double off) const {
    return std::max(1.0, bytes * (1 - 2 * busy_share)) / (score + off);
  }
  [[nodiscard]] double most(double off) const { return bytes / (score - off); }
};

// Levels of which the larger part is in compactions do not tell their targets, nor do small scores,
// nor those from 10 on. Since 7.5 a dynamic level above its target has ten times its bytes over
// the sum of its target and what is due to come down to it, so no score above 1 of one counts.
std::vector<ScoredLevel> scored_levels(const FamilyFigures& figures) {
  const bool is_dynamic = has_deeper_base_level(figures);
  std::vector<ScoredLevel> levels;
  for (std::size_t i = 1; i < figures.levels.size(); ++i) {
    const LevelFigures& level = figures.levels[i];
    const double score = level.score.value_or(0);
    const auto files = static_cast<double>(level.files);
    const auto busy = static_cast<double>(std::min(level.busy_files, level.files));
    if (score < 0.3 || score >= 10 || (is_dynamic && score > 1) || 2 * busy > files) continue;
    const auto bytes = static_cast<double>(level.bytes.value_or(0));
    if (bytes >= 1) levels.push_back({i, bytes, files > 0 ? busy / files : 0, score});
  }
  return levels;
}

// The first one below level 0 that has bytes.
std::size_t base_level(const FamilyFigures& figures) {
  std::size_t level = 1;
  while (level < figures.levels.size() && figures.levels[level].bytes.value_or(0) == 0) ++level;
  return level;
}

}  // namespace

bool has_deeper_base_level(const FamilyFigures& figures) {
  return figures.levels.size() > 2 && !figures.levels[1].bytes;
}

std::optional<ScoredRatio> ratio_of_scores(const FamilyFigures& figures) {
  constexpr double kDefault = 10;
  constexpr double kRounding = 0.05;
  std::vector<ScoredLevel> levels = scored_levels(figures);
  // Its target is max_bytes_for_level_base, however little a step of the ratio would give it.
  if (has_deeper_base_level(figures)) {
    std::erase_if(levels,
                  [&](const ScoredLevel& level) { return level.level == base_level(figures); });
  }
  if (levels.size() < 2) return std::nullopt;
  const ScoredLevel& first = levels.front();
  const ScoredLevel& last = levels.back();
  const auto factor = [&](double of_last, double of_first) {
    return std::pow(of_last / of_first, 1.0 / static_cast<double>(last.level - first.level));
  };
  const double ratio = std::round(factor(last.target(), first.target()));
  const bool is_default = factor(last.least(kRounding), first.most(kRounding)) <= kDefault &&
                          kDefault <= factor(last.most(kRounding), first.least(kRounding));
  if (is_default || ratio < 2 || ratio > 1024) return std::nullopt;
  return ScoredRatio{static_cast<std::uint64_t>(ratio), first.level, last.level};
}

std::optional<ScoredBase> base_of_scores(const FamilyFigures& figures, std::uint64_t size_ratio) {
  constexpr double kDefault = 268435456;
  constexpr double kRounding = 0.06;  // and a little for a level that is not where its score was
  constexpr double kMost = 9e17;
  std::vector<ScoredLevel> levels = scored_levels(figures);
  if (levels.empty()) return std::nullopt;
  const bool is_dynamic = has_deeper_base_level(figures);
  if (is_dynamic && levels.front().level != base_level(figures)) return std::nullopt;
  // Deeper levels narrow the range that busy files leave open, as far as they agree with it. Where
  // none are busy, the size ratio of the levels below adds nothing but its own doubt.
  if (is_dynamic || levels.front().busy_share == 0) levels.resize(1);
  double least = 0;
  double most = std::numeric_limits<double>::max();
  ScoredBase base;
  double middle = 0;
  for (const ScoredLevel& level : levels) {
    const double steps = is_dynamic ? 1
                                    : std::pow(static_cast<double>(size_ratio),
                                               static_cast<double>(level.level) - 1);
    const double low = std::max(least, level.least(kRounding) / steps);
    const double high = std::min(most, level.most(kRounding) / steps);
    if (low > high) break;
    const bool is_narrower = base.level == 0 || high / low < 0.9 * most / least;
    least = low;
    most = high;
    if (!is_narrower) continue;
    base.level = level.level;
    middle = std::clamp(level.target() / steps, least, most);
  }
  if ((least <= kDefault && kDefault <= most) || most < 2 || most > kMost) return std::nullopt;
  base.bytes = static_cast<std::uint64_t>(std::max(1.0, middle));
  // The power of two in the range that is nearest to the middle.
  double nearest = std::numeric_limits<double>::max();
  for (std::uint64_t power = std::bit_floor(static_cast<std::uint64_t>(most));
       power > 0 && static_cast<double>(power) >= least; power /= 2) {
    const double distance = std::abs(std::log(static_cast<double>(power) / middle));
    if (distance >= nearest) break;
    nearest = distance;
    base.bytes = power;
  }
  return base;
}

}  // namespace lsmlab::stores

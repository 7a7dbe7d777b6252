#include "traces/stores/level_scores.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace lsmlab::stores {
namespace {

struct ScoredLevel {
  std::size_t level = 0;
  double bytes = 0;  // that no compaction has
  double score = 0;
  /// `off`: by how much the score is another one.
  [[nodiscard]] double target(double off) const { return bytes / (score + off); }
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
    const double idle = files > 0 ? 1 - busy / files : 1;
    const double bytes = static_cast<double>(level.bytes.value_or(0)) * idle;
    if (bytes >= 1) levels.push_back({i, bytes, score});
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
  const auto factor = [&](double off) {
    return std::pow(last.target(off) / first.target(-off),
                    1.0 / static_cast<double>(last.level - first.level));
  };
  const double ratio = std::round(factor(0));
  const bool is_default = factor(kRounding) <= kDefault && kDefault <= factor(-kRounding);
  if (is_default || ratio < 2 || ratio > 1024) return std::nullopt;
  return ScoredRatio{static_cast<std::uint64_t>(ratio), first.level, last.level};
}

std::optional<ScoredBase> base_of_scores(const FamilyFigures& figures, std::uint64_t size_ratio) {
  constexpr double kDefault = 268435456;
  constexpr double kRounding = 0.06;  // and a little for a level that is not where its score was
  constexpr double kMost = 9e17;
  const std::vector<ScoredLevel> levels = scored_levels(figures);
  if (levels.empty()) return std::nullopt;
  const ScoredLevel& first = levels.front();
  const bool is_dynamic = has_deeper_base_level(figures);
  if (is_dynamic && first.level != base_level(figures)) return std::nullopt;
  const double steps =
      is_dynamic ? 1
                 : std::pow(static_cast<double>(size_ratio), static_cast<double>(first.level) - 1);
  const double least = first.target(kRounding) / steps;
  const double most = first.target(-kRounding) / steps;
  if ((least <= kDefault && kDefault <= most) || most < 2 || most > kMost) return std::nullopt;
  const std::uint64_t power = std::bit_floor(static_cast<std::uint64_t>(most));
  if (static_cast<double>(power) >= least) return ScoredBase{power, first.level};
  return ScoredBase{static_cast<std::uint64_t>(std::max(1.0, first.target(0) / steps)),
                    first.level};
}

}  // namespace lsmlab::stores

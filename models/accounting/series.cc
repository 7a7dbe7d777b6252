#include "models/accounting/series.h"

#include <algorithm>

#include "models/base/units.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kEveryUntil = 256;
constexpr std::uint64_t kLinearPoints = 256;

}  // namespace

std::vector<std::uint64_t> sample_points(std::uint64_t flushes) {
  std::vector<std::uint64_t> points;
  for (std::uint64_t t = 1; t <= std::min(flushes, kEveryUntil); ++t) points.push_back(t);
  // Growth by 1/28 gives 64 points in each decade. Integers give the same points on every machine.
  for (std::uint64_t t = kEveryUntil; t < flushes; t += t / 28) points.push_back(t);
  for (std::uint64_t i = 1; i <= kLinearPoints; ++i) {
    points.push_back(static_cast<std::uint64_t>(Uint128{flushes} * i / kLinearPoints));
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (!points.empty() && points.front() == 0) points.erase(points.begin());
  return points;
}

bool OpenEndedSamples::wants(std::uint64_t flush) {
  if (flush == next_logarithmic_) {
    logarithmic_.push_back(flush);
    next_logarithmic_ += next_logarithmic_ / 28;
    return true;
  }
  if (flush % spacing_ == 0) {
    ++evenly_spaced_;
    return true;
  }
  return flush <= kEveryUntil;
}

void OpenEndedSamples::thin(Series& series) {
  if (evenly_spaced_ < 2 * kLinearPoints) return;
  evenly_spaced_ /= 2;
  spacing_ *= 2;
  std::erase_if(series, [this](const SeriesPoint& point) {
    return point.flushes > kEveryUntil && point.flushes % spacing_ != 0 &&
           !std::binary_search(logarithmic_.begin(), logarithmic_.end(), point.flushes);
  });
}

SeriesPoint series_point(const Totals& totals, const SortedRunCounts& runs,
                         const TransientSpace& transient, std::uint64_t sorted_runs) {
  const Amplification figures = amplification_of(totals, runs, transient, 1.0);
  SeriesPoint point;
  point.flushes = totals.flushes;
  point.bytes_flushed = totals.bytes_flushed;
  point.write_flushed = figures.write_flushed;
  point.sorted_runs = sorted_runs;
  point.read_mean = figures.read_mean;
  point.space_transient = figures.space_transient;
  point.merges = totals.merges;
  return point;
}

}  // namespace lsmlab

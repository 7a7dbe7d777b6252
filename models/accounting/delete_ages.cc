#include "models/accounting/delete_ages.h"

#include <algorithm>

namespace lsmlab {
namespace {

// A cohort is spread over so many points. It is at most 1/4 as wide as old, unless it is young.
constexpr std::uint64_t kPointsOfCohort = 8;

std::uint64_t whole_deletes(std::uint64_t units) {
  return (units + kCohortUnits / 2) / kCohortUnits;
}

DeleteTimes times_of(const LatencyHistogram& ages) {
  DeleteTimes times;
  times.mean = ages.mean();
  times.p50 = ages.percentile(50, 100);
  times.p99 = ages.percentile(99, 100);
  // Less than half a delete took longer. Of whole deletes that is the longest time.
  const std::uint64_t half = kCohortUnits / 2;
  times.max =
      ages.count() < half ? ages.max() : ages.percentile(ages.count() - half + 1, ages.count());
  // Of few deletes a hundredth is less than half a delete.
  times.p50 = std::min(times.p50, times.max);
  times.p99 = std::min(times.p99, times.max);
  return times;
}

}  // namespace

void DeleteAges::on_flush(const Traffic& traffic, Entries tombstones,
                          std::optional<std::uint64_t> full_ns) {
  if (flushes_.empty() && tombstones > Entries(0)) flushes_.push_back(last_);
  if (flushes_.empty()) ++flushes_before_;
  last_.writes += traffic.writes;
  last_.operations += traffic.writes + traffic.lookups;
  last_.ns = full_ns.value_or(0);
  if (!flushes_.empty()) flushes_.push_back(last_);
  flushed_ += tombstones.value();
}

DeleteAges::Flush DeleteAges::place_of(std::uint64_t sequence) const {
  const auto flush =
      std::partition_point(flushes_.begin(), flushes_.end(),
                           [&](const Flush& other) { return other.writes < sequence; });
  if (flush == flushes_.begin()) return flushes_.front();
  if (flush == flushes_.end()) return flushes_.back();
  const Flush& before = *(flush - 1);
  const Uint128 passed = sequence - before.writes;
  const std::uint64_t writes = flush->writes - before.writes;
  const auto inner = [&](std::uint64_t from, std::uint64_t to) {
    return from + static_cast<std::uint64_t>(passed * (to - from) / writes);
  };
  return {sequence, inner(before.operations, flush->operations), inner(before.ns, flush->ns)};
}

const DeleteAges::Flush& DeleteAges::end_of(std::uint64_t flush) const {
  const std::uint64_t index = flush - std::min(flush, flushes_before_);
  return flushes_[std::min<std::uint64_t>(index, flushes_.size() - 1)];
}

void DeleteAges::add(const Flush& then, const Moment& now, std::uint64_t units) {
  ages_.add(now.operations - std::min(now.operations, then.operations), units);
  if (now.ns) ages_ns_.add(*now.ns - std::min(*now.ns, then.ns), units);
}

void DeleteAges::on_dropped(std::span<const std::uint64_t> sequences, const Moment& now) {
  if (flushes_.empty()) return;
  for (const std::uint64_t sequence : sequences) add(place_of(sequence), now, kCohortUnits);
}

void DeleteAges::on_dropped(std::span<const DeleteCohort> cohorts, const Moment& now) {
  if (flushes_.empty()) return;
  for (const DeleteCohort& cohort : cohorts) {
    const Flush& begin =
        end_of(cohort.flushes.first - std::min<std::uint64_t>(1, cohort.flushes.first));
    const Flush& end = end_of(cohort.flushes.last);
    for (std::uint64_t i = 0; i < kPointsOfCohort; ++i) {
      const auto inner = [&](std::uint64_t from, std::uint64_t to) {
        return from +
               static_cast<std::uint64_t>(Uint128{to - from} * (2 * i + 1) / (2 * kPointsOfCohort));
      };
      const auto upto = [&](std::uint64_t points) {
        return static_cast<std::uint64_t>(Uint128{cohort.count} * points / kPointsOfCohort);
      };
      add({0, inner(begin.operations, end.operations), inner(begin.ns, end.ns)}, now,
          upto(i + 1) - upto(i));
    }
  }
}

std::optional<DeleteFigures> DeleteAges::figures(std::uint64_t present) const {
  if (!is_known_ || flushed_ == 0) return std::nullopt;
  DeleteFigures figures;
  figures.flushed = flushed_;
  figures.gone = whole_deletes(ages_.count());
  // A frozen file counts as a whole while one of its slices is left (LDC), and a copy beside its
  // original (LSbM); no delete is present twice, or after it is gone.
  const std::uint64_t left = flushed_ - std::min(flushed_, figures.gone);
  figures.present = std::min(present, left);
  figures.superseded = left - figures.present;
  figures.gone_after = times_of(ages_);
  if (ages_ns_.count() > 0) figures.gone_after_ns = times_of(ages_ns_);
  return figures;
}

}  // namespace lsmlab

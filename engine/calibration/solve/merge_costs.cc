#include "engine/calibration/solve/merge_costs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/calibration/solve/figures.h"
#include "engine/calibration/solve/fit.h"

namespace lsmlab::engine {

FlushRows flush_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kFlush), find_row(rows, CpuWork::kFlushWide)};
}

void derive_flush_costs(const FlushRows& rows, const BusyCoresRows& busy, WorkCosts& costs) {
  TwoUnknowns flushes;
  for (const CpuRow* row : {&rows.narrow, &rows.wide}) flushes.add(1, row->kib, row->nanoseconds);
  const auto [flush_entry, flush_kib] = flushes.solve();
  const double slower = 1 + merge_slowdowns(busy).work;
  costs.flush_entry_ns = whole(flush_entry / slower);
  costs.flush_kib_ns = whole(flush_kib / slower);
}

MergeRows merge_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kMergeSmall), find_row(rows, CpuWork::kMergeSmallMany),
          find_row(rows, CpuWork::kMergeLarge), find_row(rows, CpuWork::kMergeLargeMany)};
}

void derive_merge_costs(const MergeRows& rows, WorkCosts& costs) {
  static_assert(std::has_single_bit(kCalibrateRuns) && std::has_single_bit(kCalibrateManyRuns));
  constexpr double kFewDoublings = std::countr_zero(kCalibrateRuns);
  constexpr double kManyDoublings = std::countr_zero(kCalibrateManyRuns);
  const std::array pairs{std::pair(&rows.small, &rows.small_many),
                         std::pair(&rows.large, &rows.large_many)};
  TwoUnknowns doublings;
  for (const auto& [few, many] : pairs) {
    const double rise = std::max(0.0, many->nanoseconds - few->nanoseconds);
    const double doubling = rise / (kManyDoublings - kFewDoublings);
    doublings.add(1, few->kib, std::min(doubling, few->nanoseconds / kFewDoublings));
  }
  const auto [doubling_entry, doubling_kib] = doublings.solve();
  costs.merge_doubling_entry_ns = whole_or_none(doubling_entry);
  costs.merge_doubling_kib_ns = whole_or_none(doubling_kib);
  // With the rounded doublings, so that merges of few runs take what was measured.
  TwoUnknowns of_one_run;
  for (const auto& [few, many] : pairs) {
    const double doubling = static_cast<double>(costs.merge_doubling_entry_ns) +
                            few->kib * static_cast<double>(costs.merge_doubling_kib_ns);
    of_one_run.add(1, few->kib, std::max(0.0, few->nanoseconds - kFewDoublings * doubling));
  }
  const auto [entry, kib] = of_one_run.solve();
  costs.merge_entry_ns = whole(entry);
  costs.merge_kib_ns = whole(kib);
}

}  // namespace lsmlab::engine

#include "engine/calibration/solve/trims.h"

#include <algorithm>

#include "engine/calibration/solve/figures.h"

namespace lsmlab::engine {

TrimRows trim_rows(std::span<const CpuRow> rows) {
  return {find_row(rows, CpuWork::kRemoveSmall), find_row(rows, CpuWork::kRemoveLarge)};
}

void derive_trims(const TrimRows& rows, TrimModel& trims) {
  const double small_mib = rows.small.kib / kKib;
  const double more_mib = rows.large.kib / kKib - small_mib;
  constexpr double kLeastNs = 100'000;  // less is a file system's own, and the noise of so few
  if (waited_ns(rows.large) < kLeastNs) return;
  const double mib_ns = std::max(0.0, waited_ns(rows.large) - waited_ns(rows.small)) / more_mib;
  trims.mib_ns = whole_or_none(mib_ns);
  trims.file_ns = whole_or_none(waited_ns(rows.small) - mib_ns * small_mib);
}

}  // namespace lsmlab::engine

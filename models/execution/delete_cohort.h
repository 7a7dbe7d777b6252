// Deletes of equal age, as far as their age is known where no single entry is.
#pragma once

#include <cstdint>
#include <vector>

#include "models/tree/plan.h"

namespace lsmlab {

/// Their number is in fixed point.
inline constexpr std::uint64_t kCohortUnits = 4096;  // of one delete

/// Deletes that came while the memtables of these flushes took writes, spread evenly over that
/// time.
struct DeleteCohort {
  FlushSpan flushes;
  std::uint64_t count = 0;  // in units of 1 / kCohortUnits
  friend bool operator==(const DeleteCohort&, const DeleteCohort&) = default;
};

using CohortList = std::vector<DeleteCohort>;

}  // namespace lsmlab

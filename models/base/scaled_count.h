// A count made larger or smaller by a fraction.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/units.h"

namespace lsmlab {

/// count * numerator / denominator, rounded to the nearest; 0 only for 0. REQUIRES: the denominator
/// is not 0.
[[nodiscard]] inline Uint128 scaled_count(std::uint64_t count, std::uint64_t numerator,
                                          std::uint64_t denominator) {
  if (count == 0) return 0;
  return std::max<Uint128>(1, (Uint128{count} * numerator + denominator / 2) / denominator);
}

}  // namespace lsmlab

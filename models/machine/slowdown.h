// Shares by which something takes longer, as integers.
#pragma once

#include <cstdint>

#include "models/base/decimal.h"
#include "models/base/units.h"

namespace lsmlab {

/// Bits of a share after the binary point.
inline constexpr unsigned kSlowdownBits = 16;

/// Rounded down.
[[nodiscard]] inline std::uint64_t scaled_slowdown(const Decimal& share) {
  return static_cast<std::uint64_t>((Uint128{share.numerator()} << kSlowdownBits) /
                                    share.denominator());
}

}  // namespace lsmlab

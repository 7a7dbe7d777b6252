// The last time of a run.
#pragma once

#include <cstdint>

namespace lsmlab {

/// A run that reaches this time, some 146 years, ends with an error. Later times could overflow.
inline constexpr std::uint64_t kLastTimeNs = std::uint64_t{1} << 62;

}  // namespace lsmlab

// When to sample a run so that its curves can be plotted on logarithmic and on linear axes, with a
// number of points that hardly depends on the run's length.
#pragma once

#include <cstdint>
#include <vector>

namespace lsmlab {

/// Flush numbers to sample, rising, the last one included: every one of the first 256, then about
/// 64 a decade, and 256 evenly spaced.
[[nodiscard]] std::vector<std::uint64_t> sample_points(std::uint64_t flushes);

}  // namespace lsmlab

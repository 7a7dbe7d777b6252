// Mean and variance of the sizes of keys and values.
#pragma once

#include "sim/ranges/range_sizes.h"
#include "traces/workloads/size_distribution.h"

namespace lsmlab {

/// REQUIRES: the distribution is valid.
[[nodiscard]] MeanBytes mean_of(const SizeDistribution& sizes);
/// In squares of bytes. REQUIRES: as above.
[[nodiscard]] double variance_of(const SizeDistribution& sizes);

}  // namespace lsmlab

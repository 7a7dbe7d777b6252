#include "models/machine/merge_fan_in.h"

#include <cmath>

#include "models/base/portable_math.h"

namespace lsmlab {

std::uint64_t source_entropy(std::span<const std::uint64_t> source_entries) {
  double all = 0;
  for (const std::uint64_t entries : source_entries) all += static_cast<double>(entries);
  double nats = 0;
  for (const std::uint64_t entries : source_entries) {
    if (entries == 0) continue;
    const double share = static_cast<double>(entries) / all;
    nats -= share * portable_log(share);
  }
  constexpr double kUnits = 1U << kSourceEntropyPlaces;
  return static_cast<std::uint64_t>(std::floor(nats / portable_log(2) * kUnits + 0.5));
}

}  // namespace lsmlab

#include "sim/ranges/random_keys.h"

#include <algorithm>

#include "models/base/portable_math.h"
#include "models/base/random.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kLastKey = ~std::uint64_t{0} - 1;

// So few keys are drawn one by one: gaps that are drawn for both ends could meet.
constexpr std::uint64_t kFewKeys = 32;

KeyRange few_keys_at_random(std::uint64_t entries, std::uint64_t seed) {
  KeyRange keys{kLastKey, 1};
  for (std::uint64_t i = 0; i < std::max<std::uint64_t>(1, entries); ++i) {
    const std::uint64_t key = derive_seed(seed, i);
    keys.smallest = std::min(keys.smallest, key);
    keys.largest = std::max(keys.largest, std::min(key, kLastKey));
  }
  keys.smallest = std::min(keys.smallest, keys.largest);
  return keys;
}

}  // namespace

std::uint64_t drawn_gap(std::uint64_t mean_gap, std::uint64_t seed) {
  constexpr double kMost = 0x1p63;
  const double chance = SplitMix64(seed).unit();
  return static_cast<std::uint64_t>(
      std::min(kMost, -portable_log(chance) * static_cast<double>(mean_gap)));
}

KeyRange keys_at_random(std::uint64_t entries, std::uint64_t seed) {
  if (entries < kFewKeys) return few_keys_at_random(entries, seed);
  const std::uint64_t gap = ~std::uint64_t{0} / (entries + 1);
  constexpr std::uint64_t kHalf = ~std::uint64_t{0} / 2;
  return {std::min(kHalf, drawn_gap(gap, derive_seed(seed, 0))),
          kLastKey - std::min(kHalf, drawn_gap(gap, derive_seed(seed, 1)))};
}

}  // namespace lsmlab

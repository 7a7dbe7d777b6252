#include "models/policies/delete_persistence.h"

#include <algorithm>

namespace lsmlab {
namespace {

std::uint64_t power(std::uint64_t base, std::uint32_t exponent) {
  constexpr Uint128 kMax = Uint128{1} << 63;
  Uint128 result = 1;
  for (std::uint32_t i = 0; i < exponent && result < kMax; ++i) result *= base;
  return static_cast<std::uint64_t>(std::min(result, kMax));
}

}  // namespace

bool DeletePersistence::is_past(std::uint64_t age, std::uint32_t level,
                                std::uint32_t deepest) const {
  if (level >= deepest) return age > limit;
  return Uint128{age} * (power(size_ratio, deepest) - 1) >
         Uint128{limit} * (power(size_ratio, level + 1) - 1);
}

bool DeletePersistence::is_expired(const File& file, Instant now, std::uint32_t level,
                                   std::uint32_t deepest) const {
  if (file.tombstones == Entries(0) || !file.oldest_tombstone) return false;
  const std::uint64_t since = std::min(file.oldest_tombstone->value(), now.value());
  return is_past(now.value() - since, level, deepest);
}

}  // namespace lsmlab

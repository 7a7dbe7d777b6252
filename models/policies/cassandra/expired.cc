#include "models/policies/cassandra/expired.h"

#include <algorithm>
#include <limits>

namespace lsmlab {

std::uint64_t newest_write(const std::vector<ExpiringSstable>& all) {
  std::uint64_t newest = 0;
  for (const ExpiringSstable& one : all) newest = std::max(newest, one.writes.last);
  return newest;
}

std::vector<std::size_t> fully_expired(const std::vector<ExpiringSstable>& all, std::uint64_t ttl) {
  const std::uint64_t now = newest_write(all);
  const auto is_expired = [&](const ExpiringSstable& one) {
    return Uint128{one.writes.last} + ttl < now;
  };
  std::uint64_t oldest_live = std::numeric_limits<std::uint64_t>::max();
  for (const ExpiringSstable& one : all) {
    if (!is_expired(one)) oldest_live = std::min(oldest_live, one.writes.first);
  }
  std::vector<std::size_t> expired;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_expired(all[i]) && !all[i].busy && all[i].writes.last < oldest_live) {
      expired.push_back(i);
    }
  }
  return expired;
}

}  // namespace lsmlab

#include "models/theory/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "models/base/binomial_numbers.h"
#include "models/base/check.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kUnreachable = std::numeric_limits<std::uint64_t>::max() / 4;

// cost(a, b): the fewest bytes written for flushes a..b (0 <= a <= b < n) with at most s SSTables.
// Rows are packed, so that the inner loop over b is contiguous. An empty interval (b = a - 1) costs
// nothing.
class IntervalCosts {
 public:
  explicit IntervalCosts(std::size_t flushes)
      : flushes_(flushes), cells_(flushes * (flushes + 1) / 2) {}
  [[nodiscard]] std::uint64_t* row(std::size_t a) {
    return cells_.data() + a * flushes_ - a * (a + 1) / 2;  // row(a)[b] for b >= a
  }
  [[nodiscard]] std::uint64_t at(std::size_t a, std::size_t b_end) {  // flushes a .. b_end-1
    return b_end <= a ? 0 : row(a)[b_end - 1];
  }

 private:
  std::size_t flushes_;
  std::vector<std::uint64_t> cells_;
};

// Let s SSTables be available, and let flush r be the one that made the oldest SSTable that is left
// at the end. All s may be used for the flushes a..r-1. Then r merges everything and writes a..r,
// and s-1 are left for r+1..b:
//   cost_s(a, b) = min over r of cost_s(a, r-1) + bytes(a..r) + cost_{s-1}(r+1, b).
// The best r does not fall if a or b rises, because cost_s satisfies the quadrangle inequality (the
// tests compare with a program that tries every r). So the search for r is bounded by the results
// for its neighbours, and takes O(1) amortised.
// Returns false if should_stop ended it early.
bool add_sstable(std::span<const std::uint64_t> prefix_bytes, IntervalCosts& fewer,
                 IntervalCosts& costs, bool is_first, const std::function<bool()>& should_stop) {
  const std::size_t flushes = prefix_bytes.size() - 1;
  std::vector<std::uint32_t> best_below(flushes, 0);  // best r for (a+1, b)
  std::vector<std::uint32_t> best(flushes, 0);
  for (std::size_t a = flushes; a-- > 0;) {
    if (should_stop && should_stop()) return false;
    std::uint64_t* row = costs.row(a);
    for (std::size_t b = a; b < flushes; ++b) {
      std::size_t low = b == a ? a : best[b - 1];
      std::size_t high = b == a ? a : std::max<std::size_t>(best_below[b], low);
      if (is_first) low = high = b;  // one SSTable: the last flush merges everything
      std::uint64_t least = kUnreachable;
      std::size_t best_r = low;
      for (std::size_t r = low; r <= high; ++r) {
        const std::uint64_t before = r == a ? 0 : row[r - 1];
        const std::uint64_t after = is_first || r == b ? 0 : fewer.at(r + 1, b + 1);
        const std::uint64_t cost = before + (prefix_bytes[r + 1] - prefix_bytes[a]) + after;
        if (cost < least) {
          least = cost;
          best_r = r;
        }
      }
      row[b] = least;
      best[b] = static_cast<std::uint32_t>(best_r);
    }
    best_below = best;
  }
  return true;
}

}  // namespace

Uint128 uniform_floor(std::uint64_t flushes, std::uint64_t k) {
  CHECK(k >= 1);
  if (k == 1) return Uint128{flushes} * (Uint128{flushes} + 1) / 2;
  Uint128 written = 0;
  for (std::uint64_t merge_depth = 0; flushes > 0; ++merge_depth) {
    const Uint128 places = binomial_coefficient(merge_depth + k, k - 1);
    const auto filled = static_cast<std::uint64_t>(std::min<Uint128>(places, flushes));
    written += Uint128{filled} * (merge_depth + 1);
    flushes -= filled;
  }
  return written;
}

std::optional<Uint128> optimal_bytes_written(std::span<const std::uint64_t> flush_bytes,
                                             std::uint64_t k,
                                             const std::function<bool()>& should_stop) {
  CHECK(k >= 1);
  const std::size_t flushes = flush_bytes.size();
  std::vector<std::uint64_t> prefix_bytes{0};
  Uint128 total = 0;
  for (const std::uint64_t bytes : flush_bytes) {
    total += bytes;
    prefix_bytes.push_back(static_cast<std::uint64_t>(total));
  }
  if (k >= flushes) return total;  // every flush can stay, so nothing must be merged
  if (flushes > kFloorFlushesMax || total * flushes > kUnreachable ||
      k * flushes * flushes / 2 > kFloorStepsMax) {
    return std::nullopt;
  }
  IntervalCosts costs(flushes);
  IntervalCosts fewer(k == 1 ? 0 : flushes);
  if (!add_sstable(prefix_bytes, fewer, costs, true, should_stop)) return std::nullopt;
  for (std::uint64_t s = 2; s <= k; ++s) {
    std::swap(costs, fewer);
    if (!add_sstable(prefix_bytes, fewer, costs, false, should_stop)) return std::nullopt;
  }
  return costs.at(0, flushes);
}

double worst_case_bound(std::uint64_t flushes, std::uint64_t k) {
  CHECK(k >= 1);
  double log_factorial = 0;
  for (std::uint64_t i = 2; i <= k; ++i) log_factorial += std::log(static_cast<double>(i));
  const auto depth = static_cast<double>(k);
  const double c = (depth + 1) / std::exp(log_factorial / depth);
  const double bound = depth * std::pow(static_cast<double>(flushes), 1 / depth) / c;
  return std::strtod(fmt::format("{:.9g}", bound).c_str(), nullptr);
}

}  // namespace lsmlab

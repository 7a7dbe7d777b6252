#include "models/base/binomial_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/base/check.h"

namespace lsmlab {
namespace {

constexpr Uint128 kSaturated = Uint128{1} << 127;

}  // namespace

Uint128 binomial_coefficient(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  k = std::min(k, n - k);
  Uint128 value = 1;
  for (std::uint64_t i = 1; i <= k; ++i) {
    const Uint128 factor = n - k + i;
    if (value > kSaturated / factor) return kSaturated;
    value = value * factor / i;
  }
  return std::min(value, kSaturated);
}

std::uint64_t largest_top(std::uint64_t k, std::uint64_t value) {
  CHECK(k >= 1 && value >= 1);
  if (k == 1) return value;
  std::uint64_t low = k;  // C(low, k) <= value < C(high, k)
  std::uint64_t high = k + 1;
  while (binomial_coefficient(high, k) <= value) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (binomial_coefficient(middle, k) <= value ? low : high) = middle;
  }
  return low;
}

StackDepths::StackDepths(std::uint64_t k, std::uint64_t first) : k_(k), tops_(k) {
  std::uint64_t rest = first;
  for (std::uint64_t i = k; i >= 1; --i) {
    tops_[i - 1] = i - 1;
    if (rest == 0) continue;
    tops_[i - 1] = largest_top(i, rest);
    rest -= static_cast<std::uint64_t>(binomial_coefficient(tops_[i - 1], i));
    ++depth_;
  }
  CHECK(rest == 0);
}

void StackDepths::advance() {
  // The representation of the next number raises the lowest top that can be raised, and sets the
  // terms below it to 0. While some terms are 0, the highest of them is raised.
  if (depth_ < k_) {
    ++tops_[k_ - depth_ - 1];
    ++depth_;
    return;
  }
  std::uint64_t i = 0;
  while (i + 1 < k_ && tops_[i] + 1 == tops_[i + 1]) {
    tops_[i] = i;
    ++i;
  }
  CHECK(k_ > 0);
  ++tops_[i];
  depth_ = k_ - i;
}

}  // namespace lsmlab

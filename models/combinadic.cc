#include "models/combinadic.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/check.h"

namespace lsmlab {
namespace {

constexpr Uint128 kSaturated = Uint128{1} << 127;
constexpr std::uint64_t kRowLimit = std::uint64_t{1} << 63;
// Rows of small k would have billions of coefficients; what lies beyond is found by bisection.
constexpr std::size_t kRowLengthMax = 4096;
// Stack depths of flushes below this are tabulated, a byte each, for k up to the second number.
constexpr std::uint64_t kSmallFlushes = 1 << 16;
constexpr std::uint64_t kSmallDepthMax = 10;

// Values are put into buckets by their bit width and the bits below the highest, so that a look-up
// starts a step or two from its end.
constexpr unsigned kBucketBits = 4;
constexpr std::size_t kBuckets = (64 - kBucketBits + 1) << kBucketBits;

std::size_t bucket_of(std::uint64_t value) {
  const auto width = static_cast<unsigned>(std::bit_width(value));
  const unsigned shift = width > kBucketBits + 1 ? width - kBucketBits - 1 : 0;
  return (std::size_t{shift} << kBucketBits) + static_cast<std::size_t>(value >> shift);
}

// The least value of a bucket; the inverse of bucket_of.
std::uint64_t bucket_least(std::size_t bucket) {
  constexpr std::size_t kDirect = std::size_t{2} << kBucketBits;
  if (bucket < kDirect) return bucket;
  const std::size_t shift = (bucket >> kBucketBits) - 1;
  return static_cast<std::uint64_t>(bucket - (shift << kBucketBits)) << shift;
}

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

StackDepthTable::Row StackDepthTable::make_row(std::uint64_t k) {
  Row row;
  Uint128 coefficient = 1;
  for (std::uint64_t a = k; row.coefficients.size() < kRowLengthMax && coefficient < kRowLimit;
       ++a) {
    row.coefficients.push_back(static_cast<std::uint64_t>(coefficient));
    coefficient = coefficient * (a + 1) / (a + 1 - k);
  }
  row.value_max = static_cast<std::uint64_t>(std::min<Uint128>(coefficient, kRowLimit)) - 1;
  row.coefficients.push_back(~std::uint64_t{0});
  row.first_in_bucket.resize(kBuckets);
  for (std::size_t bucket = 0, index = 0; bucket < kBuckets; ++bucket) {
    while (row.coefficients[index + 1] <= bucket_least(bucket)) ++index;
    row.first_in_bucket[bucket] = static_cast<std::uint32_t>(index);
  }
  return row;
}

void StackDepthTable::tabulate_small(std::uint64_t k_max) {
  small_depth_max_ = std::min(k_max, kSmallDepthMax);
  small_.assign((small_depth_max_ + 1) * kSmallFlushes, 0);
  for (std::uint64_t k = 1; k <= small_depth_max_; ++k) {
    const std::uint8_t* below = small_.data() + (k - 1) * kSmallFlushes;
    std::uint8_t* depths = small_.data() + k * kSmallFlushes;
    std::uint64_t coefficient = 1;  // the largest C(a, k) <= t
    std::uint64_t a = k;
    for (std::uint64_t t = 1; t < kSmallFlushes; ++t) {
      const std::uint64_t next = coefficient * (a + 1) / (a + 1 - k);
      if (next == t) {
        coefficient = next;
        ++a;
      }
      depths[t] = static_cast<std::uint8_t>(1 + below[t - coefficient]);
    }
  }
}

StackDepthTable::StackDepthTable(std::uint64_t k_max) {
  rows_.resize(k_max + 1);
  for (std::uint64_t k = 2; k <= k_max; ++k) rows_[k] = make_row(k);
  tabulate_small(k_max);
}

std::uint64_t StackDepthTable::largest_top_beyond(std::uint64_t k, std::uint64_t value) {
  // C(a, k) is about (a - (k-1)/2)^k / k!; the guess is then corrected exactly.
  double factorial = 1;
  for (std::uint64_t i = 2; i <= k; ++i) factorial *= static_cast<double>(i);
  const double root = std::pow(static_cast<double>(value) * factorial, 1 / static_cast<double>(k));
  auto a = std::max(k, static_cast<std::uint64_t>(root) + k / 2);
  while (a > k && binomial_coefficient(a, k) > value) --a;
  while (binomial_coefficient(a + 1, k) <= value) ++a;
  return a;
}

std::size_t StackDepthTable::index_of(const Row& row, std::uint64_t value) {
  const std::uint64_t* coefficients = row.coefficients.data();
  std::size_t index = row.first_in_bucket[bucket_of(value)];
  while (coefficients[index + 1] <= value) ++index;
  return index;
}

std::uint64_t StackDepthTable::largest_top(std::uint64_t k, std::uint64_t value) const {
  if (k == 1) return value;
  const Row& row = rows_[k];
  return value > row.value_max ? largest_top_beyond(k, value) : k + index_of(row, value);
}

std::uint64_t StackDepthTable::stack_depth(std::uint64_t k, std::uint64_t t) const {
  const std::uint64_t k_first = k;
  while (t >= kSmallFlushes || k > small_depth_max_) {
    if (t == 0) return k_first - k;
    CHECK(k > 0);
    if (k == 1) return k_first;
    const Row& row = rows_[k];
    if (t > row.value_max) [[unlikely]] {
      t -= static_cast<std::uint64_t>(binomial_coefficient(largest_top_beyond(k, t), k));
    } else {
      t -= row.coefficients[index_of(row, t)];
    }
    --k;
  }
  return k_first - k + small_[k * kSmallFlushes + t];
}

}  // namespace lsmlab

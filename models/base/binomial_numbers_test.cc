#include "testing/catch.h"

#include <cstdint>

#include "models/base/binomial_numbers.h"

namespace lsmlab::binomial_numbers_test {
namespace {

// The recurrence of the paper, Section 2, from an m that is large enough for t.
std::uint64_t literal_b(std::uint64_t m, std::uint64_t k, std::uint64_t t) {
  if (t == 0) return 0;
  const Uint128 threshold = binomial_coefficient(m + k - 1, k);
  if (t < threshold) return literal_b(m - 1, k, t);
  return 1 + literal_b(m, k - 1, t - static_cast<std::uint64_t>(threshold));
}

std::uint64_t least_m(std::uint64_t k, std::uint64_t t) {
  std::uint64_t m = 0;
  while (binomial_coefficient(m + k, k) <= t) ++m;
  return m;
}

TEST_CASE("binomial coefficients are exact and saturate") {
  REQUIRE(binomial_coefficient(5, 0) == 1);
  REQUIRE(binomial_coefficient(4, 5) == 0);
  REQUIRE(binomial_coefficient(52, 5) == 2598960);
  REQUIRE(binomial_coefficient(64, 32) == Uint128{1832624140942590534ull});
  REQUIRE(binomial_coefficient(1000, 500) == (Uint128{1} << 127));
}

TEST_CASE("stack depths follow the paper's recurrence") {
  for (std::uint64_t k = 1; k <= 14; ++k) {
    StackDepths walked(k, 0);
    for (std::uint64_t t = 1; t <= 3000; ++t) {
      walked.advance();
      INFO("k " << k << " t " << t);
      const std::uint64_t expected = literal_b(least_m(k, t), k, t);
      REQUIRE(walked.depth() == expected);
      if (t % 7 == 0) REQUIRE(StackDepths(k, t).depth() == expected);
    }
  }
}

TEST_CASE("stack depths follow the recurrence at large flush numbers") {
  for (std::uint64_t k = 2; k <= 9; ++k) {
    for (const std::uint64_t base : {65'530ull, 8'386'550ull, 100'000'000ull, 123'456'789'012ull}) {
      if (k == 2 && base > 100'000'000'000ull) continue;  // half a million steps of the recurrence
      StackDepths walked(k, base);
      for (std::uint64_t t = base; t < base + 40; ++t) {
        INFO("k " << k << " t " << t);
        REQUIRE(walked.depth() == literal_b(least_m(k, t), k, t));
        walked.advance();
      }
    }
  }
}

TEST_CASE("walking from anywhere meets starting there") {
  for (const std::uint64_t k : {1u, 2u, 5u, 10u, 200u}) {
    for (const std::uint64_t base :
         {std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{1} << 61}) {
      StackDepths walked(k, base);
      for (std::uint64_t t = base; t < base + 500; ++t) {
        INFO("k " << k << " t " << t);
        REQUIRE(walked.depth() == StackDepths(k, t).depth());
        walked.advance();
      }
    }
  }
}

TEST_CASE("the largest binomial coefficient below a value is found at every scale") {
  for (std::uint64_t k = 2; k <= 20; ++k) {
    for (unsigned bits = 0; bits < 63; ++bits) {
      for (const std::uint64_t value : {std::uint64_t{1} << bits, (std::uint64_t{1} << bits) + 1,
                                        (std::uint64_t{3} << bits) / 2}) {
        const std::uint64_t top = largest_top(k, value);
        INFO("k " << k << " value " << value);
        REQUIRE(binomial_coefficient(top, k) <= value);
        REQUIRE(binomial_coefficient(top + 1, k) > value);
      }
    }
  }
}

}  // namespace
}  // namespace lsmlab::binomial_numbers_test

#include "models/machine/merge_fan_in.h"

#include <cmath>
#include <vector>

#include "testing/catch.h"

namespace lsmlab::merge_fan_in_test {
namespace {

constexpr double kUnit = 1U << kSourceEntropyPlaces;

double doublings_of(const std::vector<std::uint64_t>& entries) {
  return static_cast<double>(source_entropy(entries)) / kUnit;
}

TEST_CASE("sources that are alike are chosen between as often as their number doubles") {
  REQUIRE(source_entropy({}) == 0);
  for (const std::uint64_t entries : {1ULL, 3ULL, 1'000'003ULL, 1ULL << 40}) {
    for (unsigned doublings = 0; doublings < 10; ++doublings) {
      const std::vector<std::uint64_t> alike(1U << doublings, entries);
      REQUIRE(source_entropy(alike) == std::uint64_t{doublings} << kSourceEntropyPlaces);
    }
    const std::vector<std::uint64_t> ten(10, entries);
    REQUIRE(std::abs(doublings_of(ten) - std::log2(10)) < 1 / kUnit);
  }
}

TEST_CASE("sources without entries are not chosen between") {
  REQUIRE(source_entropy(std::vector<std::uint64_t>{0, 0}) == 0);
  REQUIRE(source_entropy(std::vector<std::uint64_t>{0, 9, 0}) == 0);
  REQUIRE(source_entropy(std::vector<std::uint64_t>{5, 0, 5}) == 1U << kSourceEntropyPlaces);
}

// By Stirling's formula, the entropy is the logarithm of the number of ways to interleave the
// sources, divided by the number of entries. Every merge must tell these ways apart.
TEST_CASE("sources of unlike sizes are told apart by as many comparisons as they can interleave") {
  const auto log2_factorial = [](double n) { return std::lgamma(n + 1) / std::log(2); };
  for (const std::vector<std::uint64_t>& entries : {std::vector<std::uint64_t>{900'000, 100'000},
                                                    {1'000'000, 100},
                                                    {900'000, 8'000, 9'000, 8'000, 8'500},
                                                    {1'000'000, 2'000'000, 3'000'000}}) {
    double all = 0;
    double ways = 0;
    for (const std::uint64_t count : entries) {
      all += static_cast<double>(count);
      ways -= log2_factorial(static_cast<double>(count));
    }
    ways += log2_factorial(all);
    // Stirling's formula neglects a few logarithms, for all entries together.
    REQUIRE(std::abs(doublings_of(entries) - ways / all) < 100 / all + 1 / kUnit);
  }
}

}  // namespace
}  // namespace lsmlab::merge_fan_in_test

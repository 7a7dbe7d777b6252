#include "sim/ranges/random_keys.h"

#include <cmath>

#include "testing/catch.h"

namespace lsmlab::random_keys_test {
namespace {

constexpr double kWholeSpace = 0x1p64;

TEST_CASE("keys at random: the outermost of n lie one of n + 1 gaps inside, on average") {
  for (const std::uint64_t entries : {1U, 5U, 31U, 32U, 2'000U}) {
    constexpr std::uint64_t kSeeds = 20'000;
    double first = 0;
    double last = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const KeyRange keys = keys_at_random(entries, seed);
      REQUIRE(keys.smallest <= keys.largest);
      first += static_cast<double>(keys.smallest) / kWholeSpace / kSeeds;
      last += 1 - static_cast<double>(keys.largest) / kWholeSpace / kSeeds;
    }
    last -= static_cast<double>(kSeeds - 1);
    INFO(entries << " keys, first " << first << ", last " << last);
    const double expected = 1 / static_cast<double>(entries + 1);
    REQUIRE(std::abs(first / expected - 1) < 0.04);
    REQUIRE(std::abs(last / expected - 1) < 0.04);
  }
}

TEST_CASE("drawn gaps have the mean and the scatter of keys at random") {
  constexpr std::uint64_t kMean = 1'000'000;
  constexpr std::uint64_t kSeeds = 100'000;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const double gap = static_cast<double>(drawn_gap(kMean, seed)) / kMean;
    sum += gap / kSeeds;
    squares += gap * gap / kSeeds;
  }
  REQUIRE(std::abs(sum - 1) < 0.02);
  // Of an exponential distribution: twice the square of the mean.
  REQUIRE(std::abs(squares - 2) < 0.1);
  REQUIRE(drawn_gap(kMean, 7) == drawn_gap(kMean, 7));
}

}  // namespace
}  // namespace lsmlab::random_keys_test

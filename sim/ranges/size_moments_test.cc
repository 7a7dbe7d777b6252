#include "sim/ranges/size_moments.h"

#include <cmath>

#include "testing/catch.h"

namespace lsmlab::size_moments_test {
namespace {

// Against draws of the sampler that workloads use.
TEST_CASE("mean and variance of sizes are those of drawn sizes") {
  SizeDistribution lognormal;
  lognormal.kind = SizeKind::kLognormal;
  lognormal.size = 500;
  lognormal.sigma = Decimal::parse("0.5");
  SizeDistribution discrete;
  discrete.kind = SizeKind::kDiscrete;
  discrete.sizes = {{10, 3}, {100, 1}, {1'000, 1}};
  const std::uint64_t seed = 11;
  INFO("seed " << seed);
  for (const SizeDistribution& sizes :
       {SizeDistribution::constant(112), SizeDistribution::uniform(20, 201), lognormal, discrete}) {
    const SizeSampler sampler(sizes, {0, 1'000'000});
    SplitMix64 random(seed);
    constexpr std::uint64_t kDraws = 400'000;
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      const auto size = static_cast<double>(sampler.draw(random));
      sum += size / kDraws;
      squares += size * size / kDraws;
    }
    const double mean = static_cast<double>(mean_of(sizes).of(1'000)) / 1'000;
    INFO(sizes.text() << ": drawn " << sum << " and " << squares - sum * sum << ", computed "
                      << mean << " and " << variance_of(sizes));
    REQUIRE(std::abs(mean - sum) < 0.01 * mean);
    REQUIRE(std::abs(variance_of(sizes) - (squares - sum * sum)) <= 0.02 * squares);
  }
}

}  // namespace
}  // namespace lsmlab::size_moments_test

#include "traces/workloads/size_distribution.h"

#include <algorithm>

#include "testing/catch.h"

namespace lsmlab::size_distribution_test {
namespace {

constexpr CountRange kRange{1, 1'000'000};

std::vector<std::uint64_t> draw(const SizeDistribution& distribution) {
  const SizeSampler sampler(distribution, kRange);
  SplitMix64 generator(3);
  std::vector<std::uint64_t> sizes;
  for (int n = 0; n < 100'000; ++n) sizes.push_back(sampler.draw(generator));
  return sizes;
}

double mean_of(const std::vector<std::uint64_t>& sizes) {
  double sum = 0;
  for (const std::uint64_t size : sizes) sum += static_cast<double>(size);
  return sum / static_cast<double>(sizes.size());
}

}  // namespace

TEST_CASE("Constant and uniform sizes stay within their bounds") {
  REQUIRE(mean_of(draw(SizeDistribution::constant(112))) == 112);
  const auto uniform = draw(SizeDistribution::uniform(10, 20));
  REQUIRE(*std::min_element(uniform.begin(), uniform.end()) == 10);
  REQUIRE(*std::max_element(uniform.begin(), uniform.end()) == 20);
  REQUIRE(mean_of(uniform) == Approx(15).margin(0.1));
}

TEST_CASE("Lognormal sizes have the mean given, discrete ones their weights") {
  SizeDistribution lognormal = SizeDistribution::constant(1000);
  lognormal.kind = SizeKind::kLognormal;
  lognormal.sigma = Decimal(1, 2);
  REQUIRE(mean_of(draw(lognormal)) == Approx(1000).epsilon(0.02));
  SizeDistribution discrete;
  discrete.kind = SizeKind::kDiscrete;
  discrete.sizes = {{100, 9}, {4096, 1}};
  const auto sizes = draw(discrete);
  const auto large = std::count(sizes.begin(), sizes.end(), 4096U);
  REQUIRE(std::count(sizes.begin(), sizes.end(), 100U) + large == 100'000);
  REQUIRE(static_cast<double>(large) == Approx(10'000).margin(500));
}

TEST_CASE("Every fault of a size distribution is named") {
  std::vector<std::string> faults;
  SizeDistribution distribution = SizeDistribution::uniform(20, 10);
  distribution.size = 5;
  distribution.validate("value_bytes", {1, 15}, faults);
  REQUIRE(faults ==
          std::vector<std::string>{"value_bytes: \"size\" does not apply to this distribution",
                                   "value_bytes: 20 is out of range; expected 1..15",
                                   "value_bytes: min=20 is above max=10"});
}

}  // namespace lsmlab::size_distribution_test

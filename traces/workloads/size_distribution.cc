#include "traces/workloads/size_distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/check.h"
#include "models/base/portable_math.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kSizeWeightMax = 1'000'000'000;
constexpr std::size_t kSizesMax = 1'000'000;

// Marsaglia's polar method. IEEE 754 rounds a square root correctly on every machine.
double draw_normal(SplitMix64& generator) {
  for (;;) {
    const double x = 2 * generator.unit() - 1;
    const double y = 2 * generator.unit() - 1;
    const double square = x * x + y * y;
    if (square >= 1 || square == 0) continue;
    return x * std::sqrt(-2 * portable_log(square) / square);
  }
}

}  // namespace

SizeDistribution SizeDistribution::constant(std::uint64_t size) {
  SizeDistribution distribution;
  distribution.size = size;
  return distribution;
}

SizeDistribution SizeDistribution::uniform(std::uint64_t min, std::uint64_t max) {
  SizeDistribution distribution;
  distribution.kind = SizeKind::kUniform;
  distribution.min = min;
  distribution.max = max;
  return distribution;
}

void SizeDistribution::declare(OptionTable& table) {
  table.choice<SizeKind>("distribution", kind,
                         {{"constant", SizeKind::kConstant},
                          {"uniform", SizeKind::kUniform},
                          {"lognormal", SizeKind::kLognormal},
                          {"discrete", SizeKind::kDiscrete}},
                         "distribution of sizes");
  table.optional_count("size", size, {}, "", "constant: the size; lognormal: the mean size");
  table.optional_count("min", min, {}, "", "uniform: the smallest size");
  table.optional_count("max", max, {}, "", "uniform: the largest size");
  table.optional_decimal("sigma", sigma, "0.000001", "5",
                         "lognormal: standard deviation of the size's logarithm");
}

void SizeDistribution::validate(const std::string& name, CountRange range,
                                std::vector<std::string>& faults) const {
  const auto add = [&](const std::string& fault) {
    faults.push_back(fmt::format("{}: {}", name, fault));
  };
  const auto expect = [&](bool given, const char* member, bool is_wanted) {
    if (given && !is_wanted) add(fmt::format("\"{}\" does not apply to this distribution", member));
    if (!given && is_wanted) add(fmt::format("this distribution needs \"{}\"", member));
  };
  const auto check_size = [&](std::uint64_t value) {
    if (value >= range.min && value <= range.max) return;
    add(fmt::format("{} is out of range; expected {}..{}", value, range.min, range.max));
  };
  expect(size.has_value(), "size", kind == SizeKind::kConstant || kind == SizeKind::kLognormal);
  expect(min.has_value(), "min", kind == SizeKind::kUniform);
  expect(max.has_value(), "max", kind == SizeKind::kUniform);
  expect(sigma.has_value(), "sigma", kind == SizeKind::kLognormal);
  expect(!sizes.empty(), "sizes", kind == SizeKind::kDiscrete);
  if (size) check_size(*size);
  if (min) check_size(*min);
  if (max) check_size(*max);
  if (min && max && *min > *max) add(fmt::format("min={} is above max={}", *min, *max));
  if (sigma && sigma->numerator() == 0) add("sigma must be above 0; use constant for equal sizes");
  if (kind == SizeKind::kLognormal && size && *size == 0) add("a lognormal mean must be above 0");
  if (sizes.size() > kSizesMax) add(fmt::format("more than {} sizes", kSizesMax));
  for (const WeightedSize& weighted : sizes) {
    check_size(weighted.size);
    if (weighted.weight == 0 || weighted.weight > kSizeWeightMax) {
      add(fmt::format("weight {} is out of range; expected 1..{}", weighted.weight,
                      kSizeWeightMax));
    }
  }
}

std::string SizeDistribution::text() const {
  switch (kind) {
    case SizeKind::kConstant:
      return fmt::format("{}", size.value_or(0));
    case SizeKind::kUniform:
      return fmt::format("uniform({}..{})", min.value_or(0), max.value_or(0));
    case SizeKind::kLognormal:
      return fmt::format("lognormal(mean {}, sigma {})", size.value_or(0),
                         sigma ? sigma->text() : "");
    case SizeKind::kDiscrete:
      break;
  }
  std::string text;
  for (const WeightedSize& weighted : sizes) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", weighted.size, weighted.weight);
  }
  return fmt::format("discrete({})", text);
}

SizeSampler::SizeSampler(const SizeDistribution& distribution, CountRange range)
    : kind_(distribution.kind), range_(range) {
  switch (kind_) {
    case SizeKind::kConstant:
      first_ = distribution.size.value_or(0);
      return;
    case SizeKind::kUniform:
      CHECK(distribution.min && distribution.max && *distribution.min <= *distribution.max);
      first_ = *distribution.min;
      width_ = *distribution.max - first_ + 1;
      return;
    case SizeKind::kLognormal:
      CHECK(distribution.size && distribution.sigma);
      sigma_ = distribution.sigma->as_double();
      // exp(N(mu, sigma^2)) has the mean exp(mu + sigma^2 / 2).
      mu_ = portable_log(static_cast<double>(*distribution.size)) - sigma_ * sigma_ / 2;
      return;
    case SizeKind::kDiscrete:
      for (const WeightedSize& weighted : distribution.sizes) {
        width_ += weighted.weight;
        cumulative_.push_back({weighted.size, width_});
      }
      return;
  }
}

std::uint64_t SizeSampler::draw_varying(SplitMix64& generator) const {
  if (kind_ == SizeKind::kUniform) return first_ + generator.below(width_);
  if (kind_ == SizeKind::kLognormal) {
    const double size = portable_exp(mu_ + sigma_ * draw_normal(generator));
    const double bounded = std::clamp(std::floor(size + 0.5), static_cast<double>(range_.min),
                                      static_cast<double>(range_.max));
    return static_cast<std::uint64_t>(bounded);
  }
  const std::uint64_t drawn = generator.below(width_);
  return std::upper_bound(
             cumulative_.begin(), cumulative_.end(), drawn,
             [](std::uint64_t value, const WeightedSize& entry) { return value < entry.weight; })
      ->size;
}

}  // namespace lsmlab

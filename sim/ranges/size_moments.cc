#include "sim/ranges/size_moments.h"

#include "models/base/portable_math.h"

namespace lsmlab {

MeanBytes mean_of(const SizeDistribution& sizes) {
  switch (sizes.kind) {
    case SizeKind::kUniform:
      return {(*sizes.min + *sizes.max) << (MeanBytes::kBits - 1)};
    case SizeKind::kDiscrete: {
      Uint128 sum = 0;
      Uint128 weights = 0;
      for (const WeightedSize& one : sizes.sizes) {
        sum += Uint128{one.size} * one.weight;
        weights += one.weight;
      }
      return {static_cast<std::uint64_t>((sum << MeanBytes::kBits) / weights)};
    }
    case SizeKind::kConstant:
    case SizeKind::kLognormal:  // `size` is its mean
      break;
  }
  return MeanBytes::whole(*sizes.size);
}

double variance_of(const SizeDistribution& sizes) {
  const double mean =
      static_cast<double>(mean_of(sizes).scaled) / static_cast<double>(MeanBytes::whole(1).scaled);
  switch (sizes.kind) {
    case SizeKind::kUniform: {
      const auto width = static_cast<double>(*sizes.max - *sizes.min + 1);
      return (width * width - 1) / 12;
    }
    case SizeKind::kDiscrete: {
      double squares = 0;
      double weights = 0;
      for (const WeightedSize& one : sizes.sizes) {
        const double off = static_cast<double>(one.size) - mean;
        squares += off * off * static_cast<double>(one.weight);
        weights += static_cast<double>(one.weight);
      }
      return squares / weights;
    }
    case SizeKind::kLognormal: {
      const double sigma = static_cast<double>(sizes.sigma->numerator()) /
                           static_cast<double>(sizes.sigma->denominator());
      return mean * mean * portable_expm1(sigma * sigma);
    }
    case SizeKind::kConstant:
      break;
  }
  return 0;
}

}  // namespace lsmlab

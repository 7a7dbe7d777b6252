// Distributions of sizes: of keys and values in bytes, of scans in entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/random.h"

namespace lsmlab {

enum class SizeKind { kConstant, kUniform, kLognormal, kDiscrete };

struct WeightedSize {
  std::uint64_t size = 0;
  std::uint64_t weight = 0;
};

struct SizeDistribution {
  SizeKind kind = SizeKind::kConstant;
  std::optional<std::uint64_t> size;  // constant: the size; lognormal: the mean
  std::optional<std::uint64_t> min;   // uniform: both ends are included
  std::optional<std::uint64_t> max;
  std::optional<Decimal> sigma;     // lognormal: standard deviation of the size's logarithm
  std::vector<WeightedSize> sizes;  // discrete

  [[nodiscard]] static SizeDistribution constant(std::uint64_t size);
  [[nodiscard]] static SizeDistribution uniform(std::uint64_t min, std::uint64_t max);
  /// Declares all members except `sizes`, which is a list.
  void declare(OptionTable& table);
  /// Appends the faults, each with the name. Every size must lie in the range.
  void validate(const std::string& name, CountRange range, std::vector<std::string>& faults) const;
  [[nodiscard]] std::string text() const;  // "112", "uniform(1..100)"
};

/// Draws from a distribution. REQUIRES: it is valid for the range of sizes.
class SizeSampler {
 public:
  SizeSampler(const SizeDistribution& distribution, CountRange range);
  [[nodiscard]] std::uint64_t draw(SplitMix64& generator) const {
    return kind_ == SizeKind::kConstant ? first_ : draw_varying(generator);
  }

 private:
  [[nodiscard]] std::uint64_t draw_varying(SplitMix64& generator) const;

  SizeKind kind_;
  CountRange range_;
  std::uint64_t first_ = 0;  // constant: the size; uniform: the smallest size
  std::uint64_t width_ = 0;  // uniform: number of sizes; discrete: sum of weights
  double mu_ = 0;            // lognormal
  double sigma_ = 0;
  // each with the sum of weights up to and including its own
  std::vector<WeightedSize> cumulative_;
};

}  // namespace lsmlab

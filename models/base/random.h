// Random numbers in integer arithmetic, the same on every machine and with every
// compiler: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#pragma once

#include <cstdint>

#include "models/base/units.h"

namespace lsmlab {

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

/// A bijection of 64 bits whose output looks random (SplitMix64's finaliser).
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// The seed of one of several independent streams that are derived from one seed.
[[nodiscard]] constexpr std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t stream) {
  return mix_bits(mix_bits(seed + kGoldenGamma) + (stream + 1) * kGoldenGamma);
}

class SplitMix64 {
 public:
  constexpr explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t next() { return mix_bits(state_ += kGoldenGamma); }

  /// Uniform in [0, bound), exactly (Lemire's method). REQUIRES: bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) {
    Uint128 product = Uint128{next()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t rejected_below = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < rejected_below) {
        product = Uint128{next()} * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform in (0, 1), without both ends. The value has 52 random bits plus one
  /// half, so the sum is exact.
  constexpr double unit() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

 private:
  std::uint64_t state_;
};

/// A keyed bijection of the integers below 2^bits. It has three rounds of an odd
/// multiplication and a xor-shift, both of which are invertible.
class BitBijection {
 public:
  BitBijection(unsigned bits, std::uint64_t seed)
      : mask_((std::uint64_t{1} << bits) - 1), shift_((bits + 1) / 2) {
    SplitMix64 generator(seed);
    offset_ = generator.next();
    for (std::uint64_t& multiplier : multipliers_) multiplier = generator.next() | 1;
  }
  /// REQUIRES: x < 2^bits.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t x) const {
    x = (x + offset_) & mask_;
    for (const std::uint64_t multiplier : multipliers_) {
      x = (x * multiplier) & mask_;
      x ^= x >> shift_;
    }
    return x;
  }

 private:
  std::uint64_t mask_;
  unsigned shift_;
  std::uint64_t offset_ = 0;
  std::uint64_t multipliers_[3] = {};
};

}  // namespace lsmlab

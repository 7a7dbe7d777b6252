// A fixed hash of two numbers, the same everywhere: what stands for chance where a run must be
// repeatable.
#pragma once

#include <cstdint>

namespace lsmlab {

/// The finaliser of MurmurHash3 with the constants of David Stafford's variant 13 (as SplitMix64
/// uses it): a bijection of 64 bits that passes tests of avalanche.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Uniform over 64 bits for keys of one file, and independent from file to file.
[[nodiscard]] constexpr std::uint64_t key_hash(std::uint64_t file, std::uint64_t key) {
  constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;  // SplitMix64's step
  return mixed_bits(mixed_bits(file * kGoldenGamma + kGoldenGamma) ^
                    mixed_bits(key + kGoldenGamma));
}

}  // namespace lsmlab

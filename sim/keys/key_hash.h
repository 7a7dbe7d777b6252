// A fixed hash of two numbers, the same everywhere: what stands for chance where a run must be
// repeatable.
#pragma once

#include <cstdint>

#include "models/base/random.h"

namespace lsmlab {

/// Uniform over 64 bits for keys of one file, and independent from file to file.
[[nodiscard]] constexpr std::uint64_t key_hash(std::uint64_t file, std::uint64_t key) {
  return mix_bits(mix_bits(file * kGoldenGamma + kGoldenGamma) ^ mix_bits(key + kGoldenGamma));
}

}  // namespace lsmlab

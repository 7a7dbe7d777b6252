// A fixed hash of two numbers, equal on every machine. It replaces random numbers where a run must
// be repeatable.
#pragma once

#include <cstdint>

#include "models/base/random.h"

namespace lsmlab {

/// Uniform over 64 bits for the keys of one file, and independent between files.
[[nodiscard]] constexpr std::uint64_t key_hash(std::uint64_t file, std::uint64_t key) {
  return mix_bits(mix_bits(file * kGoldenGamma + kGoldenGamma) ^ mix_bits(key + kGoldenGamma));
}

}  // namespace lsmlab

// Whether a store's keys came in order, by the key ranges of its flushes in a MANIFEST.
#pragma once

#include <cstdint>

#include "traces/stores/manifest.h"

namespace lsmlab {

struct KeyOrder {
  std::uint64_t flushes = 0;
  std::uint64_t rising = 0;  // whose keys all lie above those of every flush before

  /// All but a few: what such flushes leave is moved, not merged.
  [[nodiscard]] bool is_sequential() const { return flushes >= 3 && rising * 20 >= flushes * 19; }
  [[nodiscard]] bool is_partly_sequential() const {
    return flushes >= 10 && rising * 10 >= flushes;
  }
};

/// Keys are compared as bytes; a first flush is no rising one, unless the second one is.
[[nodiscard]] KeyOrder key_order_of(const stores::Manifest& manifest, std::uint32_t family);

}  // namespace lsmlab

// Whether a store's keys came in order, by the key ranges of its flushes in a MANIFEST.
#pragma once

#include <cstdint>

#include "traces/stores/manifest.h"

namespace lsmlab {

struct KeyOrder {
  std::uint64_t flushes = 0;
  std::uint64_t rising = 0;  // whose keys all lie above those of every flush before
  std::uint64_t loaded = 0;  // the rising ones before the first that is not
  // Writes of the loaded ones and of half the flush after them, in which the load may have ended.
  // 0: the files have no sequence numbers.
  std::uint64_t loading_writes = 0;

  /// All but a few: what such flushes leave is moved, not merged.
  [[nodiscard]] bool is_sequential() const { return flushes >= 3 && rising * 20 >= flushes * 19; }
  [[nodiscard]] bool is_partly_sequential() const {
    return flushes >= 10 && rising * 10 >= flushes;
  }
  /// A load in order, and then hardly a flush that rises.
  [[nodiscard]] bool is_load_then_random() const {
    const std::uint64_t later = flushes - loaded;
    return loaded >= 3 && later >= 3 && (rising - loaded) * 20 <= later && loading_writes > 0;
  }
};

/// Keys are compared as bytes; a first flush is no rising one, unless the second one is.
[[nodiscard]] KeyOrder key_order_of(const stores::Manifest& manifest, std::uint32_t family);

}  // namespace lsmlab

// Options that all policies with levels share: the sizes of levels and files.
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/options.h"
#include "models/base/units.h"
#include "models/sizes/store_options.h"

namespace lsmlab {

struct LevelOptions {
  std::uint64_t size_ratio = 10;
  Bytes file_size{8 << 20};
  std::optional<Bytes> level_base;
  std::uint64_t l0_trigger = 4;

  void declare(OptionTable& table);
  /// Sets level_base to its default if it was not given.
  void resolve(const StoreOptions& store);
  /// The capacity in bytes of level `level` >= 1: level_base * size_ratio^(level-1), at most 2^62.
  /// REQUIRES: resolved.
  [[nodiscard]] Bytes capacity(std::uint32_t level) const;
};

}  // namespace lsmlab

// What a store is set up with beside its policy, the same for every policy: the memtable, the
// SSTable format, the filters. At flush resolution none of it applies.
#pragma once

#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/units.h"
#include "models/sizes/sstable_size.h"

namespace lsmlab {

/// How filter bits are given to levels.
enum class FilterSplit {
  kUniform,  // the same bits for every key
  kMonkey,   // fewer for deeper levels, least false positives in all (models/sizes/filter_split.h)
};

struct StoreOptions {
  SstableLayout layout = SstableLayout::kLsmlab;
  // A memtable is full when what the layout's store charges for the entries written to it,
  // overwritten ones included, reaches this (memtable_size.h).
  Bytes buffer{8 << 20};
  Bytes block_size{4096};
  Decimal bits_per_key{10, 1};
  FilterSplit filter_split = FilterSplit::kUniform;
  Bytes block_cache{8 << 20};

  void declare(OptionTable& table);
  /// Filters as they are without a split.
  [[nodiscard]] SstableFormat format() const;
};

}  // namespace lsmlab

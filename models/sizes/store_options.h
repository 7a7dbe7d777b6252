// The setup of a store besides its policy: the memtable, the SSTable format and the filters. It is
// the same for every policy. At resolution flush none of it applies.
#pragma once

#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/units.h"
#include "models/sizes/sstable_size.h"

namespace lsmlab {

/// How filter bits are divided among levels.
enum class FilterSplit {
  kUniform,  // the same bits for every key
  // fewer bits for deeper levels, fewest false positives in total (models/sizes/filter_split.h)
  kMonkey,
};

struct StoreOptions {
  SstableLayout layout = SstableLayout::kLsmlab;
  // A memtable is full when its charged bytes reach this. What is charged depends on the layout,
  // and overwritten entries count (memtable_size.h).
  Bytes buffer{8 << 20};
  Bytes block_size{4096};
  Decimal bits_per_key{10, 1};
  FilterSplit filter_split = FilterSplit::kUniform;
  Bytes block_cache{8 << 20};

  void declare(OptionTable& table);
  /// The format without a split of filter bits.
  [[nodiscard]] SstableFormat format() const;
};

}  // namespace lsmlab

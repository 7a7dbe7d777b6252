#include "models/sizes/store_options.h"

namespace lsmlab {

void StoreOptions::declare(OptionTable& table) {
  table.choice<SstableLayout>("table_format", layout,
                              {{"lsmlab", SstableLayout::kLsmlab},
                               {"rocksdb", SstableLayout::kRocksdb},
                               {"leveldb", SstableLayout::kLeveldb}},
                              "whose SSTables and memtables are sized; the engine has lsmlab's");
  table.bytes("buffer", buffer, {1, std::uint64_t{1} << 40},
              "memtable: entries of this many bytes are flushed at a time; more: fewer flushes and "
              "merges, more memory");
  table.bytes("block_size", block_size, {64, 32 << 10},
              "of a data block; more: a smaller index, larger reads");
  table.decimal("bits_per_key", bits_per_key, "0", "100",
                "of Bloom filters; 0: none; more: fewer needless reads, larger SSTables");
  table.choice<FilterSplit>(
      "filter_split", filter_split,
      {{"uniform", FilterSplit::kUniform}, {"monkey", FilterSplit::kMonkey}},
      "uniform: the same bits for every key; monkey: more for the small levels, so that lookups "
      "read the fewest blocks in all");
  table.bytes("block_cache", block_cache, {0, std::uint64_t{1} << 40},
              "least recently used data blocks kept in memory; more: fewer reads");
}

SstableFormat StoreOptions::format() const {
  SstableFormat format;
  format.layout = layout;
  format.block_bytes = static_cast<std::uint32_t>(block_size.value());
  format.filter_millibits_per_key = static_cast<std::uint32_t>(Uint128{bits_per_key.numerator()} *
                                                               1000 / bits_per_key.denominator());
  return format;
}

}  // namespace lsmlab

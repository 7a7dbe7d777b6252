#include "sim/ranges/memtable_fill.h"

#include <optional>

#include "models/base/random.h"
#include "models/sizes/memtable_size.h"
#include "models/sizes/sstable_size.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {
namespace {

// A large memtable has a precise mean alone; small ones differ, so that several are filled.
constexpr std::uint64_t kWritesMin = 1 << 16;

// What a write adds to a memtable that counts as full when the sum reaches the buffer. `values`:
// nothing for deletes.
MeanBytes mean_charge(const StoreOptions& store, const SizeSampler& keys,
                      const std::optional<SizeSampler>& values) {
  SplitMix64 random(1);
  MemtableSize size(store);
  std::uint64_t writes = 0;
  std::uint64_t memtables = 0;
  while (writes < kWritesMin || memtables == 0) {
    size.clear();
    // A memtable takes a write even if it has no room for one.
    do {
      const std::uint64_t key_bytes = keys.draw(random);
      const std::uint64_t value_bytes = values ? values->draw(random) : 0;
      size.add(++writes, key_bytes, value_bytes, buffered_entry_bytes(key_bytes, value_bytes));
    } while (!size.is_full());
    ++memtables;
  }
  // Rounded up, so that the mean number of writes reaches the buffer.
  const Uint128 scaled = Uint128{store.buffer.value()} * memtables << MeanBytes::kBits;
  return {static_cast<std::uint64_t>((scaled + writes - 1) / writes)};
}

}  // namespace

RangeSizes::MemtableCharges memtable_charges(const StoreOptions& store,
                                             const SizeDistribution& key_bytes,
                                             const SizeDistribution& value_bytes) {
  const SizeSampler keys(key_bytes, kKeyBytesRange);
  return {mean_charge(store, keys, SizeSampler(value_bytes, kValueBytesRange)),
          mean_charge(store, keys, std::nullopt)};
}

}  // namespace lsmlab

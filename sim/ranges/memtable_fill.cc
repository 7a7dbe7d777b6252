#include "sim/ranges/memtable_fill.h"

#include <algorithm>
#include <limits>
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

std::uint64_t bytes_in_place(const RangeSizes& sizes, const KeyPopulation& population) {
  const ClassCounts all = sum_of(population.memtable());
  const std::uint64_t entries = rounded(all.entries);
  const std::uint64_t tombstones = std::min(entries, rounded(all.tombstones));
  return sizes.put_bytes(entries - tombstones) + sizes.delete_bytes(tombstones);
}

void InPlaceFill::begin(std::uint64_t writes, std::uint64_t bytes) {
  writes_ = writes;
  bytes_ = bytes;
  grown_bytes_ = write_bytes_max_;
  grown_writes_ = 1;
}

// Bytes are those of whole entries: of what they count and of what they grow, one may be missing.
void InPlaceFill::look(std::uint64_t writes, std::uint64_t bytes) {
  if (writes > writes_) {
    grown_bytes_ = bytes + write_bytes_max_ - std::min(bytes, bytes_);
    grown_writes_ = writes - writes_;
  }
  writes_ = writes;
  bytes_ = bytes;
}

std::uint64_t InPlaceFill::bytes_max(std::uint64_t writes) const {
  const Uint128 grown = Uint128{writes - writes_} * grown_bytes_;
  return bytes_ + write_bytes_max_ +
         static_cast<std::uint64_t>((grown + grown_writes_ - 1) / grown_writes_);
}

std::uint64_t InPlaceFill::writes_to(std::uint64_t bytes) const {
  const Uint128 grown = bytes - std::min(bytes, bytes_ + write_bytes_max_);
  return static_cast<std::uint64_t>(std::min<Uint128>(
      writes_ + grown * grown_writes_ / grown_bytes_, std::numeric_limits<std::uint64_t>::max()));
}

}  // namespace lsmlab

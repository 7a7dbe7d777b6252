#include "models/sizes/memtable_size.h"

#include <algorithm>
#include <bit>

#include "models/base/rocksdb_arena.h"
#include "models/base/varint.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kPointerBytes = 8;
constexpr std::uint64_t kTowerMax = 12;

constexpr std::uint64_t kRocksdbAlignment = 16;
constexpr std::uint64_t kRocksdbInlineBytes = 2048;

constexpr std::uint64_t kLeveldbBlockBytes = 4096;

// The smallest of jemalloc's size classes that holds `bytes`: four in each doubling (its manual,
// section "Implementation notes").
std::uint64_t jemalloc_class(std::uint64_t bytes) {
  constexpr std::uint64_t kQuantum = 16;
  const std::uint64_t step = std::max(kQuantum, std::bit_ceil(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// A node of a skip list also belongs to the next higher list with a chance of one in four.
std::uint64_t tower_of(std::uint64_t sequence) {
  std::uint64_t mixed = sequence + 0x9e3779b97f4a7c15;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  mixed ^= mixed >> 31;
  return std::min(kTowerMax, 1 + static_cast<std::uint64_t>(std::countr_zero(mixed)) / 2);
}

}  // namespace

MemtableSize::MemtableSize(const StoreOptions& store)
    : layout_(store.layout),
      allocator_(store.allocator),
      capacity_(store.buffer),
      write_batch_(store.write_batch) {
  if (layout_ == SstableLayout::kRocksdb) {
    block_bytes_ = store.arena_block.value_or(default_arena_block(store.buffer)).value();
    if (store.shared_buffer) shared_bytes_max_ = store.shared_buffer->value() * 7 / 8;
  }
  if (layout_ == SstableLayout::kLeveldb) block_bytes_ = kLeveldbBlockBytes;
  clear();
}

void MemtableSize::clear() {
  charged_bytes_ = replaced_bytes_ = unused_bytes_ = writes_ = 0;
  if (layout_ == SstableLayout::kRocksdb) charged_bytes_ = unused_bytes_ = kRocksdbInlineBytes;
}

void MemtableSize::add_to_arena(std::uint64_t sequence, std::uint64_t key_bytes,
                                std::uint64_t value_bytes) {
  const std::uint64_t internal_bytes = key_bytes + kTagBytes;
  const std::uint64_t entry_bytes =
      varint_bytes(internal_bytes) + internal_bytes + varint_bytes(value_bytes) + value_bytes;
  const std::uint64_t tower_bytes = tower_of(sequence) * kPointerBytes;
  if (layout_ == SstableLayout::kRocksdb) {
    allocate(rounded_up(tower_bytes + entry_bytes, kRocksdbAlignment));
    return;
  }
  // An allocation between two aligned nodes leaves a gap before the second one.
  allocate(rounded_up(entry_bytes, kPointerBytes));
  allocate(kPointerBytes + tower_bytes);
}

void MemtableSize::allocate(std::uint64_t bytes) {
  const std::uint64_t overhead = layout_ == SstableLayout::kLeveldb ? kPointerBytes : 0;
  if (bytes <= unused_bytes_) {
    unused_bytes_ -= bytes;
  } else if (bytes > block_bytes_ / 4) {
    charged_bytes_ += usable_bytes(bytes) + overhead;  // an arena block of its own
  } else {
    charged_bytes_ += usable_bytes(block_bytes_) + overhead;
    unused_bytes_ = block_bytes_ - bytes;
  }
}

std::uint64_t MemtableSize::usable_bytes(std::uint64_t bytes) const {
  return allocator_ == Allocator::kJemalloc ? jemalloc_class(bytes) : bytes;
}

bool MemtableSize::is_arena_full() const {
  if (layout_ == SstableLayout::kLeveldb) return charged_bytes_ > capacity_.value();
  const std::uint64_t most = capacity_.value() + block_bytes_ * 6 / 10;
  if (charged_bytes_ + block_bytes_ < most) return false;
  if (charged_bytes_ > most) return true;
  return unused_bytes_ < block_bytes_ / 4;
}

}  // namespace lsmlab

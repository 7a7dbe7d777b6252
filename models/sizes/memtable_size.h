// When a memtable is full: what the store whose layout is simulated charges for a write,
// overwritten or not.
//   lsmlab: what the entry would take in a data block, its offset included; full at the capacity.
//   RocksDB 7.8.3: memory of its arena (memory/arena.cc), an eighth of the capacity and at most
//     1 MiB a block, one allocation for an entry with its tower of a skip list; full once another
//     block would be too much and the last one has less than a quarter left
//     (MemTable::ShouldFlushNow).
//   LevelDB 1.23: the same with blocks of 4 KiB, entry and tower apart (util/arena.cc); full above
//     the capacity.
// The heights of towers are drawn from the write's sequence number.
#pragma once

#include <cstdint>

#include "models/base/units.h"
#include "models/sizes/sstable_format.h"

namespace lsmlab {

class MemtableSize {
 public:
  MemtableSize(SstableLayout layout, Bytes capacity);

  /// `buffered_bytes`: buffered_entry_bytes() of the two sizes.
  void add(std::uint64_t sequence, std::uint64_t key_bytes, std::uint64_t value_bytes,
           std::uint64_t buffered_bytes) {
    if (layout_ == SstableLayout::kLsmlab) {
      charged_bytes_ += buffered_bytes;
    } else {
      add_to_arena(sequence, key_bytes, value_bytes);
    }
  }
  [[nodiscard]] bool is_full() const {
    return layout_ == SstableLayout::kLsmlab ? charged_bytes_ >= capacity_.value()
                                             : is_arena_full();
  }
  /// Whether it would be full after such a write.
  [[nodiscard]] bool is_full_after(std::uint64_t sequence, std::uint64_t key_bytes,
                                   std::uint64_t value_bytes, std::uint64_t buffered_bytes) const {
    MemtableSize after(*this);
    after.add(sequence, key_bytes, value_bytes, buffered_bytes);
    return after.is_full();
  }
  [[nodiscard]] std::uint64_t charged_bytes() const { return charged_bytes_; }
  void clear();

 private:
  void add_to_arena(std::uint64_t sequence, std::uint64_t key_bytes, std::uint64_t value_bytes);
  void allocate(std::uint64_t bytes);
  [[nodiscard]] bool is_arena_full() const;

  SstableLayout layout_;
  Bytes capacity_;
  std::uint64_t block_bytes_ = 0;    // of the arena
  std::uint64_t charged_bytes_ = 0;  // of an arena: its blocks
  std::uint64_t unused_bytes_ = 0;   // of its last block
};

}  // namespace lsmlab

// When a memtable is full. The rule is that of the store whose layout is simulated: it charges
// bytes for each write, even if the write is overwritten later.
//   - lsmlab: an entry's bytes in a data block, including its offset. The memtable is full at the
//     capacity. With memtable=in-place the bytes of an entry come back when a write replaces it.
//   - RocksDB 7.8.3: memory of the memtable's arena (memory/arena.cc). An arena block has an eighth
//     of the capacity, at most 1 MiB, or what arena_block says (SanitizeOptions in
//     db/column_family.cc), and counts with the bytes that the allocator rounds it up to. An entry
//     and its skip-list tower are one allocation. The memtable is full when another block would
//     exceed the limit and less than a quarter of the last block is free
//     (MemTable::ShouldFlushNow). With a shared buffer it is full, too, when its memory exceeds
//     seven eighths of that.
//   - LevelDB 1.23: memory of an arena with blocks of 4 KiB; entry and tower are two allocations
//     (util/arena.cc). The memtable is full above the capacity.
// The sequence number of a write determines the height of its tower. A write batch goes into one
// memtable, so that a memtable is full only at the end of a batch.
#pragma once

#include <cstdint>
#include <limits>

#include "models/base/units.h"
#include "models/sizes/store_options.h"

namespace lsmlab {

class MemtableSize {
 public:
  explicit MemtableSize(const StoreOptions& store);

  /// Adds a write. `buffered_bytes`: buffered_entry_bytes() of the two sizes.
  void add(std::uint64_t sequence, std::uint64_t key_bytes, std::uint64_t value_bytes,
           std::uint64_t buffered_bytes) {
    ++writes_;
    if (layout_ == SstableLayout::kLsmlab) {
      charged_bytes_ += buffered_bytes;
    } else {
      add_to_arena(sequence, key_bytes, value_bytes);
    }
  }
  /// Adds a write that replaces an entry whose write had added `replaced_bytes`. REQUIRES: the
  /// layout is lsmlab's own.
  void replace(std::uint64_t replaced_bytes, std::uint64_t buffered_bytes) {
    ++writes_;
    replaced_bytes_ += replaced_bytes;
    charged_bytes_ = charged_bytes_ - replaced_bytes + buffered_bytes;
  }
  /// `others_wait`: whether other memtables wait for their flush, or are being flushed.
  [[nodiscard]] bool is_full(bool others_wait = false) const {
    if (write_batch_ > 1 && writes_ % write_batch_ != 0) return false;
    if (layout_ == SstableLayout::kLsmlab) return charged_bytes_ >= capacity_.value();
    return is_arena_full() || (charged_bytes_ > shared_bytes_max_ && !others_wait);
  }
  /// Returns whether the memtable would be full after such a write.
  [[nodiscard]] bool is_full_after(std::uint64_t sequence, std::uint64_t key_bytes,
                                   std::uint64_t value_bytes, std::uint64_t buffered_bytes,
                                   bool others_wait = false) const {
    MemtableSize after(*this);
    after.add(sequence, key_bytes, value_bytes, buffered_bytes);
    return after.is_full(others_wait);
  }
  [[nodiscard]] std::uint64_t charged_bytes() const { return charged_bytes_; }
  /// What all writes added, with what came back since.
  [[nodiscard]] std::uint64_t added_bytes() const { return charged_bytes_ + replaced_bytes_; }
  void clear();

 private:
  void add_to_arena(std::uint64_t sequence, std::uint64_t key_bytes, std::uint64_t value_bytes);
  void allocate(std::uint64_t bytes);
  [[nodiscard]] bool is_arena_full() const;
  /// The bytes that count for an allocation of `bytes`.
  [[nodiscard]] std::uint64_t usable_bytes(std::uint64_t bytes) const;

  SstableLayout layout_;
  Allocator allocator_;
  Bytes capacity_;
  std::uint64_t shared_bytes_max_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t write_batch_ = 1;
  std::uint64_t writes_ = 0;
  std::uint64_t block_bytes_ = 0;    // size of an arena block
  std::uint64_t charged_bytes_ = 0;  // with an arena: the bytes of its blocks
  std::uint64_t replaced_bytes_ = 0;
  std::uint64_t unused_bytes_ = 0;  // free bytes of the arena's last block
};

}  // namespace lsmlab

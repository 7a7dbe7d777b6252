// Where the data blocks of a simulated SSTable end. It is computed from the entries when a read
// first needs it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/sizes/sstable_size.h"
#include "models/tree/kept_ranges.h"
#include "models/tree/tree.h"
#include "sim/keys/entry.h"
#include "sim/keys/entry_list.h"

namespace lsmlab {

/// The key ranges that are kept of a file whose entries these are. Cost: O(entries). REQUIRES: the
/// layout is that of lsmlab.
[[nodiscard]] std::shared_ptr<const KeptRanges> kept_ranges_of(const EntryList& entries,
                                                               const SizeClasses& classes,
                                                               const SstableFormat& format,
                                                               Bytes range_bytes);

class BlockMap {
 public:
  /// Cost: O(entries).
  BlockMap(const EntryList& entries, const SizeClasses& classes, const SstableFormat& format);

  [[nodiscard]] std::size_t count() const { return blocks_.size(); }
  /// The index of the only block that can hold the key: the first whose last key is at or above it.
  /// count() if there is none.
  [[nodiscard]] std::size_t block_of(std::uint64_t key) const;
  /// The index of the block's last entry in the file.
  [[nodiscard]] std::size_t last_entry_of(std::size_t block) const {
    return blocks_[block].last_entry;
  }
  /// Stored bytes of one block, including its trailer.
  [[nodiscard]] std::uint64_t bytes_of(std::size_t block) const;
  /// Stored bytes of the blocks that may hold keys of the range: the cost of reading a slice.
  [[nodiscard]] Bytes bytes_in(const KeyRange& keys) const;

 private:
  struct Block {
    std::uint64_t last_key;
    std::size_t last_entry;
    std::uint64_t end_bytes;  // stored bytes from the first block up to this block's end
  };
  std::vector<Block> blocks_;
};

}  // namespace lsmlab

// The layout of SSTables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/sizes/compression.h"
#include "models/sizes/key_format.h"

namespace lsmlab {

/// Bytes of the sequence number and kind after every key. They are equal in LevelDB, RocksDB and
/// lsmlab.
inline constexpr std::uint64_t kTagBytes = 8;

/// The store whose SSTable layout is used.
enum class SstableLayout : std::uint8_t {
  kLsmlab,   // docs/sstable.md
  kRocksdb,  // block-based tables of 7.8.3, format version 5
  kLeveldb,  // version 1.23
};

/// The largest data block: offsets in lsmlab's blocks have 16 bits; those of RocksDB and LevelDB do
/// not limit it.
[[nodiscard]] constexpr std::uint32_t block_bytes_max(SstableLayout layout) {
  return layout == SstableLayout::kLsmlab ? 32 << 10 : 1 << 20;
}

struct SstableFormat {
  /// The size of entries and offsets at which a data block ends. More: a smaller index, larger
  /// reads.
  std::uint32_t block_bytes = 4096;
  /// Thousandths of a Bloom filter bit per entry; 0: no filter. More: fewer useless reads.
  std::uint32_t filter_millibits_per_key = 10'000;
  SstableLayout layout = SstableLayout::kLsmlab;
  /// The index has the first key of each data block, too, so that keys between two blocks are known
  /// to be absent. Only in the layout of lsmlab.
  bool has_first_keys = false;
  /// Of data blocks. The engine compresses them; the share is what the simulator expects.
  BlockCompression compression = {};
  /// The text of keys, of which RocksDB and LevelDB store what neighbours do not share.
  KeyFormat keys = {};

  [[nodiscard]] double bits_per_key() const { return filter_millibits_per_key / 1000.0; }
  /// Returns every fault. block_bytes: 64 to block_bytes_max(layout); filter: at most 100 bits per
  /// key.
  [[nodiscard]] std::vector<std::string> validate() const;
};

}  // namespace lsmlab

// How SSTables are laid out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lsmlab {

/// Sequence number and kind of an entry, behind every key: LevelDB's, RocksDB's and ours alike.
inline constexpr std::uint64_t kTagBytes = 8;

/// Whose SSTables they are.
enum class SstableLayout : std::uint8_t {
  kLsmlab,   // docs/sstable.md
  kRocksdb,  // block-based tables of 7.8.3, format version 5
  kLeveldb,  // of 1.23
};

struct SstableFormat {
  /// Entries and offsets at which a data block is closed. More: a smaller index, larger reads.
  std::uint32_t block_bytes = 4096;
  /// Thousandths of a Bloom filter bit for each entry; 0: no filter. More: fewer needless reads.
  std::uint32_t filter_millibits_per_key = 10'000;
  SstableLayout layout = SstableLayout::kLsmlab;

  /// Every fault. block_bytes: 64 to 32768; filter: at most 100 bits a key.
  [[nodiscard]] std::vector<std::string> validate() const;
};

}  // namespace lsmlab

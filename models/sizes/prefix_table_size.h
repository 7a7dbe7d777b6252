// The size in bytes of an SSTable of LevelDB or RocksDB, to simulate what those stores write. Both
// store only the part of a key that differs from the key before, and the whole key at every 16th
// entry. The layouts are those of LevelDB 1.23 (table/table_builder.cc, block_builder.cc,
// filter_block.cc) and RocksDB 7.8.3 (table/block_based/block_based_table_builder.cc, format
// version 5). What compression leaves of a data block and of the index is an expected share. Cost:
// O(1) per entry.
//
// Keys have the form that a replay gives them (models/sizes/key_format.h).
#pragma once

#include <cstdint>

#include "models/base/units.h"
#include "models/sizes/sstable_format.h"

namespace lsmlab {

/// Entries that are known by their means.
struct MeanEntries {
  std::uint64_t count = 0;
  double key_bytes = 0;
  double value_bytes = 0;  // tombstones count as 0
  double id_gap = 1;       // between the ids of neighbouring keys; at least 1
  // All gaps are alike; otherwise ids lie at random, so that gaps are exponentially distributed.
  bool has_equal_gaps = false;
  double bare_share = 0;     // of the entries: those without a value
  double version_share = 0;  // of the entries: those that have the key of the entry before
};

class PrefixTableSize {
 public:
  /// REQUIRES: format.layout is not kLsmlab.
  explicit PrefixTableSize(const SstableFormat& format) : format_(format) {}

  /// Adds an entry. REQUIRES: its key is above all keys added before, or that of the last entry,
  /// which is a newer version; key_bytes >= format.keys.id_bytes().
  void add(std::uint64_t key, std::uint64_t key_bytes, std::uint64_t value_bytes);

  /// Adds entries that are known by their means, in O(1): each size becomes the one that may be
  /// expected. REQUIRES: the table is empty; count > 0; key_bytes as in add(); nothing is added
  /// later.
  void add_expected(const MeanEntries& entries);

  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  /// The bytes of all entries of the file as stored in blocks, including restarts.
  [[nodiscard]] std::uint64_t entry_bytes() const { return closed_entry_bytes_ + block_bytes_; }
  /// The stored bytes of closed data blocks. The stores take this as the size of a file that they
  /// write.
  [[nodiscard]] std::uint64_t stored_data_bytes() const { return closed_data_bytes_; }
  /// The stored bytes of all data blocks, if the file ended here.
  [[nodiscard]] std::uint64_t all_data_bytes() const;
  [[nodiscard]] std::uint64_t closed_blocks() const { return closed_blocks_; }
  [[nodiscard]] std::uint64_t block_entries() const { return block_entries_; }
  /// The size of the whole file, if it ended here. REQUIRES: at least one entry.
  [[nodiscard]] std::uint64_t file_bytes() const { return file_parts().bytes(); }

  /// The parts of a file, in stored bytes, including trailers.
  struct FileParts {
    std::uint64_t data = 0;
    std::uint64_t index = 0;
    std::uint64_t filter = 0;
    std::uint64_t tail = 0;  // metaindex, properties, footer
    [[nodiscard]] std::uint64_t bytes() const { return data + index + filter + tail; }
  };
  /// REQUIRES: at least one entry.
  [[nodiscard]] FileParts file_parts() const;

 private:
  [[nodiscard]] bool is_rocksdb() const { return format_.layout == SstableLayout::kRocksdb; }
  [[nodiscard]] std::uint64_t block_estimate() const;
  [[nodiscard]] std::uint64_t stored_block_bytes() const;
  [[nodiscard]] bool closes_before(std::uint64_t key_bytes, std::uint64_t value_bytes) const;
  [[nodiscard]] std::uint64_t index_entry_bytes(std::uint64_t separator_bytes) const;
  [[nodiscard]] std::uint64_t filter_bytes() const;
  [[nodiscard]] std::uint64_t tail_bytes() const;
  void close_block();
  void close_filter();
  void add_expected_filters(std::uint64_t per_block);
  void add_to_index(std::uint64_t next_key);

  SstableFormat format_;
  std::uint64_t entries_ = 0;
  std::uint64_t last_key_ = 0;
  std::uint64_t last_key_bytes_ = 0;
  bool last_is_bare_ = false;
  // State of the open data block.
  std::uint64_t block_entries_ = 0;
  std::uint64_t block_bytes_ = 0;       // entries only
  std::uint64_t block_bare_bytes_ = 0;  // of them, those without a value
  std::uint64_t block_restarts_ = 0;
  // Sums over closed data blocks.
  std::uint64_t closed_blocks_ = 0;
  std::uint64_t closed_entry_bytes_ = 0;
  std::uint64_t closed_data_bytes_ = 0;  // including restarts and trailers
  std::uint64_t last_block_bytes_ = 0;   // as stored, without the block's trailer
  bool has_pending_index_entry_ = false;
  std::uint64_t index_bytes_ = 0;  // entries and their restarts
  // LevelDB has one filter for all blocks that begin in the same 2 KiB.
  std::uint64_t filter_entries_ = 0;
  std::uint64_t filters_ = 0;
  std::uint64_t filters_bytes_ = 0;
};

}  // namespace lsmlab

// How many bytes an SSTable of LevelDB or of RocksDB takes, so that what those stores write can be
// simulated. Both keep of a key what it does not share with the one before, all of it at every 16th
// entry; the layouts are those of LevelDB 1.23 (table/table_builder.cc, block_builder.cc,
// filter_block.cc) and RocksDB 7.8.3 (table/block_based/block_based_table_builder.cc, format
// version 5), without compression. O(1) an entry.
//
// Keys are those of a replay: the id, big-endian, then zeros.
#pragma once

#include <cstdint>

#include "models/base/units.h"
#include "models/sizes/sstable_format.h"

namespace lsmlab {

class PrefixTableSize {
 public:
  /// REQUIRES: format.layout is not kLsmlab.
  explicit PrefixTableSize(const SstableFormat& format) : format_(format) {}

  /// One more entry, the largest so far by key. REQUIRES: key_bytes >= 8.
  void add(std::uint64_t key, std::uint64_t key_bytes, std::uint64_t value_bytes);

  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  /// Entries as they stand in blocks, restarts included, of the whole file.
  [[nodiscard]] std::uint64_t entry_bytes() const { return closed_entry_bytes_ + block_bytes_; }
  /// Closed data blocks as stored: what the stores take for a file's size while they write it.
  [[nodiscard]] std::uint64_t stored_data_bytes() const { return closed_data_bytes_; }
  /// All data blocks as stored, were the file to end here.
  [[nodiscard]] std::uint64_t all_data_bytes() const;
  [[nodiscard]] std::uint64_t closed_blocks() const { return closed_blocks_; }
  [[nodiscard]] std::uint64_t block_entries() const { return block_entries_; }
  /// The whole file, were it to end here. REQUIRES: at least one entry.
  [[nodiscard]] std::uint64_t file_bytes() const { return file_parts().bytes(); }

  /// What a file consists of, in bytes as stored, trailers included.
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
  [[nodiscard]] bool closes_before(std::uint64_t key_bytes, std::uint64_t value_bytes) const;
  [[nodiscard]] std::uint64_t index_entry_bytes(std::uint64_t separator_bytes) const;
  [[nodiscard]] std::uint64_t filter_bytes() const;
  [[nodiscard]] std::uint64_t tail_bytes() const;
  void close_block();
  void close_filter();
  void add_to_index(std::uint64_t next_key);

  SstableFormat format_;
  std::uint64_t entries_ = 0;
  std::uint64_t last_key_ = 0;
  std::uint64_t last_key_bytes_ = 0;
  // The open data block.
  std::uint64_t block_entries_ = 0;
  std::uint64_t block_bytes_ = 0;  // entries only
  std::uint64_t block_restarts_ = 0;
  // Of closed data blocks.
  std::uint64_t closed_blocks_ = 0;
  std::uint64_t closed_entry_bytes_ = 0;
  std::uint64_t closed_data_bytes_ = 0;  // with restarts and trailers
  std::uint64_t last_block_bytes_ = 0;   // without its trailer
  bool has_pending_index_entry_ = false;
  std::uint64_t index_bytes_ = 0;  // entries with their restarts
  // LevelDB's filters: one for the blocks that begin in the same 2 KiB.
  std::uint64_t filter_entries_ = 0;
  std::uint64_t filters_ = 0;
  std::uint64_t filters_bytes_ = 0;
};

}  // namespace lsmlab

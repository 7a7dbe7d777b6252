// The size of an SSTable in bytes: one definition for simulator and engine, byte for byte as
// docs/sstable.md specifies it. What compression leaves of a data block is an expected share. Cost:
// O(1) per entry. prefix_table_size.h covers the layouts of other stores, which only the simulator
// has.
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/units.h"
#include "models/sizes/prefix_table_size.h"
#include "models/sizes/sstable_format.h"

namespace lsmlab {

inline constexpr std::uint64_t kBlockTrailerBytes = 9;

/// The bytes at the end of a file that are read first when it is opened. As a rule this part
/// contains index, filter and properties completely. The writer writes it with a request of its
/// own, because its contents are known last.
[[nodiscard]] constexpr std::uint64_t sstable_end_bytes(std::uint64_t file_bytes) {
  constexpr std::uint64_t kLeast = 8 << 10;
  constexpr std::uint64_t kMost = 4 << 20;
  const std::uint64_t part = file_bytes / 32;
  const std::uint64_t end = part < kLeast ? kLeast : part > kMost ? kMost : part;
  return end < file_bytes ? end : file_bytes;
}
inline constexpr std::uint64_t kEntryOffsetBytes = 2;
inline constexpr std::uint64_t kSstableFooterBytes = 64;
inline constexpr std::uint64_t kFilterLineBytes = 64;

/// The bytes of an entry in a data block, without its offset.
[[nodiscard]] std::uint64_t sstable_entry_bytes(std::uint64_t key_bytes, std::uint64_t value_bytes);

/// The bytes of an entry including its offset: what a memtable counts.
[[nodiscard]] std::uint64_t buffered_entry_bytes(std::uint64_t key_bytes,
                                                 std::uint64_t value_bytes);

/// The number of lines of the Bloom filter; 0 if there is none.
[[nodiscard]] std::uint64_t filter_lines(const SstableFormat& format, std::uint64_t entries);

/// The bytes of the Bloom filter's block with its trailer; 0 if there is none.
[[nodiscard]] std::uint64_t filter_block_bytes(const SstableFormat& format, std::uint64_t entries);

/// The size of an SSTable while it grows. REQUIRES: format.validate() found no fault.
class SstableSize {
 public:
  explicit SstableSize(const SstableFormat& format) : format_(format) {
    if (format.layout != SstableLayout::kLsmlab) prefixed_.emplace(format);
  }

  /// Adds an entry; works for every layout. `key` is the entry's id. A tombstone has a value of 0
  /// bytes. REQUIRES: the key is above all keys added before.
  void add_key(std::uint64_t key, std::uint64_t key_bytes, std::uint64_t value_bytes);
  /// Adds entries that are known by their means. REQUIRES: needs_keys(), and as for
  /// PrefixTableSize::add_expected().
  void add_expected(const MeanEntries& entries) { prefixed_->add_expected(entries); }
  /// True if sizes depend on ids. Then only add_key() and add_expected() may be used.
  [[nodiscard]] bool needs_keys() const { return prefixed_.has_value(); }

  /// Adds an entry. REQUIRES: !needs_keys().
  void add(std::uint64_t key_bytes, std::uint64_t value_bytes);
  /// The same for an entry whose sstable_entry_bytes() is known.
  void add_measured(std::uint64_t entry_bytes, std::uint64_t key_bytes) {
    if (entries_ == 0) first_key_bytes_ = key_bytes;
    if (block_entries_ == 0) block_first_key_bytes_ = key_bytes;
    last_key_bytes_ = key_bytes;
    ++entries_;
    ++block_entries_;
    entry_bytes_ += entry_bytes + kEntryOffsetBytes;
    block_entry_bytes_ += entry_bytes;
    if (block_entry_bytes_ + block_entries_ * kEntryOffsetBytes >= format_.block_bytes) {
      close_block();
    }
  }
  /// The last closed block takes so many bytes, with its trailer, in place of what was expected.
  /// REQUIRES: !needs_keys(); a block was closed.
  void set_last_block(std::uint64_t stored_bytes) {
    closed_data_bytes_ += stored_bytes - last_block_bytes_;
    last_block_bytes_ = stored_bytes;
  }
  /// Adds `count` entries of one size. Returns how many data blocks were closed. O(1).
  std::uint64_t add_equal(std::uint64_t count, std::uint64_t key_bytes, std::uint64_t value_bytes);

  /// The bytes of a data block besides its entries and their offsets.
  [[nodiscard]] static std::uint64_t block_frame_bytes();
  /// The bytes of all entries of the file and their offsets.
  [[nodiscard]] Bytes entry_bytes() const {
    return Bytes(prefixed_ ? prefixed_->entry_bytes() : entry_bytes_);
  }
  /// The stored bytes of closed data blocks.
  [[nodiscard]] Bytes stored_data_bytes() const {
    return Bytes(prefixed_ ? prefixed_->stored_data_bytes() : closed_data_bytes_);
  }
  /// The stored bytes of all data blocks, if the file ended here.
  [[nodiscard]] Bytes all_data_bytes() const;
  /// The number of entries of one size, at least 1, that may be added until the open data block can
  /// close. The last of them is included.
  [[nodiscard]] std::uint64_t entries_to_block_end(std::uint64_t key_bytes,
                                                   std::uint64_t value_bytes) const;

  /// The size of the whole file, if it ended here. REQUIRES: at least one entry.
  [[nodiscard]] Bytes file_bytes() const;
  [[nodiscard]] std::uint64_t entries() const {
    return prefixed_ ? prefixed_->entries() : entries_;
  }
  [[nodiscard]] std::uint64_t closed_blocks() const {
    return prefixed_ ? prefixed_->closed_blocks() : closed_blocks_;
  }
  /// The number of entries in the open data block.
  [[nodiscard]] std::uint64_t block_entries() const {
    return prefixed_ ? prefixed_->block_entries() : block_entries_;
  }
  [[nodiscard]] std::uint64_t data_blocks() const {
    return closed_blocks() + (block_entries() > 0);
  }

 private:
  void close_block();
  [[nodiscard]] std::uint64_t open_block_bytes() const;

  SstableFormat format_;
  std::optional<PrefixTableSize> prefixed_;
  std::uint64_t entries_ = 0;
  std::uint64_t entry_bytes_ = 0;
  std::uint64_t first_key_bytes_ = 0;
  std::uint64_t last_key_bytes_ = 0;
  std::uint64_t closed_blocks_ = 0;
  std::uint64_t closed_data_bytes_ = 0;   // as stored, including trailers
  std::uint64_t last_block_bytes_ = 0;    // of the last closed block, as stored
  std::uint64_t closed_index_bytes_ = 0;  // handles of closed blocks and their offsets
  std::uint64_t block_entry_bytes_ = 0;   // bytes of entries in the open block
  std::uint64_t block_entries_ = 0;
  std::uint64_t block_first_key_bytes_ = 0;
};

/// The size of an SSTable of equal entries, by a closed formula. REQUIRES: entries >= 1.
[[nodiscard]] Bytes uniform_sstable_bytes(const SstableFormat& format, std::uint64_t entries,
                                          std::uint64_t key_bytes, std::uint64_t value_bytes);

}  // namespace lsmlab

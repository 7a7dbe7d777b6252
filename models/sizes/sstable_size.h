// How many bytes an SSTable takes: the one definition that simulator and engine share, byte for
// byte what docs/sstable.md lays out, without compression. O(1) an entry. For layouts of other
// stores, which only the simulator has: prefix_table_size.h.
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/units.h"
#include "models/sizes/prefix_table_size.h"
#include "models/sizes/sstable_format.h"

namespace lsmlab {

inline constexpr std::uint64_t kBlockTrailerBytes = 9;

/// What is read at once of a file that is opened: its end, where as a rule index, filter and
/// properties lie whole. It is written by a request of its own, as it is known last.
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

/// What an entry takes in a data block, its offset aside.
[[nodiscard]] std::uint64_t sstable_entry_bytes(std::uint64_t key_bytes, std::uint64_t value_bytes);

/// The same with its offset: what memtables count.
[[nodiscard]] std::uint64_t buffered_entry_bytes(std::uint64_t key_bytes,
                                                 std::uint64_t value_bytes);

/// Lines of the Bloom filter; 0 where there is none.
[[nodiscard]] std::uint64_t filter_lines(const SstableFormat& format, std::uint64_t entries);

/// The Bloom filter's block with its trailer; 0 where there is none.
[[nodiscard]] std::uint64_t filter_block_bytes(const SstableFormat& format, std::uint64_t entries);

/// An SSTable as it grows. REQUIRES of `format`: validate() found nothing.
class SstableSize {
 public:
  explicit SstableSize(const SstableFormat& format) : format_(format) {
    if (format.layout != SstableLayout::kLsmlab) prefixed_.emplace(format);
  }

  /// One more entry, the largest so far by key. A tombstone has a value of 0 bytes. Whatever the
  /// layout; `key` is its id.
  void add_key(std::uint64_t key, std::uint64_t key_bytes, std::uint64_t value_bytes);
  /// Whether sizes depend on ids, so that add_key() is the only way to add.
  [[nodiscard]] bool needs_keys() const { return prefixed_.has_value(); }

  /// Where ids do not matter.
  void add(std::uint64_t key_bytes, std::uint64_t value_bytes);
  /// The same of an entry whose sstable_entry_bytes() is known.
  void add_measured(std::uint64_t entry_bytes, std::uint64_t key_bytes) {
    if (entries_ == 0) first_key_bytes_ = key_bytes;
    last_key_bytes_ = key_bytes;
    ++entries_;
    ++block_entries_;
    entry_bytes_ += entry_bytes + kEntryOffsetBytes;
    block_entry_bytes_ += entry_bytes;
    if (block_entry_bytes_ + block_entries_ * kEntryOffsetBytes >= format_.block_bytes) {
      close_block();
    }
  }
  /// `count` entries of one size. Returns how many data blocks that closed.
  std::uint64_t add_equal(std::uint64_t count, std::uint64_t key_bytes, std::uint64_t value_bytes);

  /// Entries with their offsets, of the whole file.
  [[nodiscard]] Bytes entry_bytes() const {
    return Bytes(prefixed_ ? prefixed_->entry_bytes() : entry_bytes_);
  }
  /// Closed data blocks as stored.
  [[nodiscard]] Bytes stored_data_bytes() const {
    return Bytes(prefixed_ ? prefixed_->stored_data_bytes() : closed_data_bytes_);
  }
  /// All data blocks as stored, were the file to end here.
  [[nodiscard]] Bytes all_data_bytes() const;
  /// Entries of one size that may be added before the open data block can close, the last one
  /// included; at least 1.
  [[nodiscard]] std::uint64_t entries_to_block_end(std::uint64_t key_bytes,
                                                   std::uint64_t value_bytes) const;

  /// The whole file, were it to end here. REQUIRES: at least one entry.
  [[nodiscard]] Bytes file_bytes() const;
  [[nodiscard]] std::uint64_t entries() const {
    return prefixed_ ? prefixed_->entries() : entries_;
  }
  [[nodiscard]] std::uint64_t closed_blocks() const {
    return prefixed_ ? prefixed_->closed_blocks() : closed_blocks_;
  }
  /// Of the open data block.
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
  std::uint64_t closed_data_bytes_ = 0;   // stored, trailers included
  std::uint64_t closed_index_bytes_ = 0;  // handles of closed blocks with their offsets
  std::uint64_t block_entry_bytes_ = 0;   // of the open block
  std::uint64_t block_entries_ = 0;
};

/// The size of an SSTable of equal entries, in closed form. REQUIRES: entries >= 1.
[[nodiscard]] Bytes uniform_sstable_bytes(const SstableFormat& format, std::uint64_t entries,
                                          std::uint64_t key_bytes, std::uint64_t value_bytes);

}  // namespace lsmlab

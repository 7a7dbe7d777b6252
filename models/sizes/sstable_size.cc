#include "models/sizes/sstable_size.h"

#include <algorithm>

#include "models/base/check.h"
#include "models/base/varint.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kEntryCountBytes = 2;
constexpr std::uint64_t kBlockPlaceBytes = 8 + 4;  // position and stored size of a block
constexpr std::uint64_t kHandleOffsetBytes = 4;
constexpr std::uint64_t kHandleCountBytes = 4;
constexpr std::uint64_t kPropertyNumbersBytes = 6 * 8;

std::uint64_t key_with_length_bytes(std::uint64_t key_bytes) {
  return varint_bytes(key_bytes) + key_bytes;
}

std::uint64_t handle_bytes(const SstableFormat& format, std::uint64_t first_key_bytes,
                           std::uint64_t last_key_bytes) {
  return (format.has_first_keys ? key_with_length_bytes(first_key_bytes) : 0) +
         key_with_length_bytes(last_key_bytes) + kBlockPlaceBytes + kHandleOffsetBytes;
}

std::uint64_t data_block_bytes(const SstableFormat& format, std::uint64_t entry_bytes,
                               std::uint64_t entries) {
  const std::uint64_t payload = entry_bytes + entries * kEntryOffsetBytes + kEntryCountBytes;
  return format.compression.stored_bytes(payload) + kBlockTrailerBytes;
}

std::uint64_t properties_block_bytes(std::uint64_t smallest_key_bytes,
                                     std::uint64_t largest_key_bytes) {
  return kPropertyNumbersBytes + key_with_length_bytes(smallest_key_bytes) +
         key_with_length_bytes(largest_key_bytes) + kBlockTrailerBytes;
}

// All bytes of the file except data blocks and their handles in the index.
std::uint64_t frame_bytes(const SstableFormat& format, std::uint64_t entries,
                          std::uint64_t smallest_key_bytes, std::uint64_t largest_key_bytes) {
  return filter_block_bytes(format, entries) + kHandleCountBytes + kBlockTrailerBytes +
         properties_block_bytes(smallest_key_bytes, largest_key_bytes) + kSstableFooterBytes;
}

}  // namespace

std::uint64_t sstable_entry_bytes(std::uint64_t key_bytes, std::uint64_t value_bytes) {
  return varint_bytes(key_bytes) + varint_bytes(value_bytes) + kTagBytes + key_bytes + value_bytes;
}

std::uint64_t buffered_entry_bytes(std::uint64_t key_bytes, std::uint64_t value_bytes) {
  return sstable_entry_bytes(key_bytes, value_bytes) + kEntryOffsetBytes;
}

std::uint64_t filter_lines(const SstableFormat& format, std::uint64_t entries) {
  if (format.filter_millibits_per_key == 0) return 0;
  constexpr Uint128 kLineMillibits = kFilterLineBytes * 8 * 1000;
  const Uint128 millibits = Uint128{entries} * format.filter_millibits_per_key;
  const auto lines = static_cast<std::uint64_t>((millibits + kLineMillibits - 1) / kLineMillibits);
  return std::max<std::uint64_t>(1, lines);
}

std::uint64_t filter_block_bytes(const SstableFormat& format, std::uint64_t entries) {
  const std::uint64_t lines = filter_lines(format, entries);
  return lines == 0 ? 0 : lines * kFilterLineBytes + 1 + kBlockTrailerBytes;
}

void SstableSize::add(std::uint64_t key_bytes, std::uint64_t value_bytes) {
  add_measured(sstable_entry_bytes(key_bytes, value_bytes), key_bytes);
}

void SstableSize::add_key(std::uint64_t key, std::uint64_t key_bytes, std::uint64_t value_bytes) {
  if (prefixed_) {
    prefixed_->add(key, key_bytes, value_bytes);
  } else {
    add(key_bytes, value_bytes);
  }
}

std::uint64_t SstableSize::block_frame_bytes() { return kEntryCountBytes + kBlockTrailerBytes; }

void SstableSize::close_block() {
  last_block_bytes_ = data_block_bytes(format_, block_entry_bytes_, block_entries_);
  closed_data_bytes_ += last_block_bytes_;
  closed_index_bytes_ += handle_bytes(format_, block_first_key_bytes_, last_key_bytes_);
  ++closed_blocks_;
  block_entry_bytes_ = 0;
  block_entries_ = 0;
}

std::uint64_t SstableSize::add_equal(std::uint64_t count, std::uint64_t key_bytes,
                                     std::uint64_t value_bytes) {
  if (count == 0) return 0;
  if (entries_ == 0) first_key_bytes_ = key_bytes;
  const std::uint64_t entry_bytes = sstable_entry_bytes(key_bytes, value_bytes);
  entries_ += count;
  entry_bytes_ += count * (entry_bytes + kEntryOffsetBytes);
  last_key_bytes_ = key_bytes;
  std::uint64_t closed = 0;
  const auto fill_block = [&] {
    const std::uint64_t to_end = entries_to_block_end(key_bytes, value_bytes);
    const std::uint64_t taken = std::min(count, to_end);
    if (block_entries_ == 0) block_first_key_bytes_ = key_bytes;
    block_entry_bytes_ += taken * entry_bytes;
    block_entries_ += taken;
    count -= taken;
    if (taken < to_end) return;
    close_block();
    ++closed;
  };
  fill_block();
  if (count == 0) return closed;
  // The open block is empty: those that follow are equal.
  const std::uint64_t per_block = entries_to_block_end(key_bytes, value_bytes);
  const std::uint64_t whole_blocks = count / per_block;
  closed_data_bytes_ +=
      whole_blocks * data_block_bytes(format_, per_block * entry_bytes, per_block);
  closed_index_bytes_ += whole_blocks * handle_bytes(format_, key_bytes, key_bytes);
  closed_blocks_ += whole_blocks;
  closed += whole_blocks;
  count -= whole_blocks * per_block;
  if (count > 0) fill_block();
  return closed;
}

std::uint64_t SstableSize::entries_to_block_end(std::uint64_t key_bytes,
                                                std::uint64_t value_bytes) const {
  if (prefixed_) return 1;
  const std::uint64_t present = block_entry_bytes_ + block_entries_ * kEntryOffsetBytes;
  const std::uint64_t each = buffered_entry_bytes(key_bytes, value_bytes);
  CHECK(present < format_.block_bytes);
  return (format_.block_bytes - present + each - 1) / each;
}

Bytes SstableSize::all_data_bytes() const {
  if (prefixed_) return Bytes(prefixed_->all_data_bytes());
  if (block_entries_ == 0) return Bytes(closed_data_bytes_);
  return Bytes(closed_data_bytes_ + data_block_bytes(format_, block_entry_bytes_, block_entries_));
}

std::uint64_t SstableSize::open_block_bytes() const {
  if (block_entries_ == 0) return 0;
  return data_block_bytes(format_, block_entry_bytes_, block_entries_) +
         handle_bytes(format_, block_first_key_bytes_, last_key_bytes_);
}

Bytes SstableSize::file_bytes() const {
  if (prefixed_) return Bytes(prefixed_->file_bytes());
  CHECK(entries_ > 0);
  return Bytes(closed_data_bytes_ + closed_index_bytes_ + open_block_bytes() +
               frame_bytes(format_, entries_, first_key_bytes_, last_key_bytes_));
}

Bytes uniform_sstable_bytes(const SstableFormat& format, std::uint64_t entries,
                            std::uint64_t key_bytes, std::uint64_t value_bytes) {
  CHECK(entries > 0);
  const std::uint64_t entry_bytes = sstable_entry_bytes(key_bytes, value_bytes);
  const std::uint64_t with_offset = entry_bytes + kEntryOffsetBytes;
  const std::uint64_t per_block = (format.block_bytes + with_offset - 1) / with_offset;
  const std::uint64_t blocks = (entries + per_block - 1) / per_block;
  const std::uint64_t full = entries / per_block;
  const std::uint64_t rest = entries % per_block;
  const std::uint64_t data = full * data_block_bytes(format, per_block * entry_bytes, per_block) +
                             (rest > 0 ? data_block_bytes(format, rest * entry_bytes, rest) : 0);
  return Bytes(data + blocks * handle_bytes(format, key_bytes, key_bytes) +
               frame_bytes(format, entries, key_bytes, key_bytes));
}

}  // namespace lsmlab

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/sstable/bloom_filter.h"
#include "engine/sstable/checksum.h"
#include "engine/sstable/compression.h"
#include "engine/sstable/sstable.h"
#include "engine/sstable/sstable_format.h"
#include "engine/sstable/table_codec.h"
#include "models/base/check.h"
#include "models/sizes/filter_chance.h"

namespace lsmlab::engine {
namespace {

// The writer collects blocks up to this size before it appends them: few system calls, and the
// buffer stays in the second-level cache.
constexpr std::size_t kWriteBytes = 256 << 10;
constexpr std::size_t kFirstRoom = kWriteBytes + (64 << 10);

// Values of at least this size are appended without a copy: copies would be most of the engine's
// memory. They are never compressed, and each ends its block, because it exceeds the block size.
constexpr std::size_t kLargeValueBytes = kCompressiblePayloadMax + 1;

constexpr std::uint64_t kU32Max = std::numeric_limits<std::uint32_t>::max();

}  // namespace

// Entries are encoded at the end of `bytes`, from where they will be written.
struct SstableWriter::Parts {
  Parts(WritableFile& to, const SstableFormat& sstable_format)
      : file(to), format(sstable_format), size(sstable_format) {
    grow(kFirstRoom);
  }

  void grow(std::size_t room_needed) {
    std::unique_ptr<char[]> larger = std::make_unique_for_overwrite<char[]>(room_needed);
    if (used > 0) std::memcpy(larger.get(), bytes.get(), used);
    bytes = std::move(larger);
    room = room_needed;
  }
  char* make_room(std::size_t more) {
    if (room - used < more) grow(std::max(2 * room, used + more));
    return bytes.get() + used;
  }
  [[nodiscard]] std::string_view last_key() const {
    if (offsets.empty()) return std::string_view(index).substr(index_key_at, last_key_bytes);
    return {bytes.get() + last_key_at, last_key_bytes};
  }

  char* encode_head(const EntryView& entry, std::size_t room_for_value);
  void encode(const EntryView& entry);
  [[nodiscard]] Result<void> append_large(const EntryView& entry);
  void append_offsets();
  void index_keys(std::string_view last);
  [[nodiscard]] Result<void> close_block();
  [[nodiscard]] Result<void> index_block(std::uint64_t position);
  void append_trailer(Compression stored_as, std::size_t block_begin);
  [[nodiscard]] Result<BlockPlace> append_block(std::string_view payload);
  [[nodiscard]] Result<void> write_out();
  [[nodiscard]] std::string properties() const;

  WritableFile& file;
  SstableFormat format;
  SstableSize size;

  std::unique_ptr<char[]> bytes;  // closed blocks, and the open one
  std::size_t room = 0;
  std::size_t used = 0;
  std::uint64_t written = 0;           // bytes of the file before `bytes`
  std::size_t block_at = 0;            // in `bytes`: the open block
  std::vector<std::uint16_t> offsets;  // offsets of the open block's entries
  std::string compressed;

  std::string index;
  std::vector<std::uint32_t> handle_offsets;
  std::vector<std::uint64_t> hashes;

  File summary;
  std::string smallest_key;
  std::size_t first_key_at = 0;  // in `bytes`, of the open block
  std::size_t first_key_bytes = 0;
  std::size_t last_key_at = 0;   // in `bytes`, while a block is open
  std::size_t index_key_at = 0;  // in `index`: the last closed block's last key
  std::size_t last_key_bytes = 0;
  std::uint64_t last_window = 0;
  std::uint64_t last_tag = 0;
};

// Encodes all of an entry before its value. Returns where the value goes.
char* SstableWriter::Parts::encode_head(const EntryView& entry, std::size_t room_for_value) {
  const std::size_t head_bytes_max = 2 * kVarint32BytesMax + sizeof entry.tag + entry.key.size();
  char* at = make_room(head_bytes_max + room_for_value);
  if ((entry.key.size() | entry.value.size()) < 128) {
    *at++ = static_cast<char>(entry.key.size());
    *at++ = static_cast<char>(entry.value.size());
  } else {
    at = store_varint(at, static_cast<std::uint32_t>(entry.key.size()));
    at = store_varint(at, static_cast<std::uint32_t>(entry.value.size()));
  }
  at = store(at, entry.tag);
  last_key_at = static_cast<std::size_t>(at - bytes.get());
  last_key_bytes = entry.key.size();
  if (offsets.empty()) {
    first_key_at = last_key_at;
    first_key_bytes = last_key_bytes;
  }
  if (!entry.key.empty()) std::memcpy(at, entry.key.data(), entry.key.size());
  offsets.push_back(static_cast<std::uint16_t>(used - block_at));
  return at + entry.key.size();
}

void SstableWriter::Parts::encode(const EntryView& entry) {
  char* at = encode_head(entry, entry.value.size());
  if (!entry.value.empty()) std::memcpy(at, entry.value.data(), entry.value.size());
  at += entry.value.size();
  const auto end = static_cast<std::size_t>(at - bytes.get());
  size.add_measured(end - used, entry.key.size());
  used = end;
}

// Writes the entry, the end of its block and the block's handle.
Result<void> SstableWriter::Parts::append_large(const EntryView& entry) {
  const auto end = static_cast<std::size_t>(encode_head(entry, 0) - bytes.get());
  size.add_measured(end - used + entry.value.size(), entry.key.size());
  CHECK(size.block_entries() == 0);
  used = end;
  const std::uint64_t position = written + block_at;
  index_keys(entry.key);
  RunningChecksum checksum;
  checksum.add({bytes.get() + block_at, used - block_at});
  BOOST_OUTCOME_TRYV(write_out());
  checksum.add(entry.value);
  BOOST_OUTCOME_TRYV(file.append(entry.value));
  written += entry.value.size();
  append_offsets();
  make_room(kBlockTrailerBytes);
  bytes[used++] = static_cast<char>(Compression::kNone);
  checksum.add({bytes.get(), used});
  store(bytes.get() + used, checksum.value());
  used += sizeof(std::uint64_t);
  return index_block(position);
}

void SstableWriter::Parts::append_offsets() {
  const std::size_t offsets_bytes = offsets.size() * sizeof(std::uint16_t);
  char* at = make_room(offsets_bytes + sizeof(std::uint16_t) + kBlockTrailerBytes);
  std::memcpy(at, offsets.data(), offsets_bytes);
  store(at + offsets_bytes, static_cast<std::uint16_t>(offsets.size()));
  used += offsets_bytes + sizeof(std::uint16_t);
}

// REQUIRES: the open block is still in `bytes`.
void SstableWriter::Parts::index_keys(std::string_view last) {
  handle_offsets.push_back(static_cast<std::uint32_t>(index.size()));
  if (format.has_first_keys) {
    append_varint(index, static_cast<std::uint32_t>(first_key_bytes));
    index.append(bytes.get() + first_key_at, first_key_bytes);
  }
  append_varint(index, static_cast<std::uint32_t>(last.size()));
  index_key_at = index.size();
  index += last;
}

Result<void> SstableWriter::Parts::close_block() {
  append_offsets();
  index_keys({bytes.get() + last_key_at, last_key_bytes});
  Compression stored_as = Compression::kNone;
  if (compress_payload(format.compression.codec, {bytes.get() + block_at, used - block_at},
                       compressed)) {
    stored_as = format.compression.codec;
    std::memcpy(bytes.get() + block_at, compressed.data(), compressed.size());
    used = block_at + compressed.size();
  }
  append_trailer(stored_as, block_at);
  return index_block(written + block_at);
}

// Adds the open block to the index; the block began at this position of the file.
Result<void> SstableWriter::Parts::index_block(std::uint64_t position) {
  const std::uint64_t stored_bytes = written + used - position;
  size.set_last_block(stored_bytes);
  append_number(index, position);
  append_number(index, static_cast<std::uint32_t>(stored_bytes));
  offsets.clear();
  block_at = used;
  if (stored_bytes > kU32Max || index.size() > kU32Max) {
    return input_error(fmt::format(
        "a data block of {} bytes or an index of {}: each may have at most {} bytes in an SSTable",
        stored_bytes, index.size(), kU32Max));
  }
  if (used < kWriteBytes) return success();
  return write_out();
}

void SstableWriter::Parts::append_trailer(Compression stored_as, std::size_t block_begin) {
  make_room(kBlockTrailerBytes);
  bytes[used++] = static_cast<char>(stored_as);
  const std::uint64_t checksum = checksum_of({bytes.get() + block_begin, used - block_begin});
  store(bytes.get() + used, checksum);
  used += sizeof checksum;
}

Result<BlockPlace> SstableWriter::Parts::append_block(std::string_view payload) {
  if (payload.size() + kBlockTrailerBytes > kU32Max) {
    return input_error(fmt::format("a block of {} bytes: blocks of an SSTable may have at most {}",
                                   payload.size() + kBlockTrailerBytes, kU32Max));
  }
  const std::size_t begin = used;
  std::memcpy(make_room(payload.size() + kBlockTrailerBytes), payload.data(), payload.size());
  used += payload.size();
  append_trailer(Compression::kNone, begin);
  const BlockPlace place{written + begin, static_cast<std::uint32_t>(used - begin)};
  if (used >= kWriteBytes) {
    BOOST_OUTCOME_TRYV(write_out());
  }
  return place;
}

Result<void> SstableWriter::Parts::write_out() {
  BOOST_OUTCOME_TRYV(file.append({bytes.get(), used}));
  written += used;
  used = 0;
  block_at = 0;
  // The buffer may have grown for one large value.
  if (room > kFirstRoom) grow(kFirstRoom);
  return success();
}

std::string SstableWriter::Parts::properties() const {
  std::string payload;
  append_number(payload, summary.entries.value());
  append_number(payload, summary.tombstones.value());
  append_number(payload, summary.sequences.first);
  append_number(payload, summary.sequences.last);
  append_number(payload,
                summary.oldest_tombstone ? summary.oldest_tombstone->value() : kNoTombstone);
  append_number(payload, (summary.key_bytes + summary.value_bytes).value());
  append_varint(payload, static_cast<std::uint32_t>(smallest_key.size()));
  payload += smallest_key;
  append_varint(payload, static_cast<std::uint32_t>(last_key().size()));
  payload += last_key();
  return payload;
}

SstableWriter::SstableWriter(WritableFile& file, const SstableFormat& format,
                             const KeyWindow& /*window*/)
    : parts_(std::make_unique<Parts>(file, format)) {}
SstableWriter::~SstableWriter() = default;

const SstableSize& SstableWriter::size() const { return parts_->size; }

Result<void> SstableWriter::add(const EntryView& entry, std::uint64_t window) {
  Parts& parts = *parts_;
  CHECK(entry.key.size() <= kKeyBytesMax && entry.value.size() <= kU32Max);
  CHECK(!entry.is_tombstone() || entry.value.empty());
  File& summary = parts.summary;
  if (parts.size.entries() == 0) {
    parts.smallest_key = entry.key;
    summary.keys.smallest = window;
    summary.sequences = {entry.sequence(), entry.sequence()};
  } else if (window <= parts.last_window) {
    // Windows rise with keys, so comparing windows is usually enough to check the order.
    CHECK(window == parts.last_window);
    CHECK(precedes({parts.last_key(), {}, parts.last_tag}, entry));
  }
  parts.last_window = window;
  parts.last_tag = entry.tag;
  summary.sequences.first = std::min(summary.sequences.first, entry.sequence());
  summary.sequences.last = std::max(summary.sequences.last, entry.sequence());
  summary.tombstones += Entries(entry.is_tombstone() ? 1 : 0);
  summary.key_bytes += Bytes(entry.key.size());
  summary.value_bytes += Bytes(entry.value.size());
  if (parts.format.filter_millibits_per_key > 0) parts.hashes.push_back(hash_of_key(entry.key));
  if (entry.value.size() >= kLargeValueBytes) return parts.append_large(entry);
  parts.encode(entry);
  if (parts.size.block_entries() > 0) return success();
  return parts.close_block();
}

Result<File> SstableWriter::finish(std::optional<Instant> oldest_tombstone) {
  Parts& parts = *parts_;
  CHECK(parts.size.entries() > 0);
  if (!parts.offsets.empty()) {
    BOOST_OUTCOME_TRYV(parts.close_block());
  }
  File& summary = parts.summary;
  summary.entries = Entries(parts.size.entries());
  summary.keys.largest = parts.last_window;
  if (summary.tombstones.value() > 0) summary.oldest_tombstone = oldest_tombstone;
  const std::string properties = parts.properties();

  SstableFooter footer;
  footer.has_first_keys = parts.format.has_first_keys;
  std::string filter = filter_lines_of(parts.format, parts.hashes);
  if (!filter.empty()) {
    filter.push_back(static_cast<char>(filter_probes(parts.format)));
    footer.filter = BOOST_OUTCOME_TRYX(parts.append_block(filter));
  }
  for (const std::uint32_t offset : parts.handle_offsets) append_number(parts.index, offset);
  append_number(parts.index, static_cast<std::uint32_t>(parts.handle_offsets.size()));
  footer.index = BOOST_OUTCOME_TRYX(parts.append_block(parts.index));
  footer.properties = BOOST_OUTCOME_TRYX(parts.append_block(properties));
  footer.file_bytes = parts.written + parts.used + kSstableFooterBytes;
  const std::string end = encode_footer(footer);
  std::memcpy(parts.make_room(end.size()), end.data(), end.size());
  parts.used += end.size();
  BOOST_OUTCOME_TRYV(parts.write_out());
  summary.bytes = Bytes(footer.file_bytes);
  return summary;
}

}  // namespace lsmlab::engine

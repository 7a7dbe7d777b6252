#include <fmt/format.h>

#include <tuple>

#include "engine/sstable/compression.h"
#include "engine/sstable/sstable.h"
#include "engine/sstable/sstable_format.h"
#include "engine/sstable/table_codec.h"

namespace lsmlab::engine {

// A piece of the file that consists of whole blocks, and its block that is being decoded.
struct SstableScanner::Parts {
  Parts(const SstableReader& reader, const KeyRange& range, std::uint64_t read_bytes)
      : table(reader), windows(range), read_ahead_bytes(read_bytes) {
    std::tie(next_block, blocks_end) = table.blocks_in(windows);
    piece_end = next_block;
    // Keys of one window may be in two blocks.
    if (next_block < blocks_end && blocks_end < table.block_count() &&
        table.last_window_of(blocks_end - 1) == windows.largest) {
      ++blocks_end;
    }
  }

  /// Moves to the next block; false if there is none.
  [[nodiscard]] Result<bool> enter_block();
  [[nodiscard]] Result<void> read_piece();
  /// Moves to the block's next entry. Returns what is wrong with it, or null (a Result for each
  /// entry would cost as much as the entry).
  [[nodiscard]] const char* decode(EntryView& entry, std::uint64_t& window);
  [[nodiscard]] Error fault(std::string_view what) const {
    return damage(table.file().path(), table.block_position(next_block - 1), what);
  }
  void skip_rest() {
    blocks_end = next_block;
    block_begin = nullptr;
    at = entries_end;
    offset_at = offsets_end;
  }

  const SstableReader& table;
  KeyRange windows;
  std::uint64_t read_ahead_bytes;

  std::unique_ptr<char[]> piece;
  std::uint64_t piece_room = 0;
  std::uint64_t piece_position = 0;
  std::size_t piece_end = 0;  // one past the last block that was read
  std::string decompressed;

  std::size_t next_block = 0;
  std::size_t blocks_end = 0;
  const char* block_begin = nullptr;
  const char* at = nullptr;           // the next entry
  const char* entries_end = nullptr;  // end of the block's entries; its offsets begin here
  const char* offset_at = nullptr;    // the next entry's offset
  const char* offsets_end = nullptr;

  // Of the previous entry, to check the order; at first larger than any tag.
  std::uint64_t last_window = 0;
  std::uint64_t last_tag = ~std::uint64_t{0};
  std::string_view last_key;  // points into the block; at a block's begin, into the index
};

Result<void> SstableScanner::Parts::read_piece() {
  piece_position = table.block_position(next_block);
  std::uint64_t bytes = 0;
  while (piece_end < blocks_end && (bytes == 0 || bytes < read_ahead_bytes)) {
    bytes += table.stored_bytes_of(piece_end++);
  }
  if (bytes > piece_room) {
    piece.reset();  // never hold two pieces: a block may have a very large value
    piece = std::make_unique_for_overwrite<char[]>(bytes);
    piece_room = bytes;
  }
  const std::size_t count =
      BOOST_OUTCOME_TRYX(table.file().read(piece_position, {piece.get(), bytes}));
  if (count == bytes) return success();
  return damage(table.file().path(), piece_position,
                fmt::format("the file ends after {} of the {} bytes to read", count, bytes));
}

Result<bool> SstableScanner::Parts::enter_block() {
  if (at != entries_end) return fault("a data block has bytes after its entries");
  if (block_begin != nullptr && last_key != table.last_key_of(next_block - 1)) {
    return fault("a data block's last key differs from that in the index");
  }
  if (next_block == blocks_end) return false;
  if (next_block == piece_end) {
    BOOST_OUTCOME_TRYV(read_piece());
  }
  // The previous entry's piece may be freed.
  if (next_block > 0) last_key = table.last_key_of(next_block - 1);
  const std::uint64_t position = table.block_position(next_block);
  const std::string_view stored{piece.get() + (position - piece_position),
                                table.stored_bytes_of(next_block)};
  const StoredBlock block = BOOST_OUTCOME_TRYX(check_block(stored, table.file().path(), position));
  ++next_block;
  std::string_view payload = block.payload;
  if (block.compression != Compression::kNone) {
    if (!decompress_payload(block.compression, payload, decompressed)) {
      return fault("a data block cannot be decompressed");
    }
    payload = decompressed;
  }
  const DataBlockShape shape(payload);
  if (shape.count == 0) return fault("this is not a data block");
  block_begin = payload.data();
  at = block_begin;
  entries_end = shape.entries_end;
  offset_at = entries_end;
  offsets_end = entries_end + std::size_t{shape.count} * sizeof(std::uint16_t);
  return true;
}

inline const char* SstableScanner::Parts::decode(EntryView& entry, std::uint64_t& window) {
  const auto offset = static_cast<std::uint64_t>(at - block_begin);
  at = load<std::uint16_t>(offset_at) == offset ? load_entry(at, entries_end, entry) : nullptr;
  if (at == nullptr) return "a data block's entry makes no sense";
  offset_at += sizeof(std::uint16_t);
  window = table.key_window().of(entry.key);
  if (window <= last_window) {
    // Windows rise with keys, so comparing windows is usually enough to check the order.
    if (!precedes({last_key, {}, last_tag}, entry)) return "entries are out of order";
  }
  const bool is_first = offset == 0 && table.has_first_keys();
  if (is_first && table.first_window_of(next_block - 1) != window) {
    return "a data block's first key differs from that in the index";
  }
  last_window = window;
  last_tag = entry.tag;
  last_key = entry.key;
  return nullptr;
}

SstableScanner::SstableScanner(const SstableReader& table, const KeyRange& windows,
                               std::uint64_t read_ahead_bytes)
    : parts_(std::make_unique<Parts>(table, windows, read_ahead_bytes)) {}
SstableScanner::~SstableScanner() = default;

Result<bool> SstableScanner::next() {
  Parts& parts = *parts_;
  while (true) {
    if (parts.offset_at == parts.offsets_end) [[unlikely]] {
      const bool is_there = BOOST_OUTCOME_TRYX(parts.enter_block());
      if (!is_there) return false;
    }
    const char* const wrong = parts.decode(entry_, entry_window_);
    if (wrong != nullptr) [[unlikely]] {
      return parts.fault(wrong);
    }
    if (entry_window_ > parts.windows.largest) {
      parts.skip_rest();
      return false;
    }
    if (entry_window_ >= parts.windows.smallest) return true;
  }
}

}  // namespace lsmlab::engine

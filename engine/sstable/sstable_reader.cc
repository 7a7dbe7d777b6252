#include <fmt/format.h>

#include <algorithm>

#include "engine/sstable/bloom_filter.h"
#include "engine/sstable/compression.h"
#include "engine/sstable/sstable.h"
#include "engine/sstable/sstable_format.h"
#include "engine/sstable/table_codec.h"
#include "models/base/check.h"

namespace lsmlab::engine {
namespace {

constexpr std::uint64_t kHandleBytesMin = 1 + 8 + 4;
constexpr std::uint64_t kHandleOffsetBytes = sizeof(std::uint32_t);
// The smaller of two minimums: one entry with its offset, the count and a trailer; or the smallest
// compressed block.
constexpr std::uint64_t kDataBlockBytesMin = kBlockTrailerBytes + sizeof(std::uint32_t) + 1;

// Reads all requested bytes. REQUIRES: they lie in the file, as large as it was when opened.
Result<std::string> read_exactly(const ReadableFile& file, std::uint64_t position,
                                 std::uint64_t bytes) {
  std::string stored(bytes, '\0');
  const std::size_t count = BOOST_OUTCOME_TRYX(file.read(position, stored));
  if (count != bytes) {
    return damage(file.path(), position,
                  fmt::format("the file ends after {} of the {} bytes to read", count, bytes));
  }
  return stored;
}

// The payload of a block that is never compressed.
Result<std::string> read_plain(const ReadableFile& file, const BlockPlace& place) {
  std::string stored = BOOST_OUTCOME_TRYX(read_exactly(file, place.position, place.bytes));
  const StoredBlock block = BOOST_OUTCOME_TRYX(check_block(stored, file.path(), place.position));
  if (block.compression != Compression::kNone) {
    return damage(file.path(), place.position, "only data blocks may be compressed");
  }
  stored.resize(block.payload.size());
  return stored;
}

// A file whose end is already in memory.
class EndInMemory final : public ReadableFile {
 public:
  /// `end` has at least one byte; `file` must outlive this object.
  EndInMemory(const ReadableFile& file, std::string end)
      : file_(file), end_(std::move(end)), begin_(file.size() - end_.size()) {}

  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset,
                                         std::span<char> buffer) const override {
    if (offset < begin_ || offset + buffer.size() > file_.size()) return file_.read(offset, buffer);
    std::copy_n(end_.data() + (offset - begin_), buffer.size(), buffer.data());
    return buffer.size();
  }
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }
  [[nodiscard]] const std::string& path() const override { return file_.path(); }

 private:
  const ReadableFile& file_;
  std::string end_;
  std::uint64_t begin_;
};

// Decodes a length and a key. Returns one past the key; null if there is none.
const char* load_key(const char* at, const char* end, std::string_view& key) {
  std::uint32_t bytes = 0;
  at = load_varint(at, end, bytes);
  if (at == nullptr || bytes > kKeyBytesMax || end - at < std::ptrdiff_t{bytes}) return nullptr;
  key = {at, bytes};
  return at + bytes;
}

std::optional<SstableProperties> parse_properties(std::string_view payload) {
  constexpr std::size_t kNumbers = 6;
  if (payload.size() < kNumbers * sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t numbers[kNumbers];
  for (std::size_t i = 0; i < kNumbers; ++i) {
    numbers[i] = load<std::uint64_t>(payload.data() + i * sizeof(std::uint64_t));
  }
  SstableProperties properties;
  properties.entries = numbers[0];
  properties.tombstones = numbers[1];
  properties.sequences = {numbers[2], numbers[3]};
  if (numbers[4] != kNoTombstone) properties.oldest_tombstone = Instant(numbers[4]);
  properties.key_and_value_bytes = numbers[5];
  std::string_view smallest;
  std::string_view largest;
  const char* const end = payload.data() + payload.size();
  const char* at = load_key(payload.data() + sizeof numbers, end, smallest);
  if (at != nullptr) at = load_key(at, end, largest);
  if (at != end) return std::nullopt;
  const bool is_sound = properties.entries > 0 && properties.tombstones <= properties.entries &&
                        (properties.tombstones > 0 || !properties.oldest_tombstone) &&
                        properties.sequences.first <= properties.sequences.last &&
                        properties.sequences.last <= kSequenceMax && smallest <= largest;
  if (!is_sound) return std::nullopt;
  properties.smallest_key = smallest;
  properties.largest_key = largest;
  return properties;
}

}  // namespace

// The steps of open(); the reader is valid only if all succeed.
class SstableOpener {
 public:
  SstableOpener(std::unique_ptr<ReadableFile> file, FileId id, const KeyWindow& window)
      : reader_(new SstableReader(std::move(file), id, window)) {}

  Result<std::shared_ptr<const SstableReader>> open() {
    const ReadableFile& file = *reader_->file_;
    if (file.size() < kSstableFooterBytes) {
      return damage(file.path(), file.size(), "the file is too short for an SSTable");
    }
    const std::uint64_t end_bytes =
        std::max<std::uint64_t>(sstable_end_bytes(file.size()), kSstableFooterBytes);
    std::string end = BOOST_OUTCOME_TRYX(read_exactly(file, file.size() - end_bytes, end_bytes));
    const std::string footer = end.substr(end_bytes - kSstableFooterBytes);
    footer_ = BOOST_OUTCOME_TRYX(decode_footer(footer, file.size(), file.path()));
    meta_ = std::make_unique<EndInMemory>(file, std::move(end));
    BOOST_OUTCOME_TRYV(load_properties());
    BOOST_OUTCOME_TRYV(load_index());
    BOOST_OUTCOME_TRYV(load_filter());
    return std::shared_ptr<const SstableReader>(std::move(reader_));
  }

 private:
  Result<void> load_properties() {
    const std::string payload = BOOST_OUTCOME_TRYX(read_plain(*meta_, footer_.properties));
    std::optional<SstableProperties> properties = parse_properties(payload);
    if (!properties) return fault(footer_.properties, "the properties make no sense");
    reader_->properties_ = std::move(*properties);
    return success();
  }

  Result<void> load_index() {
    reader_->index_ = BOOST_OUTCOME_TRYX(read_plain(*meta_, footer_.index));
    const std::string_view payload = reader_->index_;
    if (payload.size() < sizeof(std::uint32_t)) return fault(footer_.index, "the index is empty");
    const char* const count_at = payload.data() + payload.size() - sizeof(std::uint32_t);
    const std::uint64_t count = load<std::uint32_t>(count_at);
    const std::uint64_t room = payload.size() - sizeof(std::uint32_t);
    if (count == 0 || count * (kHandleBytesMin + kHandleOffsetBytes) > room) {
      return fault(footer_.index, fmt::format("an index of {} bytes cannot have {} handles",
                                              payload.size(), count));
    }
    if (count > reader_->properties_.entries) {
      return fault(footer_.index, fmt::format("{} data blocks for {} entries", count,
                                              reader_->properties_.entries));
    }
    const char* const offsets = count_at - count * kHandleOffsetBytes;
    const char* at = payload.data();
    std::uint64_t position = 0;
    std::string_view last_key;
    reader_->blocks_.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const bool is_in_place = load<std::uint32_t>(offsets + i * kHandleOffsetBytes) ==
                               static_cast<std::uint64_t>(at - payload.data());
      at = is_in_place ? load_handle(at, offsets, position, last_key) : nullptr;
      if (at == nullptr) {
        return fault(footer_.index, fmt::format("handle {} of the index makes no sense", i));
      }
    }
    const BlockPlace& next = footer_.filter.bytes > 0 ? footer_.filter : footer_.index;
    if (at != offsets || position != next.position) {
      return fault(footer_.index, "the index does not list all data blocks");
    }
    if (last_key != reader_->properties_.largest_key ||
        reader_->last_key_of(0) < reader_->properties_.smallest_key) {
      return fault(footer_.index, "the index's keys contradict the properties");
    }
    return success();
  }

  // Returns one past the handle; null if it is invalid. `last_key`: of the block before.
  const char* load_handle(const char* at, const char* end, std::uint64_t& position,
                          std::string_view& last_key) {
    std::string_view first_key;
    std::string_view key;
    if (footer_.has_first_keys) at = load_key(at, end, first_key);
    if (at != nullptr) at = load_key(at, end, key);
    if (at == nullptr || end - at < std::ptrdiff_t{8 + 4}) return nullptr;
    SstableReader::Block block;
    block.last_window = reader_->window_.of(key);
    block.position = load<std::uint64_t>(at);
    block.stored_bytes = load<std::uint32_t>(at + sizeof block.position);
    block.key_offset = static_cast<std::uint32_t>(key.data() - reader_->index_.data());
    block.key_bytes = static_cast<std::uint32_t>(key.size());
    // So positions stay below the file's size, and no sum of them overflows.
    const bool is_sound = block.position == position && block.stored_bytes >= kDataBlockBytesMin &&
                          block.stored_bytes <= footer_.index.position - position &&
                          key >= last_key;
    if (!is_sound) return nullptr;
    if (footer_.has_first_keys) {
      if (first_key < last_key || first_key > key) return nullptr;
      reader_->first_windows_.push_back(reader_->window_.of(first_key));
    }
    position += block.stored_bytes;
    last_key = key;
    reader_->blocks_.push_back(block);
    return at + sizeof block.position + sizeof block.stored_bytes;
  }

  Result<void> load_filter() {
    if (footer_.filter.bytes == 0) return success();
    std::string payload = BOOST_OUTCOME_TRYX(read_plain(*meta_, footer_.filter));
    if (payload.size() <= kFilterLineBytes || payload.size() % kFilterLineBytes != 1) {
      return fault(footer_.filter,
                   fmt::format("the filter has an invalid size: {} bytes", payload.size()));
    }
    reader_->probes_ = static_cast<unsigned char>(payload.back());
    payload.pop_back();
    reader_->filter_ = std::move(payload);
    return success();
  }

  [[nodiscard]] Error fault(const BlockPlace& place, std::string_view what) const {
    return damage(reader_->file_->path(), place.position, what);
  }

  std::unique_ptr<SstableReader> reader_;
  std::unique_ptr<EndInMemory> meta_;
  SstableFooter footer_;
};

Result<std::shared_ptr<const SstableReader>> SstableReader::open(std::unique_ptr<ReadableFile> file,
                                                                 FileId id,
                                                                 const KeyWindow& window) {
  return SstableOpener(std::move(file), id, window).open();
}

bool SstableReader::may_contain(std::uint64_t key_hash) const {
  return filter_.empty() || filter_contains(filter_, probes_, key_hash);
}

std::size_t SstableReader::block_of(std::string_view key) const {
  const auto by_window = [](const Block& block, std::uint64_t sought) {
    return block.last_window < sought;
  };
  const std::uint64_t window = window_.of(key);
  auto block = std::lower_bound(blocks_.begin(), blocks_.end(), window, by_window);
  // Usually one block ends with the window, or none.
  if (block != blocks_.end() && block->last_window == window) {
    const auto end = std::partition_point(
        block, blocks_.end(), [window](const Block& other) { return other.last_window == window; });
    block = std::lower_bound(block, end, key, [this](const Block& other, std::string_view sought) {
      return std::string_view(index_).substr(other.key_offset, other.key_bytes) < sought;
    });
  }
  return static_cast<std::size_t>(block - blocks_.begin());
}

std::string_view SstableReader::last_key_of(std::size_t block) const {
  return std::string_view(index_).substr(blocks_[block].key_offset, blocks_[block].key_bytes);
}

std::uint64_t SstableReader::block_position(std::size_t block) const {
  return blocks_[block].position;
}

std::uint32_t SstableReader::stored_bytes_of(std::size_t block) const {
  return blocks_[block].stored_bytes;
}

std::pair<std::size_t, std::size_t> SstableReader::blocks_in(const KeyRange& windows) const {
  const auto first = std::lower_bound(
      blocks_.begin(), blocks_.end(), windows.smallest,
      [](const Block& block, std::uint64_t sought) { return block.last_window < sought; });
  auto end = std::upper_bound(
      first, blocks_.end(), windows.largest,
      [](std::uint64_t sought, const Block& block) { return sought < block.last_window; });
  // The range's end usually lies in the block after those that end in the range, unless the last of
  // these ends exactly there.
  const bool ends_just_so = end != first && std::prev(end)->last_window == windows.largest;
  if (end != blocks_.end() && !ends_just_so) ++end;
  return {static_cast<std::size_t>(first - blocks_.begin()),
          static_cast<std::size_t>(end - blocks_.begin())};
}

std::shared_ptr<const KeptRanges> SstableReader::kept_ranges(Bytes range_bytes) const {
  KeptRangesBuilder ranges(has_first_keys() ? range_bytes : Bytes(file_->size()));
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const std::uint64_t first = has_first_keys() ? first_window_of(block)
                                : block == 0     ? window_.of(properties_.smallest_key)
                                                 : blocks_[block - 1].last_window;
    ranges.add_block({first, blocks_[block].last_window}, blocks_[block].stored_bytes);
  }
  return ranges.finish();
}

Bytes SstableReader::bytes_in(const KeyRange& windows) const {
  const auto [first, end] = blocks_in(windows);
  if (first == end) return Bytes(0);
  const Block& last = blocks_[end - 1];
  return Bytes(last.position + last.stored_bytes - blocks_[first].position);
}

Result<BlockHandle> SstableReader::fetch(std::size_t block, DataBlockCache& cache,
                                         BlockReads& reads) const {
  ++reads.blocks_fetched;
  if (BlockHandle handle = cache.find(id_, block)) return handle;
  BlockHandle handle = BOOST_OUTCOME_TRYX(read(block));
  ++reads.blocks_read;
  reads.bytes_read += stored_bytes_of(block);
  // A compressed block counts with its size in memory, an uncompressed one with its stored size.
  const std::uint64_t held_bytes = handle->payload_bytes() + kBlockTrailerBytes;
  cache.insert(id_, block, std::max<std::uint64_t>(held_bytes, stored_bytes_of(block)), handle);
  return handle;
}

Result<bool> SstableReader::passes(std::string_view key) const {
  if (!has_filter()) return true;
  if (!may_contain(hash_of_key(key))) return false;
  const std::size_t block = block_of(key);
  if (block == block_count()) return false;
  const BlockHandle handle = BOOST_OUTCOME_TRYX(read(block));
  const std::size_t at = handle->lower_bound(key);
  return at < handle->count() && handle->entry(at).key == key;
}

Result<BlockHandle> SstableReader::read(std::size_t block) const {
  CHECK(block < blocks_.size());
  const std::uint64_t position = blocks_[block].position;
  std::string stored =
      BOOST_OUTCOME_TRYX(read_exactly(*file_, position, blocks_[block].stored_bytes));
  const StoredBlock checked = BOOST_OUTCOME_TRYX(check_block(stored, file_->path(), position));
  if (checked.compression == Compression::kNone) {
    stored.resize(checked.payload.size());
  } else {
    std::string payload;
    if (!decompress_payload(checked.compression, checked.payload, payload)) {
      return damage(file_->path(), position, "a data block cannot be decompressed");
    }
    stored = std::move(payload);
  }
  std::optional<DataBlock> parsed = DataBlock::parse(std::move(stored));
  if (!parsed) return damage(file_->path(), position, "this is not a data block");
  return std::make_shared<const DataBlock>(std::move(*parsed));
}

}  // namespace lsmlab::engine

#include "models/sizes/prefix_table_size.h"

#include <algorithm>
#include <bit>

#include "models/base/check.h"
#include "models/base/varint.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kRestartInterval = 16;
constexpr std::uint64_t kRestartBytes = 4;
constexpr std::uint64_t kRestartCountBytes = 4;
constexpr std::uint64_t kTrailerBytes = 5;
constexpr std::uint64_t kIdBytes = 8;

// RocksDB: properties, metaindex and footer of a file without compression, whose column family has
// the default name. Measured on files of 7.8.3. Numbers in the properties are varints, so the
// constant is some bytes off.
constexpr std::uint64_t kRocksdbTailBytes = 971;
constexpr std::uint64_t kRocksdbTailFilterBytes = 71;  // in addition, if there is a filter
constexpr std::uint64_t kRocksdbFilterMetadataBytes = 5;
constexpr std::uint64_t kRocksdbFilterLineBytes = 64;

constexpr std::uint64_t kLeveldbFooterBytes = 48;
constexpr std::uint64_t kLeveldbFilterSpanBytes = 2048;
constexpr std::uint64_t kLeveldbFilterNameBytes = 34;  // "filter.leveldb.BuiltinBloomFilter2"

// The number of leading bytes that two ids have in common.
std::uint64_t shared_id_bytes(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(std::countl_zero(a ^ b)) / 8;
}

std::uint64_t id_byte(std::uint64_t id, std::uint64_t index) {
  return id >> (8 * (kIdBytes - 1 - index)) & 0xff;
}

// Bytes of the index key that separates two blocks: at or above `last` and below `next`
// (BytewiseComparator::FindShortestSeparator). It is `last` up to the first byte that differs, and
// that byte is increased by one. LevelDB keeps all of `last` if the byte would become equal to that
// of `next`.
std::uint64_t separator_bytes(std::uint64_t last, std::uint64_t next, std::uint64_t key_bytes,
                              bool is_rocksdb) {
  const std::uint64_t first = shared_id_bytes(last, next);
  CHECK(first < kIdBytes);
  const bool is_shortened = is_rocksdb || id_byte(last, first) + 1 < id_byte(next, first);
  return is_shortened ? first + 1 : key_bytes;
}

}  // namespace

// The stores' own estimate of the open block: entries, restarts and their number.
std::uint64_t PrefixTableSize::block_estimate() const {
  return block_bytes_ + std::max<std::uint64_t>(block_restarts_, 1) * kRestartBytes +
         kRestartCountBytes;
}

// RocksDB, FlushBlockBySizePolicy: a block that has reached nine tenths of its size ends before an
// entry that would exceed the size. The estimate for an entry uses its whole key plus four bytes
// for lengths.
bool PrefixTableSize::closes_before(std::uint64_t key_bytes, std::uint64_t value_bytes) const {
  if (!is_rocksdb() || block_entries_ == 0) return false;
  const std::uint64_t now = block_estimate();
  if (now >= format_.block_bytes) return true;
  const std::uint64_t internal_bytes = key_bytes + kTagBytes;
  const bool is_restart = block_entries_ % kRestartInterval == 0;
  const std::uint64_t after = now + internal_bytes + value_bytes +
                              (is_restart ? kRestartBytes : 0) + sizeof(std::int32_t) +
                              varint_bytes(internal_bytes) + varint_bytes(value_bytes);
  const std::uint64_t nearly_full = (std::uint64_t{format_.block_bytes} * 90 + 99) / 100;
  return after > format_.block_bytes && now > nearly_full;
}

void PrefixTableSize::add(std::uint64_t key, std::uint64_t key_bytes, std::uint64_t value_bytes) {
  CHECK(key_bytes >= kIdBytes);
  if (closes_before(key_bytes, value_bytes)) close_block();
  if (has_pending_index_entry_) add_to_index(key);
  std::uint64_t shared = 0;
  if (block_entries_ % kRestartInterval == 0) {
    ++block_restarts_;
  } else {
    shared = std::min(shared_id_bytes(last_key_, key), key_bytes);
  }
  const std::uint64_t unshared = key_bytes + kTagBytes - shared;
  block_bytes_ += varint_bytes(shared) + varint_bytes(unshared) + varint_bytes(value_bytes) +
                  unshared + value_bytes;
  ++block_entries_;
  ++entries_;
  ++filter_entries_;
  last_key_ = key;
  last_key_bytes_ = key_bytes;
  if (!is_rocksdb() && block_estimate() >= format_.block_bytes) close_block();
}

void PrefixTableSize::close_block() {
  last_block_bytes_ = block_estimate();
  closed_data_bytes_ += last_block_bytes_ + kTrailerBytes;
  closed_entry_bytes_ += block_bytes_;
  ++closed_blocks_;
  block_entries_ = block_bytes_ = block_restarts_ = 0;
  has_pending_index_entry_ = true;
  if (is_rocksdb()) return;
  while (closed_data_bytes_ / kLeveldbFilterSpanBytes > filters_) close_filter();
}

// LevelDB, FilterBlockBuilder::GenerateFilter: writes an offset, and if there are keys a filter of
// at least 64 bits plus its number of probes.
void PrefixTableSize::close_filter() {
  ++filters_;
  if (filter_entries_ == 0) return;
  const std::uint64_t bits = filter_entries_ * (format_.filter_millibits_per_key / 1000);
  filters_bytes_ += (std::max<std::uint64_t>(bits, 64) + 7) / 8 + 1;
  filter_entries_ = 0;
}

// Both stores' index blocks have a restart at every entry. RocksDB omits the tag and the length of
// the value.
std::uint64_t PrefixTableSize::index_entry_bytes(std::uint64_t separator) const {
  const std::uint64_t offset = closed_data_bytes_ - last_block_bytes_ - kTrailerBytes;
  const std::uint64_t handle = varint_bytes(offset) + varint_bytes(last_block_bytes_);
  const std::uint64_t key = separator + (is_rocksdb() ? 0 : kTagBytes);
  return 1 + varint_bytes(key) + (is_rocksdb() ? 0 : varint_bytes(handle)) + key + handle +
         kRestartBytes;
}

void PrefixTableSize::add_to_index(std::uint64_t next_key) {
  index_bytes_ +=
      index_entry_bytes(separator_bytes(last_key_, next_key, last_key_bytes_, is_rocksdb()));
  has_pending_index_entry_ = false;
}

std::uint64_t PrefixTableSize::all_data_bytes() const {
  if (block_entries_ == 0) return closed_data_bytes_;
  return closed_data_bytes_ + block_estimate() + kTrailerBytes;
}

std::uint64_t PrefixTableSize::filter_bytes() const {
  if (format_.filter_millibits_per_key == 0) return 0;
  if (!is_rocksdb()) {
    return filters_bytes_ + filters_ * sizeof(std::uint32_t) + sizeof(std::uint32_t) + 1 +
           kTrailerBytes;
  }
  const std::uint64_t bytes = (entries_ * format_.filter_millibits_per_key + 7'999) / 8'000;
  const std::uint64_t lines = (bytes + kRocksdbFilterLineBytes - 1) / kRocksdbFilterLineBytes;
  return lines * kRocksdbFilterLineBytes + kRocksdbFilterMetadataBytes + kTrailerBytes;
}

std::uint64_t PrefixTableSize::tail_bytes() const {
  if (is_rocksdb()) {
    return kRocksdbTailBytes + (format_.filter_millibits_per_key > 0 ? kRocksdbTailFilterBytes : 0);
  }
  std::uint64_t metaindex = kRestartBytes + kRestartCountBytes + kTrailerBytes;
  if (format_.filter_millibits_per_key > 0) {
    const std::uint64_t handle = varint_bytes(closed_data_bytes_) + varint_bytes(filter_bytes());
    metaindex += 3 + kLeveldbFilterNameBytes + handle;
  }
  return metaindex + kLeveldbFooterBytes;
}

PrefixTableSize::FileParts PrefixTableSize::file_parts() const {
  CHECK(entries_ > 0);
  PrefixTableSize whole = *this;
  if (whole.block_entries_ > 0) whole.close_block();
  if (!whole.is_rocksdb() && whole.filter_entries_ > 0) whole.close_filter();
  // LevelDB also shortens the last key: up to the first byte that can be increased.
  const std::uint64_t full = static_cast<std::uint64_t>(std::countl_one(last_key_)) / 8;
  const std::uint64_t shortened = std::min(full + 1, last_key_bytes_);
  whole.index_bytes_ += whole.index_entry_bytes(is_rocksdb() ? last_key_bytes_ : shortened);
  const std::uint64_t index = whole.index_bytes_ + kRestartCountBytes + kTrailerBytes;
  return {whole.closed_data_bytes_, index, whole.filter_bytes(), whole.tail_bytes()};
}

}  // namespace lsmlab

#include "models/sizes/prefix_table_size.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/base/check.h"
#include "models/base/portable_math.h"
#include "models/base/varint.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kRestartInterval = 16;
constexpr std::uint64_t kRestartBytes = 4;
constexpr std::uint64_t kRestartCountBytes = 4;
constexpr std::uint64_t kTrailerBytes = 5;

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

// Bytes of the index key that separates two blocks: at or above `last` and below `next`
// (BytewiseComparator::FindShortestSeparator). If they are versions of one key, it is `last`. It is
// `last` up to the first byte that differs, and that byte is increased by one. LevelDB keeps all of
// `last` if the byte would become equal to that of `next`.
std::uint64_t separator_bytes(const KeyFormat& keys, std::uint64_t last, std::uint64_t next,
                              std::uint64_t key_bytes, bool is_rocksdb) {
  if (last == next) return key_bytes;
  const std::uint64_t first = keys.shared_bytes(last, next);
  if (keys.text == KeyText::kRecorded) return std::min(first + 1, key_bytes);
  CHECK(first < keys.id_bytes());
  const bool is_shortened = is_rocksdb || keys.byte_of(last, first) + 1 < keys.byte_of(next, first);
  return is_shortened ? first + 1 : key_bytes;
}

// What may be expected of the ids of two neighbouring keys. Ids that share their first k bytes lie
// in the same interval of KeyFormat::ids_sharing(k) ids.
class NeighbourIds {
 public:
  NeighbourIds(const KeyFormat& keys, const MeanEntries& entries)
      : keys_(keys), gap_(std::max(entries.id_gap, 1.0)), has_equal_gaps_(entries.has_equal_gaps) {}

  /// The mean of KeyFormat::shared_bytes().
  [[nodiscard]] double shared_bytes() const {
    double bytes = 0;
    for (std::uint64_t k = 1; k < keys_.id_bytes(); ++k) bytes += shares(k);
    return bytes;
  }
  /// The mean of separator_bytes().
  [[nodiscard]] double separator_bytes(double key_bytes, bool is_rocksdb) const {
    const auto base = static_cast<double>(keys_.base());
    const double share = (base - 1) / base;
    double bytes = 0;
    for (std::uint64_t k = 0; k < keys_.id_bytes(); ++k) {
      const double differs = shares(k) - shares(k + 1);
      // Byte k is the first that differs, and it differs by one: the ids lie in neighbouring
      // intervals of k + 1 bytes, and no boundary of k bytes lies between them.
      const double by_one = is_rocksdb ? 0 : std::min(differs, is_next(k + 1) * share);
      bytes += (differs - by_one) * static_cast<double>(k + 1) + by_one * key_bytes;
    }
    return bytes;
  }

 private:
  [[nodiscard]] double width_in_gaps(std::uint64_t k) const { return keys_.ids_sharing(k) / gap_; }
  // The probability that both ids share their first k bytes.
  [[nodiscard]] double shares(std::uint64_t k) const {
    if (k == 0) return 1;
    if (k == keys_.id_bytes()) return 0;  // no two ids are equal
    const double width = width_in_gaps(k);
    if (has_equal_gaps_) return std::max(0.0, 1 - 1 / width);
    return 1 + portable_expm1(-std::min(width, kFar)) / width;
  }
  // The probability that the second id lies in the interval after that of the first one.
  [[nodiscard]] double is_next(std::uint64_t k) const {
    const double width = width_in_gaps(k);
    if (has_equal_gaps_) return std::max(0.0, 1 - std::abs(1 / width - 1));
    const double leaves = portable_expm1(-std::min(width, kFar));
    return leaves * leaves / width;
  }
  static constexpr double kFar = 600;  // exp(-600) does not count

  KeyFormat keys_;
  double gap_;
  bool has_equal_gaps_;
};

std::uint64_t whole(double bytes) { return static_cast<std::uint64_t>(bytes + 0.5); }

double varint_bytes_near(double value) { return static_cast<double>(varint_bytes(whole(value))); }

// The bytes of the varints of 0, step, 2 * step, ... (`count` numbers).
double varint_bytes_of_multiples(std::uint64_t count, double step) {
  const auto numbers = static_cast<double>(count);
  double bytes = numbers;
  for (double threshold = 128; threshold < step * numbers; threshold *= 128) {
    bytes += std::max(0.0, numbers - std::ceil(threshold / step));
  }
  return bytes;
}

// A data block of entries of one size.
struct EqualBlock {
  double restart_bytes = 0;  // of an entry with its whole key
  double other_bytes = 0;    // of an entry without the bytes that it shares with the one before

  [[nodiscard]] static double restarts(std::uint64_t entries) {
    return static_cast<double>((entries + kRestartInterval - 1) / kRestartInterval);
  }
  [[nodiscard]] double entry_bytes(std::uint64_t entries) const {
    return restarts(entries) * (restart_bytes - other_bytes) +
           static_cast<double>(entries) * other_bytes;
  }
  /// As PrefixTableSize::block_estimate().
  [[nodiscard]] double estimate(std::uint64_t entries) const {
    return entry_bytes(entries) + std::max(restarts(entries), 1.0) * kRestartBytes +
           kRestartCountBytes;
  }
  /// Entries that take about so many bytes.
  [[nodiscard]] std::uint64_t entries_near(double bytes) const {
    const double more = (restart_bytes - other_bytes + kRestartBytes) / kRestartInterval;
    return std::max<std::uint64_t>(1, whole(bytes / (other_bytes + more)));
  }
};

// The entries of a block when it closes, by the rules of closes_before() and add().
std::uint64_t entries_of_full(const EqualBlock& block, const MeanEntries& entries,
                              std::uint64_t block_size, bool is_rocksdb) {
  const auto size = static_cast<double>(block_size);
  const double nearly_full = std::ceil(size * 90 / 100);
  const double internal = entries.key_bytes + kTagBytes;
  const double next = internal + entries.value_bytes + sizeof(std::int32_t) +
                      varint_bytes_near(internal) + varint_bytes_near(entries.value_bytes);
  const auto is_full = [&](std::uint64_t count) {
    const double now = block.estimate(count);
    if (now >= size || !is_rocksdb) return now >= size;
    const double after = now + next + (count % kRestartInterval == 0 ? kRestartBytes : 0);
    return after > size && now > nearly_full;
  };
  std::uint64_t count = block.entries_near(size);
  while (count > 1 && is_full(count - 1)) --count;
  while (!is_full(count)) ++count;
  return count;
}

}  // namespace

// The stores' own estimate of the open block: entries, restarts and their number.
std::uint64_t PrefixTableSize::block_estimate() const {
  return block_bytes_ + std::max<std::uint64_t>(block_restarts_, 1) * kRestartBytes +
         kRestartCountBytes;
}

// Restarts are divided as the entries' bytes are.
std::uint64_t PrefixTableSize::stored_block_bytes() const {
  const std::uint64_t all = block_estimate();
  const std::uint64_t bare =
      block_bare_bytes_ == 0
          ? 0
          : static_cast<std::uint64_t>(Uint128{all} * block_bare_bytes_ / block_bytes_);
  return format_.compression.stored_bytes(all, bare);
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
  CHECK(key_bytes >= format_.keys.id_bytes());
  if (closes_before(key_bytes, value_bytes)) close_block();
  if (has_pending_index_entry_) add_to_index(key);
  std::uint64_t shared = 0;
  const bool is_bare = value_bytes == 0;
  if (block_entries_ % kRestartInterval == 0) {
    ++block_restarts_;
  } else if (entries_ > 0 && key == last_key_) {
    // Of the tag, the kind comes first and then the lowest byte of the sequence number.
    shared = key_bytes + (is_bare == last_is_bare_ ? 1 : 0);
  } else {
    // Recorded keys may be shorter than what keys share in the mean.
    const std::uint64_t most =
        std::min(last_key_bytes_, key_bytes - std::min<std::uint64_t>(key_bytes, 1));
    shared = std::min(format_.keys.shared_bytes(last_key_, key), most);
  }
  const std::uint64_t unshared = key_bytes + kTagBytes - shared;
  const std::uint64_t bytes = varint_bytes(shared) + varint_bytes(unshared) +
                              varint_bytes(value_bytes) + unshared + value_bytes;
  block_bytes_ += bytes;
  if (is_bare) block_bare_bytes_ += bytes;
  last_is_bare_ = is_bare;
  ++block_entries_;
  ++entries_;
  ++filter_entries_;
  last_key_ = key;
  last_key_bytes_ = key_bytes;
  if (!is_rocksdb() && block_estimate() >= format_.block_bytes) close_block();
}

void PrefixTableSize::add_expected(const MeanEntries& given) {
  CHECK(entries_ == 0 && given.count > 0);
  CHECK(given.key_bytes >= static_cast<double>(format_.keys.id_bytes()));
  const NeighbourIds ids(format_.keys, given);
  const double internal = given.key_bytes + kTagBytes;
  const double value = varint_bytes_near(given.value_bytes) + given.value_bytes;
  const double versions = given.version_share;
  const double shared = versions * (given.key_bytes + 1) + (1 - versions) * ids.shared_bytes();
  const EqualBlock block{1 + varint_bytes_near(internal) + internal + value,
                         1 + varint_bytes_near(internal - shared) + internal - shared + value};
  const std::uint64_t per_block = entries_of_full(block, given, format_.block_bytes, is_rocksdb());
  // RocksDB closes a full block when the next entry comes.
  closed_blocks_ = (given.count - (is_rocksdb() ? 1 : 0)) / per_block;
  const auto closed = static_cast<double>(closed_blocks_);
  entries_ = given.count;
  last_key_bytes_ = whole(given.key_bytes);
  block_entries_ = given.count - closed_blocks_ * per_block;
  block_bytes_ = whole(block.entry_bytes(block_entries_));
  block_restarts_ = (block_entries_ + kRestartInterval - 1) / kRestartInterval;
  const double entry = block.entry_bytes(per_block) / static_cast<double>(per_block);
  const double bare_share = std::min(1.0, given.bare_share * (entry - value + 1) / entry);
  block_bare_bytes_ = whole(static_cast<double>(block_bytes_) * bare_share);
  const double share = format_.compression.stored_share(bare_share);
  const double stored_block = block.estimate(per_block) * share;
  last_block_bytes_ = whole(stored_block);
  const double stored = stored_block + kTrailerBytes;
  closed_entry_bytes_ = whole(closed * block.entry_bytes(per_block));
  closed_data_bytes_ = whole(closed * stored);
  // A closed block has its index entry once a key follows.
  has_pending_index_entry_ = block_entries_ == 0 && closed_blocks_ > 0;
  const std::uint64_t indexed = closed_blocks_ - (has_pending_index_entry_ ? 1 : 0);
  const double separator = versions * given.key_bytes +
                           (1 - versions) * ids.separator_bytes(given.key_bytes, is_rocksdb()) +
                           (is_rocksdb() ? 0 : kTagBytes);
  // LevelDB stores the length of the handle too: a byte.
  const double fixed = 1 + varint_bytes_near(separator) + separator + (is_rocksdb() ? 0 : 1) +
                       varint_bytes_near(stored) + kRestartBytes;
  index_bytes_ =
      whole(static_cast<double>(indexed) * fixed + varint_bytes_of_multiples(indexed, stored));
  if (!is_rocksdb()) add_expected_filters(per_block);
}

// A filter has the entries of one block, or of more if blocks are smaller than its span.
void PrefixTableSize::add_expected_filters(std::uint64_t per_block) {
  filters_ = closed_data_bytes_ / kLeveldbFilterSpanBytes;
  filter_entries_ = entries_;
  const std::uint64_t filled = std::min(filters_, closed_blocks_);
  if (filled == 0) return;
  filter_entries_ = block_entries_;
  const std::uint64_t bits =
      per_block * closed_blocks_ * (format_.filter_millibits_per_key / 1000) / filled;
  filters_bytes_ = filled * ((std::max<std::uint64_t>(bits, 64) + 7) / 8 + 1);
}

void PrefixTableSize::close_block() {
  last_block_bytes_ = stored_block_bytes();
  closed_data_bytes_ += last_block_bytes_ + kTrailerBytes;
  closed_entry_bytes_ += block_bytes_;
  ++closed_blocks_;
  block_entries_ = block_bytes_ = block_bare_bytes_ = block_restarts_ = 0;
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
  index_bytes_ += index_entry_bytes(
      separator_bytes(format_.keys, last_key_, next_key, last_key_bytes_, is_rocksdb()));
  has_pending_index_entry_ = false;
}

std::uint64_t PrefixTableSize::all_data_bytes() const {
  if (block_entries_ == 0) return closed_data_bytes_;
  return closed_data_bytes_ + stored_block_bytes() + kTrailerBytes;
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
  const bool is_binary = format_.keys.text == KeyText::kBinary;
  const std::uint64_t full =
      is_binary ? static_cast<std::uint64_t>(std::countl_one(last_key_)) / 8 : 0;
  const std::uint64_t shortened = std::min(full + 1, last_key_bytes_);
  whole.index_bytes_ += whole.index_entry_bytes(is_rocksdb() ? last_key_bytes_ : shortened);
  const std::uint64_t index =
      format_.compression.stored_index_bytes(whole.index_bytes_ + kRestartCountBytes) +
      kTrailerBytes;
  return {whole.closed_data_bytes_, index, whole.filter_bytes(), whole.tail_bytes()};
}

}  // namespace lsmlab

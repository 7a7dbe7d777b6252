// The bytes of a write in the write-ahead log. lsmlab's engine writes records of this form
// (engine/logs/wal.h); simulators count those of the system whose tables they measure.
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/varint.h"
#include "models/sizes/store_options.h"

namespace lsmlab {

/// Bytes of a record's frame: the payload's length (u32) and its checksum (u64).
inline constexpr std::uint64_t kLogFrameBytes = 12;

/// The bytes of a record of one put or delete (the value of a delete has 0 bytes). `operations`:
/// the number so far, which is the policies' clock.
[[nodiscard]] constexpr std::uint64_t wal_record_bytes(std::uint64_t operations,
                                                       std::uint64_t key_bytes,
                                                       std::uint64_t value_bytes) {
  constexpr std::uint64_t kSequenceBytes = 8;
  constexpr std::uint64_t kKindBytes = 1;
  constexpr std::uint64_t kEntries = 1;
  return kLogFrameBytes + kSequenceBytes + varint_bytes(operations) + varint_bytes(kEntries) +
         kKindBytes + varint_bytes(key_bytes) + varint_bytes(value_bytes) + key_bytes + value_bytes;
}

/// What a simulated store's writes add to its log. Not counted: marks of lsmlab's logs, some 60
/// bytes a memtable and 26 a sync, and the headers of RocksDB's and LevelDB's pieces of records, 7
/// bytes for each 32 KiB of log.
class WalSize {
 public:
  /// A store that writes no log.
  WalSize() = default;
  explicit WalSize(const StoreOptions& store)
      : is_written_(store.writes_log), layout_(store.layout), write_batch_(store.write_batch) {}

  [[nodiscard]] bool is_written() const { return is_written_; }

  /// Where the number of operations does not matter much: that of most runs.
  static constexpr std::uint64_t kManyOperations = (std::uint64_t{1} << 28) - 1;

  /// Bytes of a put, or of a delete, which has no value; 0 without a log. A write's part of a batch
  /// of RocksDB or LevelDB is rounded up. `operations`: the number so far; lsmlab's record is one
  /// byte larger for each seven bits of it.
  [[nodiscard]] constexpr std::uint64_t write_bytes(
      std::uint64_t key_bytes, std::optional<std::uint64_t> value_bytes,
      std::uint64_t operations = kManyOperations) const {
    if (!is_written_) return 0;
    if (layout_ == SstableLayout::kLsmlab) {
      return wal_record_bytes(operations, key_bytes, value_bytes.value_or(0));
    }
    // db/log_format.h and db/write_batch.cc of both: checksum u32, length u16, kind u8; sequence
    // number u64, entries u32. Then of each entry its kind u8, key and value with their lengths.
    constexpr std::uint64_t kBatchBytes = 7 + 12;
    const std::uint64_t batch_share = (kBatchBytes + write_batch_ - 1) / write_batch_;
    const std::uint64_t of_value = value_bytes ? varint_bytes(*value_bytes) + *value_bytes : 0;
    return batch_share + 1 + varint_bytes(key_bytes) + key_bytes + of_value;
  }

 private:
  bool is_written_ = false;
  SstableLayout layout_ = SstableLayout::kLsmlab;
  std::uint64_t write_batch_ = 1;
};

}  // namespace lsmlab

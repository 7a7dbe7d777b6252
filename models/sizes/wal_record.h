// The bytes of a write in the write-ahead log of lsmlab's engine (engine/logs/wal.h). The engine
// writes records of this form, and the timed simulator counts them.
#pragma once

#include <cstdint>

#include "models/base/varint.h"

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

/// The bytes of a record besides key and value; the simulator uses this constant for every write.
/// It is exact for keys and values below 128 bytes and from 2^21 to 2^28 operations. With fewer
/// operations a record is up to three bytes smaller, with a value of up to 16 KiB one byte larger.
inline constexpr std::uint64_t kWalRecordOverheadBytes =
    wal_record_bytes((std::uint64_t{1} << 28) - 1, 127, 127) - 127 - 127;
static_assert(kWalRecordOverheadBytes == 28);

}  // namespace lsmlab

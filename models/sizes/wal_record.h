// How many bytes a write takes in the write-ahead log of lsmlab's engine (engine/logs/wal.h): the
// engine writes records of this form, the timed simulator counts them.
#pragma once

#include <cstdint>

#include "models/base/varint.h"

namespace lsmlab {

/// Of a record's frame: the payload's length u32 and its checksum u64.
inline constexpr std::uint64_t kLogFrameBytes = 12;

/// A record of one put or delete (its value is of 0 bytes). `operations`: so far, the clock of the
/// policies.
[[nodiscard]] constexpr std::uint64_t wal_record_bytes(std::uint64_t operations,
                                                       std::uint64_t key_bytes,
                                                       std::uint64_t value_bytes) {
  constexpr std::uint64_t kSequenceBytes = 8;
  constexpr std::uint64_t kKindBytes = 1;
  constexpr std::uint64_t kEntries = 1;
  return kLogFrameBytes + kSequenceBytes + varint_bytes(operations) + varint_bytes(kEntries) +
         kKindBytes + varint_bytes(key_bytes) + varint_bytes(value_bytes) + key_bytes + value_bytes;
}

/// What a record takes beside key and value, as the simulator has it for every write: exact for
/// keys and values below 128 bytes, from 2^21 to 2^28 operations. Fewer operations take up to three
/// bytes less, a value of up to 16 KiB one byte more.
inline constexpr std::uint64_t kWalRecordOverheadBytes =
    wal_record_bytes((std::uint64_t{1} << 28) - 1, 127, 127) - 127 - 127;
static_assert(kWalRecordOverheadBytes == 28);

}  // namespace lsmlab

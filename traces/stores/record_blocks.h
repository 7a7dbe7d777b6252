// The record format of the MANIFEST and the write-ahead logs of LevelDB and RocksDB: blocks of
// 32 KiB that hold records or their fragments, each with a masked CRC-32C.
// Source: LevelDB doc/log_format.md; RocksDB db/log_format.h, db/log_reader.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "models/base/error.h"

namespace lsmlab::stores {

/// Receives each whole record and the offset of its first fragment. False ends the reading.
using RecordVisitor = std::function<bool(std::string_view record, std::uint64_t offset)>;

/// Calls `visit` for each whole record before the first fault. Faults (each names the offset): the
/// bytes end within a record; a checksum, length, record type or order of fragments is wrong.
/// Zeros that a file system allocated in advance are no fault.
[[nodiscard]] std::optional<Error> visit_records(std::string_view bytes,
                                                 const RecordVisitor& visit);

/// True if the bytes begin with a fragment whose checksum is right.
[[nodiscard]] bool begins_with_record(std::string_view bytes);

/// The CRC-32C of the bytes, masked as both systems store it.
[[nodiscard]] std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace lsmlab::stores

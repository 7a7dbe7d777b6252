// Writes MANIFEST files of LevelDB and RocksDB for tests, with faults on request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traces/stores/record_blocks.h"

namespace lsmlab::testing {

inline std::string fixed(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

inline std::string varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>((value & 0x7f) | 0x80);
  return text + static_cast<char>(value);
}

inline std::string slice(std::string_view text) { return varint(text.size()) + std::string(text); }

// A user key with the eight bytes of sequence number and kind.
inline std::string internal_key(const std::string& key) { return slice(key + fixed(0x101, 8)); }

// Tag 7: LevelDB's new file.
inline std::string new_file(unsigned level, std::uint64_t number, std::uint64_t bytes,
                            const std::string& first, const std::string& last) {
  return varint(7) + varint(level) + varint(number) + varint(bytes) + internal_key(first) +
         internal_key(last);
}

// Tag 103: RocksDB's new file. `custom`: fields before the last one.
inline std::string new_file4(unsigned level, std::uint64_t number, std::uint64_t bytes,
                             const std::string& first, const std::string& last,
                             const std::string& custom = "") {
  return varint(103) + varint(level) + varint(number) + varint(bytes) + internal_key(first) +
         internal_key(last) + varint(1) + varint(9) + custom + varint(1);
}

inline std::string deleted_file(unsigned level, std::uint64_t number) {
  return varint(6) + varint(level) + varint(number);
}

/// Appends a record, in fragments where a block of 32 KiB ends. `recycled`: the types with a log
/// number.
inline void append_record(std::string& file, std::string_view record, bool recycled = false) {
  constexpr std::size_t kBlock = 32768;
  const std::size_t header = recycled ? 11 : 7;
  bool is_first = true;
  for (;;) {
    std::size_t left = kBlock - file.size() % kBlock;
    if (left < header) {
      file.append(left, '\0');
      left = kBlock;
    }
    const std::size_t length = std::min(record.size(), left - header);
    const bool is_last = length == record.size();
    const int type = (is_first ? (is_last ? 1 : 2) : (is_last ? 4 : 3)) + (recycled ? 4 : 0);
    const std::string covered = fixed(static_cast<std::uint64_t>(type), 1) +
                                (recycled ? fixed(77, 4) : "") +
                                std::string(record.substr(0, length));
    file += fixed(stores::masked_crc32c(covered), 4) + fixed(length, 2) + covered;
    record.remove_prefix(length);
    is_first = false;
    if (is_last) return;
  }
}

}  // namespace lsmlab::testing

// Encodes and decodes the integers and entries of docs/sstable.md. Decoding checks everything:
// bytes on disk may be anything.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/sstable/entry_view.h"

namespace lsmlab::engine {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::uint64_t kVarint32BytesMax = 5;
inline constexpr std::uint64_t kKeyBytesMax = 65535;
/// Two lengths of one byte each, and a tag.
inline constexpr std::uint64_t kEntryBytesMin = 10;

template <class T>
[[nodiscard]] T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
char* store(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

template <class T>
void append_number(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline char* store_varint(char* at, std::uint32_t value) {
  for (; value >= 128; value >>= 7) *at++ = static_cast<char>(value | 128);
  *at++ = static_cast<char>(value);
  return at;
}

inline void append_varint(std::string& out, std::uint32_t value) {
  char bytes[kVarint32BytesMax];
  out.append(bytes, static_cast<std::size_t>(store_varint(bytes, value) - bytes));
}

/// Returns one past the number; null if it exceeds the end or 32 bits, or is longer than necessary.
[[nodiscard]] inline const char* load_varint(const char* at, const char* end,
                                             std::uint32_t& value) {
  std::uint64_t sum = 0;
  for (unsigned shift = 0; shift < 7 * kVarint32BytesMax && at < end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    sum |= std::uint64_t{byte & 127U} << shift;
    if (byte >= 128) continue;
    value = static_cast<std::uint32_t>(sum);
    return sum >> 32 != 0 || (byte == 0 && shift > 0) ? nullptr : at;
  }
  return nullptr;
}

/// Returns one past the entry; null if it exceeds the end or is not an entry.
[[nodiscard]] inline const char* load_entry(const char* at, const char* end, EntryView& entry) {
  if (end - at < static_cast<std::ptrdiff_t>(kEntryBytesMin)) return nullptr;
  std::uint32_t key_bytes = static_cast<unsigned char>(at[0]);
  std::uint32_t value_bytes = static_cast<unsigned char>(at[1]);
  if ((key_bytes | value_bytes) < 128) {
    at += 2;
  } else {
    at = load_varint(at, end, key_bytes);
    if (at == nullptr || key_bytes > kKeyBytesMax) return nullptr;
    at = load_varint(at, end, value_bytes);
    if (at == nullptr) return nullptr;
  }
  const std::uint64_t bytes = sizeof entry.tag + key_bytes + std::uint64_t{value_bytes};
  if (static_cast<std::uint64_t>(end - at) < bytes) return nullptr;
  entry.tag = load<std::uint64_t>(at);
  const std::uint64_t kind = entry.tag & 0xff;
  if (kind > 1 || (kind == 1 && value_bytes > 0)) return nullptr;
  entry.key = {at + sizeof entry.tag, key_bytes};
  entry.value = {entry.key.data() + key_bytes, value_bytes};
  return at + bytes;
}

/// Positions of the parts of a data block's payload.
struct DataBlockShape {
  std::uint32_t count = 0;            // 0: the payload is not a data block
  const char* entries_end = nullptr;  // the offsets begin here

  explicit DataBlockShape(std::string_view payload) {
    if (payload.size() < sizeof(std::uint16_t)) return;
    const char* const offsets_end = payload.data() + payload.size() - sizeof(std::uint16_t);
    const std::uint32_t stated = load<std::uint16_t>(offsets_end);
    const std::uint64_t tail_bytes = (std::uint64_t{stated} + 1) * sizeof(std::uint16_t);
    if (payload.size() < tail_bytes + stated * kEntryBytesMin) return;
    count = stated;
    entries_end = offsets_end - std::uint64_t{stated} * sizeof(std::uint16_t);
  }
  [[nodiscard]] std::uint64_t offset(std::size_t index) const {
    return load<std::uint16_t>(entries_end + index * sizeof(std::uint16_t));
  }
};

}  // namespace lsmlab::engine

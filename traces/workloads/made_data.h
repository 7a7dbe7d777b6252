// Keys and values of a replay. A key is made from an operation's 64-bit id. A value identifies the
// write that made it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/decimal.h"
#include "models/base/error.h"

namespace lsmlab {

/// Makes the key of an id: eight bytes, most significant first, then the padding up to the key's
/// size. Keys therefore sort like ids. REQUIRES: key_bytes >= 8.
void encode_key(std::uint64_t id, std::uint32_t key_bytes, std::string& key, char padding = '\0');
/// The id of a key that encode_key() made.
[[nodiscard]] std::uint64_t decode_key(std::string_view key);

/// What values look like.
struct ValueShape {
  // Without a ratio: bytes that no codec shortens. With one: pieces of 100 printable characters, of
  // which this share is random and is then repeated, as db_bench's --compression_ratio makes them
  // (RocksDB 7.8.3, tools/db_bench_tool.cc, CompressibleString).
  std::optional<Decimal> ratio = {};
};

/// Makes a value that looks random and depends only on key, write number and shape.
void make_value(std::uint64_t id, std::uint64_t write_number, std::uint32_t value_bytes,
                std::string& value, const ValueShape& shape = {});
/// Whether make_value() would make this value.
[[nodiscard]] bool is_made_value(std::uint64_t id, std::uint64_t write_number,
                                 std::uint32_t value_bytes, std::string_view value,
                                 const ValueShape& shape = {});

}  // namespace lsmlab

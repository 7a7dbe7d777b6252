// Values of a replay. A value identifies the write that made it. Keys: models/sizes/key_format.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/decimal.h"
#include "models/base/error.h"

namespace lsmlab {

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

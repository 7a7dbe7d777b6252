// Keys and values of a replay. A key is made from an operation's 64-bit id. A value identifies the
// write that made it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/error.h"
#include "traces/workloads/operation.h"

namespace lsmlab::engine {

/// Makes the key of an id: eight bytes, most significant first, then zeros up to the key's size.
/// Keys therefore sort like ids. REQUIRES: key_bytes >= 8.
void encode_key(std::uint64_t id, std::uint32_t key_bytes, std::string& key);
/// The id of a key that encode_key() made.
[[nodiscard]] std::uint64_t decode_key(std::string_view key);
/// Error if the key is too small for its id, or the value too large for a store; such a value is
/// never made.
[[nodiscard]] Result<void> check_replayable(const Operation& operation);

/// Makes a value that looks random and depends only on key and write number.
void make_value(std::uint64_t id, std::uint64_t write_number, std::uint32_t value_bytes,
                std::string& value);
/// Whether make_value() would make this value. Does not make it.
[[nodiscard]] bool is_made_value(std::uint64_t id, std::uint64_t write_number,
                                 std::uint32_t value_bytes, std::string_view value);

}  // namespace lsmlab::engine

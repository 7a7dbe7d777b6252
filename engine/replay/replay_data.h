// Keys and values of a replay: keys from the operations' 64-bit ids, values that can be told from
// the write that made them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/error.h"
#include "traces/workloads/operation.h"

namespace lsmlab::engine {

/// An id as a key: eight bytes, highest first, and zeros up to the key's size, so that keys rise
/// with ids. REQUIRES: key_bytes >= 8.
void encode_key(std::uint64_t id, std::uint32_t key_bytes, std::string& key);
/// The id of such a key.
[[nodiscard]] std::uint64_t decode_key(std::string_view key);
/// Errors: a key too small for its id; a value that no store takes, which is never made.
[[nodiscard]] Result<void> check_replayable(const Operation& operation);

/// Bytes that look random and follow from key and write number alone.
void make_value(std::uint64_t id, std::uint64_t write_number, std::uint32_t value_bytes,
                std::string& value);
/// Whether that is the value, without making it.
[[nodiscard]] bool is_made_value(std::uint64_t id, std::uint64_t write_number,
                                 std::uint32_t value_bytes, std::string_view value);

}  // namespace lsmlab::engine

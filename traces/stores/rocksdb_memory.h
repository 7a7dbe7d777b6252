// The memory of RocksDB's memtables, as files state it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lsmlab::stores {

/// What db_write_buffer_size says, where it has an effect on memtables of `write_buffer_size`: only
/// below the largest one, whose last block may go beyond its own limit by six tenths
/// (MemTable::ShouldFlushNow). Nothing: no limit.
[[nodiscard]] std::optional<std::uint64_t> effective_shared_buffer(
    std::string_view db_write_buffer_size, std::string_view write_buffer_size);

/// What arena_block_size says, where it is not what the policy's rules of `version` (0: the newest
/// that differ, see version_step()) have for memtables of `write_buffer_size` anyway. Files always
/// name it, with 0 for RocksDB's own choice or with that choice. RocksDB brings other values into
/// the range of arena_block. Nothing: the option is missing or no number.
[[nodiscard]] std::optional<std::uint64_t> unusual_arena_block(std::string_view arena_block_size,
                                                               std::string_view write_buffer_size,
                                                               unsigned version);

}  // namespace lsmlab::stores

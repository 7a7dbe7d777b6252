#include "traces/stores/rocksdb_memory.h"

#include <algorithm>

#include "models/base/rocksdb_arena.h"
#include "traces/stores/option_table.h"
#include "traces/stores/text_scanning.h"

namespace lsmlab::stores {

std::optional<std::uint64_t> effective_shared_buffer(std::string_view db_write_buffer_size,
                                                     std::string_view write_buffer_size) {
  constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 48;
  const auto limit = leading_number(db_write_buffer_size);
  if (!limit || *limit == 0) return std::nullopt;
  const auto memtable = leading_number(write_buffer_size);
  const std::uint64_t bytes = std::min(*limit, kBytesMax);
  if (!write_buffer_size.empty() && bytes / 8 * 7 > memtable.value_or(0) / 8 * 9) {
    return std::nullopt;
  }
  return bytes;
}

std::optional<std::uint64_t> unusual_arena_block(std::string_view arena_block_size,
                                                 std::string_view write_buffer_size,
                                                 unsigned version) {
  const auto stated = leading_number(arena_block_size);
  const auto memtable = leading_number(write_buffer_size);
  if (!stated || *stated == 0 || !memtable) return std::nullopt;
  // As Arena::OptimizeBlockSize.
  const std::uint64_t block = std::clamp(*stated, kArenaBlockBytesMin, kArenaBlockBytesMax);
  const Bytes buffer(std::min(*memtable, std::uint64_t{1} << 40));
  const bool is_old = version > 0 && version_step(version) == "6.12";
  const Bytes standard = is_old ? old_arena_block(buffer) : default_arena_block(buffer);
  return Bytes(block) == standard ? std::nullopt : std::optional(block);
}

}  // namespace lsmlab::stores

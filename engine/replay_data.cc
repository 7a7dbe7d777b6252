#include "engine/replay_data.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace lsmlab::engine {

void encode_key(std::uint64_t id, std::uint32_t key_bytes, std::string& key) {
  key.assign(key_bytes, '\0');
  static_assert(std::endian::native == std::endian::little);
  const std::uint64_t big_endian = __builtin_bswap64(id);
  std::memcpy(key.data(), &big_endian, sizeof big_endian);
}

std::uint64_t decode_key(std::string_view key) {
  std::uint64_t big_endian = 0;
  std::memcpy(&big_endian, key.data(), sizeof big_endian);
  return __builtin_bswap64(big_endian);
}

Result<void> check_replayable(const Operation& operation) {
  if (operation.key_bytes >= sizeof operation.key) return success();
  return input_error(
      fmt::format("key {} has {} bytes; a replayed key has at least {}, which its id takes",
                  operation.key, operation.key_bytes, sizeof operation.key));
}

void make_value(std::uint64_t id, std::uint64_t write_number, std::uint32_t value_bytes,
                std::string& value) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  value.resize(value_bytes);
  std::uint64_t state = id ^ (write_number * kOdd);
  char* out = value.data();
  std::size_t left = value.size();
  while (left >= sizeof state) {
    // A multiplicative step and a shift: values need not be random, but not compress to nothing.
    state = state * 0xd1342543de82ef95 + kOdd;
    const std::uint64_t word = state ^ (state >> 32);
    std::memcpy(out, &word, sizeof word);
    out += sizeof word;
    left -= sizeof word;
  }
  state = state * 0xd1342543de82ef95 + kOdd;
  std::memcpy(out, &state, left);
}

}  // namespace lsmlab::engine

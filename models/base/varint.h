// Lengths of variable-length integers: seven bits a byte.
#pragma once

#include <bit>
#include <cstdint>

namespace lsmlab {

[[nodiscard]] constexpr std::uint64_t varint_bytes(std::uint64_t value) {
  return (static_cast<std::uint64_t>(std::bit_width(value | 1)) + 6) / 7;
}

}  // namespace lsmlab

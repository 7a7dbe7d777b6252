// The length in bytes of variable-length integers, which have seven bits per byte.
#pragma once

#include <bit>
#include <cstdint>

namespace lsmlab {

[[nodiscard]] constexpr std::uint64_t varint_bytes(std::uint64_t value) {
  return (static_cast<std::uint64_t>(std::bit_width(value | 1)) + 6) / 7;
}

}  // namespace lsmlab

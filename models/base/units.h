// Strong types for the quantities that cross rooms: bytes cannot be added to entries by accident.
// Sizes are 64-bit and checked where they enter (kBytesMax); sums over a run are 128-bit and cannot
// overflow.
#pragma once

#include <compare>
#include <cstdint>

namespace lsmlab {

__extension__ typedef unsigned __int128 Uint128;

template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::uint64_t value) : value_(value) {}
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }

 private:
  std::uint64_t value_ = 0;
};

using Bytes = Quantity<struct BytesTag>;
using Entries = Quantity<struct EntriesTag>;
/// Operations so far in stepped mode, nanoseconds in timed mode.
using Instant = Quantity<struct InstantTag>;
using FileId = Quantity<struct FileIdTag>;
using RunId = Quantity<struct RunIdTag>;

/// Numbers of the first and the last write that something holds, counted from 1.
struct SequenceSpan {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const SequenceSpan&, const SequenceSpan&) = default;
};

/// Largest amount of data that may be flushed in one run. Every SSTable is smaller, so sums of two
/// sizes fit 64 bits.
inline constexpr std::uint64_t kFlushedBytesMax = std::uint64_t{1} << 63;

}  // namespace lsmlab

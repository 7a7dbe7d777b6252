// Strong types for quantities that folders exchange, so that nobody adds bytes to entries by
// accident. Sizes have 64 bits and are checked where they are read (kFlushedBytesMax). Sums over a
// run have 128 bits and cannot overflow.
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
/// A point in time: operations so far in stepped mode, nanoseconds in timed mode.
using Instant = Quantity<struct InstantTag>;
using FileId = Quantity<struct FileIdTag>;
using RunId = Quantity<struct RunIdTag>;

/// The numbers of the first and the last write of a set of writes, counted from 1.
struct SequenceSpan {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const SequenceSpan&, const SequenceSpan&) = default;
};

/// The most bytes that one run may flush. No SSTable is larger, so the sum of two sizes fits 64
/// bits.
inline constexpr std::uint64_t kFlushedBytesMax = std::uint64_t{1} << 63;

}  // namespace lsmlab

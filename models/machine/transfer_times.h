// How long transfers hold the device's channel. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/base/units.h"
#include "models/machine/device_model.h"

namespace lsmlab {

enum class DeviceRequest { kRead, kWrite };

/// The model's bandwidths as times per byte, so that a request costs no division.
class TransferTimes {
 public:
  explicit TransferTimes(const DeviceModel& model);

  /// Nanoseconds that a request holds the channel, rounded up. `read_share`: of the recently
  /// transferred bytes, in 1/256.
  [[nodiscard]] std::uint64_t nanoseconds(DeviceRequest request, std::uint64_t bytes,
                                          std::uint64_t read_share) const {
    const std::uint64_t per_byte = per_byte_[static_cast<std::size_t>(request)];
    const Uint128 scaled = Uint128{bytes} * per_byte * slowdown(read_share);
    const auto transfer =
        static_cast<std::uint64_t>((scaled + ((Uint128{1} << kScaleBits) - 1)) >> kScaleBits);
    return transfer > request_min_ns_ ? transfer : request_min_ns_;
  }

  /// The least and the most time for which requests of so many bytes hold the channel in all,
  /// without rounding: in the fastest and the slowest possible mix.
  struct Range {
    Uint128 least_ns = 0;
    Uint128 most_ns = 0;
  };
  [[nodiscard]] Range range_of(Uint128 bytes_read, Uint128 bytes_written,
                               std::uint64_t requests) const;

 private:
  static constexpr unsigned kByteBits = 32;  // of per_byte_ after the binary point
  static constexpr unsigned kMixBits = 16;   // of slowdown_ after the binary point
  static constexpr unsigned kScaleBits = kByteBits + kMixBits;

  /// Time of a mix divided by the time of its reads and writes one after the other. 1 << kMixBits:
  /// both are equal.
  [[nodiscard]] std::uint64_t slowdown(std::uint64_t read_share) const {
    const std::uint64_t quarter = read_share / 64;
    if (quarter >= 4) return slowdown_[4];
    const std::uint64_t rest = read_share % 64;
    return (slowdown_[quarter] * (64 - rest) + slowdown_[quarter + 1] * rest) / 64;
  }

  std::array<std::uint64_t, 2> per_byte_{};  // nanoseconds, by DeviceRequest
  std::array<std::uint64_t, 5> slowdown_{};  // at quarters of read share
  std::uint64_t request_min_ns_ = 0;
};

}  // namespace lsmlab

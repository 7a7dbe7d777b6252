#include "models/machine/transfer_times.h"

#include <algorithm>

namespace lsmlab {
namespace {

// Nanoseconds per byte with `bits` bits of fraction, rounded to nearest.
std::uint64_t per_byte(Bytes bandwidth, unsigned bits) {
  const Uint128 scaled = Uint128{kModelNsPerSecond} << bits;
  return static_cast<std::uint64_t>((scaled + bandwidth.value() / 2) / bandwidth.value());
}

}  // namespace

TransferTimes::TransferTimes(const DeviceModel& model)
    : per_byte_{per_byte(model.channel.read_bandwidth, kByteBits),
                per_byte(model.channel.write_bandwidth, kByteBits)} {
  constexpr std::uint64_t kOne = std::uint64_t{1} << kMixBits;
  slowdown_.fill(kOne);
  const std::array<Bytes, 3> mixed{model.mixed.bandwidth_25, model.mixed.bandwidth_50,
                                   model.mixed.bandwidth_75};
  for (std::uint64_t quarter = 1; quarter < 4; ++quarter) {
    const Bytes bandwidth = mixed[quarter - 1];
    if (bandwidth.value() == 0) continue;
    // Times of four bytes, of which `quarter` are read: one after the other, and mixed.
    const Uint128 apart = Uint128{per_byte_[0]} * quarter + Uint128{per_byte_[1]} * (4 - quarter);
    const Uint128 together = Uint128{4} * per_byte(bandwidth, kByteBits);
    slowdown_[quarter] = static_cast<std::uint64_t>((together * kOne + apart / 2) / apart);
  }
  if (model.queue.requests_per_second > 0) {
    request_min_ns_ =
        (kModelNsPerSecond + model.queue.requests_per_second - 1) / model.queue.requests_per_second;
  }
}

TransferTimes::Range TransferTimes::range_of(Uint128 bytes_read, Uint128 bytes_written,
                                             std::uint64_t requests) const {
  const auto [fastest, slowest] = std::minmax_element(slowdown_.begin(), slowdown_.end());
  const Uint128 apart =
      (bytes_read * per_byte_[0] >> kByteBits) + (bytes_written * per_byte_[1] >> kByteBits);
  return {apart * *fastest >> kMixBits,
          (apart * *slowest >> kMixBits) + Uint128{requests} * request_min_ns_};
}

}  // namespace lsmlab

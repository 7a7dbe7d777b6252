// A limit on the bandwidth of flushes and merges together: it delays when their requests are
// issued.
//
// Rule: no request is issued before it is asked for, and never more bytes than the limit allows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/base/check.h"
#include "models/machine/device_model.h"
#include "models/machine/device_state.h"

namespace lsmlab {

class BackgroundEffect {
 public:
  explicit BackgroundEffect(const DeviceModel& model)
      : bytes_per_second_(model.queue.background_bandwidth.value()) {}

  /// Returns when a request of background work may be issued, and counts it.
  [[nodiscard]] std::uint64_t slot(std::uint64_t now_ns, std::uint64_t bytes) {
    if (bytes_per_second_ == 0) return now_ns;
    const std::uint64_t slot_ns = std::max(now_ns, free_ns_);
    free_ns_ = slot_ns + static_cast<std::uint64_t>(
                             (Uint128{bytes} * kModelNsPerSecond + bytes_per_second_ - 1) /
                             bytes_per_second_);
    bytes_ += bytes;
    return slot_ns;
  }

  void account(const DeviceFigures& /*figures*/, DeviceAccount& /*account*/) const {
    CHECK(bytes_ * kModelNsPerSecond <= Uint128{free_ns_} * bytes_per_second_);
  }

 private:
  const std::uint64_t bytes_per_second_;  // 0: no limit
  std::uint64_t free_ns_ = 0;
  Uint128 bytes_ = 0;
};

}  // namespace lsmlab

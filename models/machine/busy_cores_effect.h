// A request that a thread waits for takes longer while other cores work (CpuShare::of_busy_cores):
// its latency grows by a share of its transfer and latency.
//
// Rule: all of the added time is latency, and holds no channel.
#pragma once

#include <cstdint>

#include "models/machine/device_model.h"
#include "models/machine/device_state.h"
#include "models/machine/slowdown.h"

namespace lsmlab {

class BusyCoresEffect {
 public:
  explicit BusyCoresEffect(const DeviceModel& /*model*/) {}

  void serve(DeviceState& /*state*/, Service& service) {
    const std::uint64_t slowdown = service.request.slowdown;
    if (slowdown == 0) return;
    const std::uint64_t alone_ns = service.transfer_ns + service.latency_ns;
    const auto more_ns = static_cast<std::uint64_t>(Uint128{alone_ns} * slowdown >> kSlowdownBits);
    service.latency_ns += more_ns;
    more_ns_ += more_ns;
  }

  void account(const DeviceFigures& /*figures*/, DeviceAccount& account) const {
    account.latency_ns += more_ns_;
  }

 private:
  Uint128 more_ns_ = 0;
};

}  // namespace lsmlab

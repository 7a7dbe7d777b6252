// Limits on the bandwidth of flushes and merges together: they delay when their requests are
// issued. One limit counts all bytes, the other one what is written.
//
// Rule: no request is issued before it is asked for, and never more bytes than a limit allows.
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
      : all_{model.queue.background_bandwidth.value()},
        writes_{model.queue.background_write_bandwidth.value()} {}

  /// Returns when a request of background work may be issued, and counts it.
  [[nodiscard]] std::uint64_t slot(std::uint64_t now_ns, std::uint64_t bytes, bool is_write) {
    std::uint64_t slot_ns = all_.free_at(now_ns);
    if (is_write) slot_ns = writes_.free_at(slot_ns);
    all_.take(slot_ns, bytes);
    if (is_write) writes_.take(slot_ns, bytes);
    return slot_ns;
  }

  void account(const DeviceFigures& /*figures*/, DeviceAccount& /*account*/) const {
    all_.check();
    writes_.check();
  }

 private:
  struct Limit {
    std::uint64_t bytes_per_second = 0;  // 0: no limit
    std::uint64_t free_ns = 0;
    Uint128 bytes = 0;

    [[nodiscard]] std::uint64_t free_at(std::uint64_t now_ns) const {
      return bytes_per_second == 0 ? now_ns : std::max(now_ns, free_ns);
    }
    void take(std::uint64_t slot_ns, std::uint64_t taken) {
      if (bytes_per_second == 0) return;
      free_ns = slot_ns +
                static_cast<std::uint64_t>(
                    (Uint128{taken} * kModelNsPerSecond + bytes_per_second - 1) / bytes_per_second);
      bytes += taken;
    }
    void check() const { CHECK(bytes * kModelNsPerSecond <= Uint128{free_ns} * bytes_per_second); }
  };
  Limit all_;
  Limit writes_;
};

}  // namespace lsmlab

// While it is written to, the device pauses at regular intervals. A transfer that has begun
// continues.
//
// Rule: a pause only delays, at most for its own length, and the channel is held for that time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "models/base/check.h"
#include "models/machine/device_model.h"
#include "models/machine/device_state.h"

namespace lsmlab {

class PauseEffect {
 public:
  explicit PauseEffect(const DeviceModel& model)
      : length_ns_(model.pauses.length_ns), cycle_ns_(cycle_of(model.pauses)) {}

  void serve(DeviceState& state, Service& service) {
    if (service.request.kind == DeviceRequest::kWrite) last_write_ns_ = service.now_ns;
    service.channel_ns = after(state, std::max(service.start_ns, state.channel_free_ns));
  }

  /// When a channel that is free at free_ns can be used: later if the device pauses then.
  [[nodiscard]] std::uint64_t after(DeviceState& state, std::uint64_t free_ns) const {
    // Each cycle ends with its pause. Reads without concurrent writes meet none.
    if (cycle_ns_ == 0 || !last_write_ns_) return free_ns;
    if (state.last_arrival_ns - *last_write_ns_ >= cycle_ns_) return free_ns;
    const std::uint64_t left = cycle_ns_ - free_ns % cycle_ns_;
    if (left > length_ns_) return free_ns;
    ++state.figures.pauses;
    state.figures.paused_ns += left;
    state.figures.transfer_ns += left;
    state.unshared_until_ns = free_ns + left;
    return state.unshared_until_ns;
  }

  void account(const DeviceFigures& figures, DeviceAccount& account) const {
    CHECK(figures.paused_ns <= Uint128{figures.pauses} * length_ns_);
    account.hold(figures.paused_ns);
  }

 private:
  // Time from one pause to the next; 0: no pauses.
  [[nodiscard]] static std::uint64_t cycle_of(const PauseModel& pauses) {
    const std::optional<std::uint64_t> interval = pauses.interval_ns();
    return interval ? *interval + pauses.length_ns : 0;
  }

  const std::uint64_t length_ns_;
  const std::uint64_t cycle_ns_;
  std::optional<std::uint64_t> last_write_ns_;
};

}  // namespace lsmlab

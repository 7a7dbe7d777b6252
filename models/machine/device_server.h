// The device of a simulated run (models/machine/device_model.h). It serves requests in the order of
// their arrival. Each passes through the effects that models/machine/device_effects.h lists. Not
// thread safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "models/accounting/run_result.h"
#include "models/machine/device_effects.h"
#include "models/machine/device_model.h"
#include "models/machine/device_state.h"

namespace lsmlab {

class DeviceServer {
 public:
  using Request = ServedRequest;

  explicit DeviceServer(const DeviceModel& model);

  /// Serves a request that arrives now. Returns when it is done, unless a later one shares the
  /// channel with it. REQUIRES: times do not decrease from call to call.
  [[nodiscard]] std::uint64_t serve(std::uint64_t now_ns, const Request& request);

  /// Returns by how much the stream's request is later than serve() and late_ns() said so far,
  /// because others share the channel with it.
  [[nodiscard]] std::uint64_t late_ns(std::uint64_t stream) {
    return effect<SharingEffect>().late_ns(stream);
  }

  /// Trims a file that is removed now. Returns when that is done. The trim holds the channel, but
  /// no place. REQUIRES: as for serve().
  [[nodiscard]] std::uint64_t trim(std::uint64_t now_ns, std::uint64_t bytes);

  /// Returns when a request of a flush or merge may be issued: now, or later if the model limits
  /// their bandwidth.
  [[nodiscard]] std::uint64_t background_slot(std::uint64_t now_ns, std::uint64_t bytes,
                                              bool is_write) {
    return effect<BackgroundEffect>().slot(now_ns, bytes, is_write);
  }

  /// Pauses the device from now on for stop_ns: requests in service are done that much later.
  void stand_still(std::uint64_t now_ns, std::uint64_t stop_ns);
  /// Nanoseconds until now in which a request or trim was in service.
  [[nodiscard]] std::uint64_t at_work_ns(std::uint64_t now_ns) const {
    const std::uint64_t done_ns = state_.figures.last_done_ns;
    return state_.at_work_ns - (done_ns > now_ns ? done_ns - now_ns : 0);
  }

  /// CHECKs the rule of each effect, and that all effects together account for the time that the
  /// channel was held, to a nanosecond a request, and for all latencies.
  void check_conservation() const;

  [[nodiscard]] const DeviceFigures& figures() const { return state_.figures; }
  /// Nanoseconds until now for which the channel was held. figures() also contains the time still
  /// to come.
  [[nodiscard]] std::uint64_t busy_ns(std::uint64_t now_ns) const {
    const std::uint64_t ahead =
        state_.channel_free_ns > now_ns ? state_.channel_free_ns - now_ns : 0;
    return state_.figures.transfer_ns - std::min(state_.figures.transfer_ns, ahead);
  }

 private:
  template <typename Effect>
  [[nodiscard]] Effect& effect() {
    return std::get<Effect>(effects_);
  }
  template <typename Visit>
  void for_each_effect(const Visit& visit) {
    std::apply([&](auto&... effect) { (visit(effect), ...); }, effects_);
  }
  void arrive(std::uint64_t now_ns);

  const QueueModel queue_;
  DeviceEffects effects_;
  DeviceState state_;
};

}  // namespace lsmlab

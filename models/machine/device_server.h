// The device of a simulated run: requests in the order of their arrival, as
// models/machine/device_model.h has it. Each goes through the effects of
// models/machine/device_effects.h. Not thread safe.
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

  /// When a request that arrives now is done, if no other takes a share from it. REQUIRES: times do
  /// not fall from call to call.
  [[nodiscard]] std::uint64_t serve(std::uint64_t now_ns, const Request& request);

  /// By how much the stream's request that shares takes longer than was told so far.
  [[nodiscard]] std::uint64_t late_ns(std::uint64_t stream) {
    return effect<SharingEffect>().late_ns(stream);
  }

  /// When a file of so many bytes is trimmed that is removed now: it takes no place, but the
  /// channel. REQUIRES: as serve().
  [[nodiscard]] std::uint64_t trim(std::uint64_t now_ns, std::uint64_t bytes);

  /// When a request of background work may be issued: now, but for the model's limit.
  [[nodiscard]] std::uint64_t background_slot(std::uint64_t now_ns, std::uint64_t bytes) {
    return effect<BackgroundEffect>().slot(now_ns, bytes);
  }

  /// Everything stands still from now on for so long: what is under way is done as much later.
  void stand_still(std::uint64_t now_ns, std::uint64_t stop_ns);
  /// For which it had a request or trim until now.
  [[nodiscard]] std::uint64_t at_work_ns(std::uint64_t now_ns) const {
    const std::uint64_t done_ns = state_.figures.last_done_ns;
    return state_.at_work_ns - (done_ns > now_ns ? done_ns - now_ns : 0);
  }

  /// Every effect's rule holds, and together they answer for the time that the channel was held, to
  /// a nanosecond a request, and for all latencies.
  void check_conservation() const;

  [[nodiscard]] const DeviceFigures& figures() const { return state_.figures; }
  /// That the channel was held until now; figures() has what is still to come in as well.
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

// A removed file holds the channel while the device is told of it. It occupies no place.
//
// Rule: the channel is held for exactly the trimmed files and their bytes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/machine/device_model.h"
#include "models/machine/device_state.h"

namespace lsmlab {

class TrimEffect {
 public:
  explicit TrimEffect(const DeviceModel& model) : model_(model.trims) {}

  /// Trims a file of so many bytes that is removed now and has the channel at the start. Returns
  /// when the trim is done.
  std::uint64_t trim(DeviceState& state, std::uint64_t now_ns, std::uint64_t start_ns,
                     std::uint64_t bytes) const {
    const std::uint64_t hold_ns = model_.hold_ns(bytes);
    state.channel_free_ns = state.unshared_until_ns = start_ns + hold_ns;
    DeviceFigures& figures = state.figures;
    ++figures.trims;
    figures.bytes_trimmed += bytes;
    figures.transfer_ns += hold_ns;
    figures.waited_ns += start_ns - now_ns;
    figures.last_done_ns = std::max(figures.last_done_ns, state.channel_free_ns);
    return state.channel_free_ns;
  }

  void account(const DeviceFigures& figures, DeviceAccount& account) const {
    account.hold(Uint128{figures.trims} * model_.file_ns +
                 (figures.bytes_trimmed * model_.mib_ns >> 20));
    account.rounded += figures.trims;
  }

 private:
  const TrimModel model_;
};

}  // namespace lsmlab

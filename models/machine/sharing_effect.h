// Large requests share the channel: a request that arrives during the transfer of others alternates
// with them. The others are done later than serve() said, and all of them are slower meanwhile.
//
// Rule: what one request gains in turns another loses. Only the slowdown holds the channel longer.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/machine/device_model.h"
#include "models/machine/device_state.h"
#include "models/machine/slowdown.h"

namespace lsmlab {

class SharingEffect {
 public:
  explicit SharingEffect(const DeviceModel& model)
      : slowdown_(scaled_slowdown(model.contention.sharing_slowdown)) {}

  void serve(DeviceState& state, Service& service) {
    const std::uint64_t longer_ns = service.is_large ? take_turns(state, service) : 0;
    state.channel_free_ns = service.channel_ns + service.transfer_ns + longer_ns;
    service.done_ns = state.channel_free_ns + service.latency_ns;
    if (service.is_large && service.request.shares) note(state, service, longer_ns > 0);
  }

  /// By how much the stream's request is later than the caller was told so far.
  [[nodiscard]] std::uint64_t late_ns(std::uint64_t stream) {
    for (Shared& shared : shared_) {
      if (shared.stream == stream) return std::exchange(shared.late_ns, 0);
    }
    return 0;
  }

  template <typename Delay>
  void stand_still(const Delay& delay) {
    for (Shared& shared : shared_) {
      delay(shared.transferred_ns);
      delay(shared.done_ns);
    }
  }

  void account(const DeviceFigures& figures, DeviceAccount& account) const;

 private:
  // The last large request of a stream whose requests share.
  struct Shared {
    std::uint64_t stream = 0;
    std::uint64_t transfer_ns = 0;     // alone
    std::uint64_t transferred_ns = 0;  // when its transfer is done
    std::uint64_t turns = 1;           // it has one of so many turns
    bool is_slowed = false;            // another request shared the channel; it stays slowed
    std::uint64_t done_ns = 0;
    std::uint64_t late_ns = 0;  // not yet reported by late_ns()
  };
  void note(const DeviceState& state, const Service& service, bool is_slowed);
  /// Lets a large request take turns from those that share. Returns how much longer it holds the
  /// channel because they slow each other down.
  [[nodiscard]] std::uint64_t take_turns(DeviceState& state, const Service& service);

  const std::uint64_t slowdown_;  // kSlowdownBits
  std::vector<Shared> shared_;    // of each stream
  Uint128 lost_ns_ = 0;           // that all sharing requests lost to later ones
};

}  // namespace lsmlab

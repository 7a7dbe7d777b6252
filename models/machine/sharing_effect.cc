#include "models/machine/sharing_effect.h"

#include <algorithm>

#include "models/base/check.h"

namespace lsmlab {

void SharingEffect::note(const DeviceState& state, const Service& service, bool is_slowed) {
  const std::uint64_t stream = service.request.stream;
  const auto known = std::find_if(shared_.begin(), shared_.end(),
                                  [&](const Shared& shared) { return shared.stream == stream; });
  CHECK(known == shared_.end() || known->late_ns == 0);
  Shared& shared = known != shared_.end() ? *known : shared_.emplace_back();
  shared = {stream, service.transfer_ns, state.channel_free_ns, 1, is_slowed, service.done_ns, 0};
}

std::uint64_t SharingEffect::take_turns(DeviceState& state, const Service& service) {
  const auto slower_ns = [&](std::uint64_t turns_ns) {
    return static_cast<std::uint64_t>(Uint128{turns_ns} * slowdown_ >> kSlowdownBits);
  };
  // However many requests share the channel, the turns of each are slowed once. So this slows the
  // turns of the new request, and those of a request that had the channel alone so far.
  std::uint64_t own_turns_ns = 0;
  std::uint64_t longer_ns = 0;
  for (Shared& shared : shared_) {
    if (shared.transferred_ns <= std::max(service.start_ns, state.unshared_until_ns)) continue;
    std::uint64_t left = (shared.transferred_ns - service.start_ns) / shared.turns;
    if (shared.is_slowed) {
      constexpr std::uint64_t kAlone = std::uint64_t{1} << kSlowdownBits;
      left = static_cast<std::uint64_t>(Uint128{left} * kAlone / (kAlone + slowdown_));
    }
    // The other request may still wait for the channel itself.
    const std::uint64_t turns_ns = std::min({left, shared.transfer_ns, service.transfer_ns});
    own_turns_ns = std::max(own_turns_ns, turns_ns);
    std::uint64_t lost = turns_ns + slower_ns(turns_ns);
    if (!shared.is_slowed) {
      longer_ns += slower_ns(turns_ns);
      lost += slower_ns(turns_ns);
    }
    const auto place =
        std::find_if(state.places.begin(), state.places.end(), [&](const DeviceState::Place& held) {
          return held.is_large && held.free_ns == shared.done_ns;
        });
    // The new request took a free place, and the other request still holds its own.
    CHECK(place != state.places.end());
    shared.turns += 1;
    shared.is_slowed = slowdown_ > 0;
    shared.transferred_ns += lost;
    shared.done_ns += lost;
    shared.late_ns += lost;
    place->free_ns += lost;
    state.is_heap_broken = true;
    lost_ns_ += lost;
    state.figures.waited_ns += lost;
    state.figures.last_done_ns = std::max(state.figures.last_done_ns, shared.done_ns);
  }
  longer_ns += slower_ns(own_turns_ns);
  state.figures.shared_ns += longer_ns;
  state.figures.transfer_ns += longer_ns;
  return longer_ns;
}

void SharingEffect::account(const DeviceFigures& figures, DeviceAccount& account) const {
  // What a request loses is part of its wait. Without a slowdown no request is slowed.
  CHECK(lost_ns_ <= figures.waited_ns);
  CHECK(slowdown_ > 0 || figures.shared_ns == 0);
  account.hold(figures.shared_ns);
}

}  // namespace lsmlab

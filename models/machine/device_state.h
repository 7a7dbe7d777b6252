// What the effects of a simulated device share: its places, its channel and its figures, and a
// request on its way through the effects (models/machine/device_effects.h lists them).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/base/units.h"
#include "models/machine/transfer_times.h"

namespace lsmlab {

struct ServedRequest {
  DeviceRequest kind = DeviceRequest::kRead;
  std::uint64_t bytes = 0;
  std::uint64_t stream = 0;  // whose it is; the device seeks between streams
  bool goes_on = false;      // where the stream's last request ended
  // By which transfer and latency take longer, as more latency; kSlowdownBits.
  std::uint64_t slowdown = 0;
  // Later large ones have a share of the channel meanwhile: whoever waits asks late_ns(). The
  // stream has no other request under way.
  bool shares = false;
};

/// A request while the effects are applied to it, one after another.
struct Service {
  const ServedRequest& request;
  std::uint64_t now_ns = 0;               // it arrives
  std::uint64_t last_done_before_ns = 0;  // of all requests before it
  bool is_large = false;                  // QueueModel::is_large()
  std::uint64_t start_ns = 0;             // it has a place
  std::uint64_t transfer_ns = 0;          // for which it holds the channel, if it has it alone
  std::uint64_t latency_ns = 0;           // after the transfer
  std::uint64_t channel_ns = 0;           // it has the channel
  std::uint64_t done_ns = 0;
};

/// What effects answer for at the end of a run: DeviceServer::check_conservation() compares the sum
/// of all effects with the device's figures.
struct DeviceAccount {
  // The channel was held for so long, at least and at most: on models where a request's time
  // follows from others', mixes take between what the fastest and the slowest of them take.
  Uint128 held_least_ns = 0;
  Uint128 held_most_ns = 0;
  Uint128 rounded = 0;  // so many times each figure was rounded up
  Uint128 latency_ns = 0;

  void hold(Uint128 ns) {
    held_least_ns += ns;
    held_most_ns += ns;
  }
};

struct DeviceState {
  struct Place {
    std::uint64_t free_ns = 0;
    bool is_large = false;  // the request that holds it until then
    bool operator>(const Place& other) const { return free_ns > other.free_ns; }
  };

  explicit DeviceState(std::uint64_t parallelism) : places(parallelism) {}

  /// From begin on, or what was done before if that was later, the device was at work.
  void note_at_work(std::uint64_t begin_ns, std::uint64_t last_done_before_ns) {
    begin_ns = std::max(begin_ns, last_done_before_ns);
    if (figures.last_done_ns > begin_ns) at_work_ns += figures.last_done_ns - begin_ns;
  }

  // A heap, the first free at the front; while a request is served, its own place is the last.
  std::vector<Place> places;
  std::uint64_t channel_free_ns = 0;
  std::uint64_t unshared_until_ns = 0;  // a trim or pause: what is transferred before has no turns
  std::uint64_t last_arrival_ns = 0;
  std::uint64_t at_work_ns = 0;  // until all is done
  DeviceFigures figures;
};

}  // namespace lsmlab

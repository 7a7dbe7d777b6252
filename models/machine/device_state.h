// The state that the effects of a simulated device share (models/machine/device_effects.h lists
// them): its places, channel and figures, and the request that passes through the effects.
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
  std::uint64_t stream = 0;  // the device seeks between streams
  bool goes_on = false;      // it continues where the stream's last one ended
  // Share by which transfer and latency take longer, added to the latency; kSlowdownBits.
  std::uint64_t slowdown = 0;
  // Later large requests may share the channel with this one and delay it: whoever waits for it
  // asks late_ns(). The stream has no other request in service.
  bool shares = false;
  // It stands for so many requests of about equal size, each begun when the last one is done.
  std::uint64_t requests = 1;
};

/// A request that the effects act on, one after another.
struct Service {
  const ServedRequest& request;
  std::uint64_t now_ns = 0;               // when it arrives
  std::uint64_t last_done_before_ns = 0;  // of all requests before it
  bool is_large = false;                  // QueueModel::is_large()
  std::uint64_t start_ns = 0;             // when it has a place
  std::uint64_t transfer_ns = 0;          // for which it holds the channel, if alone
  std::uint64_t latency_ns = 0;           // after the transfer
  std::uint64_t channel_ns = 0;           // when it has the channel
  std::uint64_t done_ns = 0;
};

/// What effects account for at the end of a run. DeviceServer::check_conservation() compares the
/// sum of all effects with the device's figures.
struct DeviceAccount {
  // Least and most time for which the channel was held. They differ where a request's time depends
  // on other requests: mixes take between what the fastest and the slowest mix take.
  Uint128 held_least_ns = 0;
  Uint128 held_most_ns = 0;
  Uint128 rounded = 0;  // how many times each figure was rounded up
  Uint128 latency_ns = 0;

  void hold(Uint128 ns) {
    held_least_ns += ns;
    held_most_ns += ns;
  }
};

struct DeviceState {
  struct Place {
    std::uint64_t free_ns = 0;
    bool is_large = false;  // whether the request that holds it is large
    bool operator>(const Place& other) const { return free_ns > other.free_ns; }
  };

  explicit DeviceState(std::uint64_t parallelism) : places(parallelism) {}

  /// Notes that the device worked from `begin_ns` on, or from the end of earlier requests if later.
  void note_at_work(std::uint64_t begin_ns, std::uint64_t last_done_before_ns) {
    begin_ns = std::max(begin_ns, last_done_before_ns);
    if (figures.last_done_ns > begin_ns) at_work_ns += figures.last_done_ns - begin_ns;
  }

  // A heap with the place that is free first at the front. While effects act on a request, its
  // place is the last.
  std::vector<Place> places;
  bool is_heap_broken = false;  // places became free later
  std::uint64_t channel_free_ns = 0;
  // End of a trim or pause: transfers before it do not alternate.
  std::uint64_t unshared_until_ns = 0;
  std::uint64_t last_arrival_ns = 0;
  std::uint64_t at_work_ns = 0;  // until all requests are done
  DeviceFigures figures;
};

}  // namespace lsmlab

// A request that begins while others are in service. Its latency is longer for each of them, and
// further for each of the other size (large or small). It holds the channel for at least its share
// of request_ns.
//
// Rule: a request alone is not delayed. Latencies grow by exactly busy_latency_ns for each request
// in service, and by other_size_latency_ns for each of the other size.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/machine/device_model.h"
#include "models/machine/device_state.h"

namespace lsmlab {

class ContentionEffect {
 public:
  explicit ContentionEffect(const DeviceModel& model)
      : busy_latency_ns_(model.contention.busy_latency_ns),
        other_size_latency_ns_(model.contention.other_size_latency_ns),
        request_ns_(model.contention.request_ns),
        is_given_(busy_latency_ns_ > 0 || other_size_latency_ns_ > 0 || request_ns_ > 0) {}

  void serve(DeviceState& state, Service& service) {
    if (!is_given_) return;
    const Others others = others_at(state, service);
    if (others.count == 0) return;
    const std::uint64_t requests = service.request.requests;
    others_.count += requests * others.count;
    others_.of_other_size += requests * others.of_other_size;
    service.latency_ns += requests * (busy_latency_ns_ * others.count +
                                      other_size_latency_ns_ * others.of_other_size);
    const std::uint64_t least_ns = requests * (request_ns_ / (1 + others.count));
    if (service.transfer_ns >= least_ns) return;
    held_longer_ns_ += least_ns - service.transfer_ns;
    service.transfer_ns = least_ns;
  }

  void account(const DeviceFigures& /*figures*/, DeviceAccount& account) const {
    account.latency_ns += Uint128{others_.count} * busy_latency_ns_ +
                          Uint128{others_.of_other_size} * other_size_latency_ns_;
    account.hold(held_longer_ns_);
  }

 private:
  struct Others {
    std::uint64_t count = 0;
    std::uint64_t of_other_size = 0;
  };
  // Requests that are not done when this one gets its place.
  [[nodiscard]] static Others others_at(const DeviceState& state, const Service& service) {
    Others others;
    if (state.figures.last_done_ns <= service.start_ns) return others;
    // All places but the last one, which this request takes.
    for (auto place = state.places.begin(); place != state.places.end() - 1; ++place) {
      if (place->free_ns <= service.start_ns) continue;
      ++others.count;
      if (place->is_large != service.is_large) ++others.of_other_size;
    }
    return others;
  }

  const std::uint64_t busy_latency_ns_;
  const std::uint64_t other_size_latency_ns_;
  const std::uint64_t request_ns_;
  const bool is_given_;
  Others others_;  // of all requests
  Uint128 held_longer_ns_ = 0;
};

}  // namespace lsmlab

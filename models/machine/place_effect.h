// A request occupies one of the device's places, from the time when one is free until it is done.
//
// Rule: no request has a place before it arrives, and all places together are held for no longer
// than their number times the length of the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "models/base/check.h"
#include "models/machine/device_model.h"
#include "models/machine/device_state.h"

namespace lsmlab {

class PlaceEffect {
 public:
  explicit PlaceEffect(const DeviceModel& model) : places_(model.queue.parallelism) {}

  void serve(DeviceState& state, Service& service) {
    std::pop_heap(state.places.begin(), state.places.end(), std::greater<>());
    service.start_ns = std::max(service.now_ns, state.places.back().free_ns);
  }

  /// The request holds its place until it is done.
  void hold(DeviceState& state, const Service& service) {
    state.places.back() = {service.done_ns, service.is_large};
    // Other large requests may hold their places for longer now.
    if (std::exchange(state.is_heap_broken, false)) {
      std::make_heap(state.places.begin(), state.places.end(), std::greater<>());
    } else {
      std::push_heap(state.places.begin(), state.places.end(), std::greater<>());
    }
    held_ns_ += service.done_ns - service.start_ns;
  }

  void account(const DeviceFigures& figures, DeviceAccount& /*account*/) const {
    CHECK(held_ns_ <= Uint128{places_} * figures.last_done_ns);
  }

 private:
  const std::uint64_t places_;
  Uint128 held_ns_ = 0;
};

}  // namespace lsmlab

// How a system schedules its merges in time, by what clients do: bandwidth, pauses, and an order of
// importance (SILK). It changes when plans run, never which plans a policy wants.
// models/execution/merge_scheduler.h applies it, in the engine's threads and in the simulated
// store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/units.h"

namespace lsmlab {

/// The defaults are SILK's. Rates are bytes a second.
struct MergeScheduling {
  // What clients, flushes and merges may transfer together: deeper merges get what clients leave.
  Bytes bandwidth{200'000'000};
  Bytes bandwidth_min{10'000'000};   // deeper merges always get so much
  Bytes bandwidth_step{10'000'000};  // the rate changes only by so much or more
  Bytes pause_above{150'000'000};    // deeper merges pause while clients transfer more
  std::uint64_t interval_us = 10'000;
  bool limits_rate = true;  // false: deeper merges pause, but have no rate
  // No class of requests occupies all clients (models/execution/request_class.h), so that no
  // request waits for those of another class.
  bool separates_requests = false;
  Bytes large_request{100'000};  // a put of so many bytes is of another class than smaller ones

  void declare(OptionTable& table);
  /// Returns every fault.
  [[nodiscard]] std::vector<std::string> validate() const;
};

}  // namespace lsmlab

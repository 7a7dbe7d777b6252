// How a run is watched and stopped from outside.
#pragma once

#include <atomic>
#include <cstdint>

namespace lsmlab {

/// Seen by the thread that runs and the one that watches.
struct RunControl {
  // Flushes at resolution `flush`, operations where keys are known.
  std::atomic<std::uint64_t> units_done{0};
  const std::atomic<bool>* stop = nullptr;  // set: the run ends soon, with what it has
  [[nodiscard]] bool should_stop() const {
    return stop != nullptr && stop->load(std::memory_order_relaxed);
  }
};

}  // namespace lsmlab

// Lets another thread watch a run and stop it.
#pragma once

#include <atomic>
#include <cstdint>

namespace lsmlab {

/// Shared by the thread that runs and the thread that watches.
struct RunControl {
  // Flushes done at resolution `flush`, operations done at resolution `key`.
  std::atomic<std::uint64_t> units_done{0};
  const std::atomic<bool>* stop = nullptr;  // true: the run ends soon and returns what it has
  [[nodiscard]] bool should_stop() const {
    return stop != nullptr && stop->load(std::memory_order_relaxed);
  }
};

}  // namespace lsmlab

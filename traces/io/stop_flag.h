// How long work is stopped from outside: through a flag that a signal handler sets.
#pragma once

#include <atomic>

#include "models/base/error.h"

namespace lsmlab {

/// Null: never set. Long loops check it and end soon, with the error of check_stop().
using StopFlag = const std::atomic<bool>*;

[[nodiscard]] inline bool is_stopped(StopFlag stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

/// Errors: the flag is set (machine).
[[nodiscard]] inline Result<void> check_stop(StopFlag stop) {
  if (!is_stopped(stop)) return success();
  return machine_error("stopped from outside");
}

}  // namespace lsmlab

// Several simulations on all cores, their results in the order of the jobs whatever finishes first.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sim/flushes/simulate_flushes.h"
#include "sim/timed/simulate_timed.h"
#include "validate/catalog/catalog.h"

namespace lsmlab {

/// A policy is made when its job starts: a thousand of them need not stand in memory at once.
struct SimulationJob {
  Spec policy;
  std::variant<FlushWorkload, KeyWorkload> workload;  // which decides the resolution
};

struct BatchProgress {
  std::size_t jobs_done = 0;
  std::size_t jobs_total = 0;
  std::uint64_t units_done = 0;   // flushes or operations
  std::uint64_t units_total = 0;  // 0 where a trace does not tell
  const char* unit = "flushes";
  std::string present = {};  // what is at work, where there is one thing
};

struct BatchOptions {
  SimulateOptions simulate;
  bool final_flush = true;               // at resolution key
  std::optional<TimedRunOptions> timed;  // with a clock; at resolution key only
  unsigned threads = 0;                  // 0: one a core
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const BatchProgress&)>
      on_progress;  // from the calling thread, some times a second
};

/// Errors: the first failing job's, in job order; the others are then stopped. Jobs that `stop`
/// kept from finishing yield results with `complete` false.
[[nodiscard]] Result<std::vector<RunResult>> run_simulations(std::span<const SimulationJob> jobs,
                                                             const BatchOptions& options);

}  // namespace lsmlab

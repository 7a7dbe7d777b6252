// Runs several simulations on all cores. Results are in the order of the runs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "validate/catalog/run_spec.h"

namespace lsmlab {

struct BatchProgress {
  std::size_t jobs_done = 0;
  std::size_t jobs_total = 0;
  std::uint64_t units_done = 0;   // flushes or operations
  std::uint64_t units_total = 0;  // 0 if a trace does not state it
  const char* unit = "flushes";
  std::string present = {};  // the current run, if only one runs
};

struct BatchOptions {
  unsigned threads = 0;  // 0: one per core
  const std::atomic<bool>* stop = nullptr;
  // From then on no run begins; those that run are finished.
  std::optional<std::chrono::steady_clock::time_point> begin_before = {};
  // Then all runs are stopped, as by `stop`.
  std::optional<std::chrono::steady_clock::time_point> end_by = {};
  std::function<void(const BatchProgress&)>
      on_progress;  // called by the calling thread, a few times per second
};

/// Runs all simulations. After an error the others are stopped; returns the error of the first
/// failed run in the order of the runs. A run that `stop` or a time interrupted, or kept from
/// beginning, has a result with `complete` false.
[[nodiscard]] Result<std::vector<RunResult>> run_simulations(std::span<const ResolvedRun> runs,
                                                             const BatchOptions& options);

}  // namespace lsmlab

// Runs several simulations on all cores. The results have the order of the runs, whichever ends
// first.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "validate/catalog/run_spec.h"

namespace lsmlab {

struct BatchProgress {
  std::size_t jobs_done = 0;
  std::size_t jobs_total = 0;
  std::uint64_t units_done = 0;   // flushes or operations
  std::uint64_t units_total = 0;  // 0 where a trace does not tell
  const char* unit = "flushes";
  std::string present = {};  // what is at work, where there is one thing
};

struct BatchOptions {
  unsigned threads = 0;  // 0: one a core
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const BatchProgress&)>
      on_progress;  // from the calling thread, some times a second
};

/// Errors: those of the first run that fails, in the order of the runs; the others are then
/// stopped. Runs that `stop` kept from finishing yield results with `complete` false.
[[nodiscard]] Result<std::vector<RunResult>> run_simulations(std::span<const ResolvedRun> runs,
                                                             const BatchOptions& options);

}  // namespace lsmlab

// Measures the limit of processor time. Threads on all cores only read the clock, so they see when
// the whole machine is stopped.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/calibration/measure/measure.h"

namespace lsmlab::engine {

/// A time in which a thread did not get to read the clock.
struct Gap {
  CalibrateClock::time_point begin;
  CalibrateClock::time_point end;
};
/// Shorter gaps are interrupts and other work of the system.
inline constexpr std::chrono::milliseconds kGapMin{2};

/// Gaps that all threads have in common for at least kGapMin. Each reaches from the mean of the
/// threads' begins to the mean of their ends, because cores are stopped one after another within
/// some milliseconds. REQUIRES: at least one thread; the gaps of each thread are in order and do
/// not overlap.
[[nodiscard]] std::vector<Gap> common_gaps(const std::vector<std::vector<Gap>>& threads);

/// Measures for about `length`, with a file in the directory. `is_direct`: requests bypass the page
/// cache. If the run is stopped, returns what it has measured. Errors: I/O.
[[nodiscard]] Result<QuotaFigures> measure_quota(const std::string& directory,
                                                 const CalibrateOptions& options,
                                                 CalibrateClock::duration length, bool is_direct);

}  // namespace lsmlab::engine

// How much processor time there is: threads that do nothing but look at the clock, on all cores,
// see when the whole machine stands still.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/calibration/measure/measure.h"

namespace lsmlab::engine {

/// In which a thread that looks at the clock did not come to it.
struct Gap {
  CalibrateClock::time_point begin;
  CalibrateClock::time_point end;
};
/// Shorter ones are interrupts, and what the system does besides.
inline constexpr std::chrono::milliseconds kGapMin{2};

/// Gaps that all threads have in common for kGapMin, from the mean of their begins to the mean of
/// their ends: cores are stopped one after another, within some milliseconds. REQUIRES: a thread;
/// each one's in order, apart from each other.
[[nodiscard]] std::vector<Gap> common_gaps(const std::vector<std::vector<Gap>>& threads);

/// For about so long, in a file of that directory; requests go around the page cache where
/// `is_direct`. A run that is stopped returns what it has. Errors: I/O.
[[nodiscard]] Result<QuotaFigures> measure_quota(const std::string& directory,
                                                 const CalibrateOptions& options,
                                                 CalibrateClock::duration length, bool is_direct);

}  // namespace lsmlab::engine

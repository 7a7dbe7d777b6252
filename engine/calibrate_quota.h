// How much processor time there is: threads that do nothing but look at the clock, on all cores,
// see when the whole machine stands still.
#pragma once

#include <string>

#include "engine/calibrate.h"
#include "engine/calibrate_parts.h"

namespace lsmlab::engine {

/// For about so long, in a file of that directory; requests go around the page cache where
/// `is_direct`. A run that is stopped returns what it has. Errors: I/O.
[[nodiscard]] Result<QuotaFigures> measure_quota(const std::string& directory,
                                                 const CalibrateOptions& options,
                                                 CalibrateClock::duration length, bool is_direct);

}  // namespace lsmlab::engine

// What each phase of a run wrote into each level, as a table.
#pragma once

#include <string>

#include "models/accounting/run_result.h"

namespace lsmlab {

/// Empty if the run has no phases.
[[nodiscard]] std::string phase_levels_text(const RunResult& run);

}  // namespace lsmlab

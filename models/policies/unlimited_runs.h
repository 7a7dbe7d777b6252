// Stall rules of systems that never stall writers because of sorted runs.
#pragma once

#include "models/policies/stall_rules.h"

namespace lsmlab {

/// Level 0 may have as many runs as the options of the stalls can say.
inline void lift_run_limits(StallRules& rules) {
  rules.level0_slowdown_runs = rules.level0_stop_runs = 1'000'000;
}

}  // namespace lsmlab

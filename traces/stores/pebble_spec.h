// Maps the options of a Pebble store to the policy of lsmlab that is nearest.
#pragma once

#include "traces/stores/policy_spec.h"

namespace lsmlab::stores {

[[nodiscard]] PolicySpec pebble_spec(const OptionValues& options, const FamilyFigures& figures);

}  // namespace lsmlab::stores

// Maps the options of a Pebble store to lsmlab's policy `pebble`.
#pragma once

#include "traces/stores/policy_spec.h"

namespace lsmlab::stores {

[[nodiscard]] PolicySpec pebble_spec(const OptionValues& options, const FamilyFigures& figures);

}  // namespace lsmlab::stores

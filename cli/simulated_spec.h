// The part of a simulation's description that all runs of a command share.
#pragma once

#include "models/base/error.h"
#include "validate/catalog/run_spec.h"
#include "verbs.h"

namespace lsmlab {

/// Everything but policy and workload. Errors: a bad value; an option that needs --device, without
/// it.
[[nodiscard]] Result<RunSpec> common_spec(const SimulateArguments& arguments);

}  // namespace lsmlab

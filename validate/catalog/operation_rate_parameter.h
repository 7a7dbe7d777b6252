// A parameter of every workload of operations besides its own: operations_per_second.
#pragma once

#include <optional>

#include "models/base/options.h"
#include "models/base/spec.h"
#include "models/base/stated_time.h"

namespace lsmlab {

/// Also a member of a workload's JSON.
inline constexpr const char* kOperationRateParameter = "operations_per_second";

/// Takes the parameter from a workload's SPEC; nothing if it is not given. Errors:
/// OperationRate's.
[[nodiscard]] Result<std::optional<OperationRate>> take_operation_rate(Spec& spec);
[[nodiscard]] OptionInfo operation_rate_option();

}  // namespace lsmlab

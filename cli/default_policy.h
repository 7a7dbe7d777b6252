// The policy of a command that names none.
#pragma once

#include <string>
#include <vector>

#include "models/base/error.h"

namespace lsmlab {

/// db_bench's policy, if all of the workloads are lines of db_bench: a line says which store it is.
/// Errors: one is not, or a workload is no SPEC. `verb` names the command.
[[nodiscard]] Result<std::string> default_policy(const std::vector<std::string>& workloads,
                                                 const char* verb);

}  // namespace lsmlab

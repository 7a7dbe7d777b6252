// The workload ycsb: a property file of YCSB's core workload.
#pragma once

#include <vector>

#include "models/base/error.h"
#include "models/base/options.h"
#include "models/base/spec.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

inline constexpr const char* kYcsbWorkload = "ycsb";
inline constexpr const char* kYcsbSummary =
    "the load and the run of a YCSB property file, such as workloada";

/// The parameters of the workload.
[[nodiscard]] std::vector<OptionInfo> ycsb_options();
/// Errors: no file; one that cannot be read; what its properties ask for and lsmlab cannot do.
[[nodiscard]] Result<OperationWorkload> ycsb_workload(const Spec& spec);

}  // namespace lsmlab

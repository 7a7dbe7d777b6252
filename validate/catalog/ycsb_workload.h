// The workload ycsb: property files and command lines of YCSB's core workload.
#pragma once

#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/options.h"
#include "models/base/spec.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

inline constexpr const char* kYcsbWorkload = "ycsb";
inline constexpr const char* kYcsbSummary =
    "the load and the run of a YCSB command line, or with file=FILE of a property file";

/// The parameters of the workload.
[[nodiscard]] std::vector<OptionInfo> ycsb_options();
/// Errors: neither a line nor a file, or both; a file that cannot be read; what the properties ask
/// for and lsmlab cannot do.
[[nodiscard]] Result<OperationWorkload> ycsb_workload(const Spec& spec);
/// The property files that a line names with -P.
[[nodiscard]] std::vector<std::string> files_of_ycsb_line(const std::string& line);

}  // namespace lsmlab

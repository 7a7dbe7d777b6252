// Reads a property file of YCSB's core workload as a workload of operations: first the load, then
// the run.
// Source: YCSB 0.17, CoreWorkload.java; its defaults are used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab::tools {

struct YcsbWorkload {
  OperationWorkload workload;
  std::vector<std::string> ignored;  // properties that decide no operation, as "name=value"
};

/// Errors: a line that is no property (with its number); a bad value, or one that lsmlab cannot
/// follow, by the property's name; a property that is nearly that of another name; no records.
[[nodiscard]] Result<YcsbWorkload> read_ycsb_properties(std::string_view text);

}  // namespace lsmlab::tools

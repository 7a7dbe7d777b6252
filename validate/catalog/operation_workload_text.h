// Writes operation workloads as the JSON that operation_workload_json.h reads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// What the JSON says to its reader only.
struct WorkloadNotes {
  std::string description;
  std::vector<std::pair<std::string, std::uint64_t>> measured;  // figures by name
  std::vector<std::string> omissions;
};

/// The JSON of a workload. parse_operation_workload() makes the same phases of it: the same numbers
/// of actions, and classes whose shares differ by at most a few billionths. REQUIRES: validate()
/// finds no fault; no scan_selectivity and no read_modify_write, which profiles do not have.
[[nodiscard]] std::string operation_workload_text(const OperationWorkload& workload,
                                                  const WorkloadNotes& notes);

}  // namespace lsmlab

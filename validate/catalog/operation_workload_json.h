// Reads operation workloads from JSON:
//   {"description": "...", "key_bytes": 16, "phases": [
//     {"operations": "10M", "mix": {"insert": 1, "get_present": 0.5}, "updates_per_insert": 2,
//      "insert_keys": "uniform",
//      "lookup_keys": {"distribution": "zipfian", "zipf_exponent": 0.99},
//      "value_bytes": {"distribution": "uniform", "min": 64, "max": 256}}]}
// docs/operation-workloads.md lists the members.
#pragma once

#include <string>

#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// The workload, named `name`. Errors: not JSON; an unknown member, with the nearest valid name; a
/// member of a wrong type or out of range, by its path ("phases[1].mix.insert"); every fault of
/// OperationWorkload::validate. `scale` multiplies keys and operations.
[[nodiscard]] Result<OperationWorkload> parse_operation_workload(const std::string& name,
                                                                 const std::string& text,
                                                                 std::uint64_t scale = 1);

}  // namespace lsmlab

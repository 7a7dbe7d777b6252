// Reads a workload spec of Tectonic as a workload of operations: one phase for each group that has
// operations. Operations of a section use only keys that the section inserted.
// Source: SSD-Brandeis/Tectonic, workload_schema.json and tectonic/src/lib.rs (2026).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab::tools {

struct TectonicWorkload {
  OperationWorkload workload;
  std::vector<std::string> notes;  // what differs from Tectonic's operations, with its place
};

/// Whether a JSON document looks like such a spec, and not like lsmlab's own workloads.
[[nodiscard]] bool is_tectonic_spec(const nlohmann::ordered_json& json);

/// Errors name the place ("sections[0].groups[1].updates.selection"): a member that is unknown
/// (with the nearest one), missing or out of range; what lsmlab cannot do, with the reason.
[[nodiscard]] Result<TectonicWorkload> read_tectonic_spec(const nlohmann::ordered_json& json);

}  // namespace lsmlab::tools

// From a SPEC to what it names: a family of the registries, a preset of configs/, or a JSON file
//   {"description": "...", "policy": "exploring", "parameters": {"k": 6, "lambda": 1.2}}
// ("workload" in place of "policy" for workloads). Parameters of the SPEC override those of the
// preset.
#pragma once

#include <string>
#include <vector>

#include "models/registry.h"
#include "models/spec.h"
#include "traces/flush_workload.h"
#include "traces/operation_workload.h"

namespace lsmlab {

struct Preset {
  std::string name;
  std::string description;
  Spec spec;  // what it stands for
};

[[nodiscard]] std::vector<Preset> policy_presets();
[[nodiscard]] std::vector<Preset> workload_presets();

/// Errors of both: an unknown name with the nearest valid one, a JSON file that cannot be read or
/// is not a preset, bad parameters, every one named.
[[nodiscard]] Result<ConfiguredPolicy> policy_of_spec(const Spec& spec);
[[nodiscard]] Result<FlushWorkload> workload_of_spec(const Spec& spec);

/// A workload of operations: a preset (traces/operation_workload.h) or the path of a JSON file
/// (docs/operation-workloads.md), which takes no parameters. Errors: as above.
[[nodiscard]] Result<OperationWorkload> operation_workload_of_spec(const Spec& spec);

}  // namespace lsmlab

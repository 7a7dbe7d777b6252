// From a SPEC to what it names: a family of the registries, a preset of configs/, or a JSON file
//   {"description": "...", "policy": "exploring", "parameters": {"k": 6, "lambda": 1.2}}
// ("workload" in place of "policy" for workloads). Parameters of the SPEC override those of the
// preset.
#pragma once

#include <string>
#include <vector>

#include "models/base/spec.h"
#include "models/machine/device_model.h"
#include "models/policies/registry.h"
#include "traces/workloads/flush_workload.h"
#include "traces/workloads/key_workload.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

struct Preset {
  std::string name;
  std::string description;
  Spec spec;  // what it stands for
};

[[nodiscard]] std::vector<Preset> policy_presets();
[[nodiscard]] std::vector<Preset> workload_presets();

/// A SPEC may name a log whose plans are forced on the policy (models/execution/forced_plans.h).
///
/// Errors of both: an unknown name with the nearest valid one, a JSON file that cannot be read or
/// is not a preset, bad parameters, every one named.
[[nodiscard]] Result<ConfiguredPolicy> policy_of_spec(const Spec& spec);
/// What a run that goes its own way answers to a forced log; `run` says which.
[[nodiscard]] Error forced_plans_error(const std::string& run);
[[nodiscard]] Result<FlushWorkload> workload_of_spec(const Spec& spec);

/// Devices by name (configs/devices/).
struct DevicePreset {
  std::string name;
  std::string description;
  Parameters parameters;
};
[[nodiscard]] std::vector<DevicePreset> device_presets();
/// A preset, or a file as `lsmlab calibrate` writes it; parameters of the SPEC override. Errors: as
/// above.
[[nodiscard]] Result<ConfiguredDevice> device_of_spec(const Spec& spec);

/// A workload of operations: a preset (traces/workloads/operation_workload.h) or the path of a JSON
/// file (docs/operation-workloads.md), which takes no parameters. Errors: as above.
[[nodiscard]] Result<OperationWorkload> operation_workload_of_spec(const Spec& spec);

/// A workload of operations, or a trace file: `trace:path=FILE`, or FILE alone where it has a
/// folder or a dot in its name and does not end with .json. Errors: as above; no such trace.
[[nodiscard]] Result<KeyWorkload> key_workload_of_spec(const Spec& spec);

/// Whether a SPEC names flushes, for resolution `flush`; everything else is for resolution `key`.
/// Errors: a JSON file that cannot be read or is not a workload.
[[nodiscard]] Result<bool> is_flush_workload(const Spec& spec);

/// The files that a SPEC of a policy, workload, device or client reads, those that its JSON file
/// names included; nothing is opened but that file.
[[nodiscard]] std::vector<std::string> files_of_spec(const Spec& spec);

}  // namespace lsmlab

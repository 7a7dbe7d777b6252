// Looks up what a SPEC names: a family of the registries, a preset of configs/, or a JSON file of
// the same form (validate/catalog/presets.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/spec.h"
#include "models/machine/device_model.h"
#include "models/policies/registry.h"
#include "traces/workloads/flush_workload.h"
#include "traces/workloads/key_workload.h"
#include "traces/workloads/operation_workload.h"
#include "validate/catalog/policy_workload.h"
#include "validate/catalog/presets.h"

namespace lsmlab {

/// The policy that a SPEC names. The SPEC may also name a plan log whose plans the policy must
/// follow (models/execution/forced_plans.h). Times among the parameters are counted by the
/// workload that the policy runs with. Its stall rules are the family's with those of the preset.
///
/// Errors of policy_of_spec() and workload_of_spec(): an unknown name, with the nearest valid one;
/// a JSON file that cannot be read or is not a preset; bad parameters, every one named; a time that
/// the workload cannot count.
[[nodiscard]] Result<ConfiguredPolicy> policy_of_spec(const Spec& spec,
                                                      const PolicyWorkload& workload = {});
/// Makes the policy follow the plans of a log. Errors: the log cannot be read; the policy cannot
/// follow it. `is_log_in_label`: the label names the log, because runs differ in it.
[[nodiscard]] Result<void> force_plans_of_log(const std::string& path, ConfiguredPolicy& policy,
                                              bool is_log_in_label = false);
/// The error of a run that cannot follow forced plans; `run` says which kind of run.
[[nodiscard]] Error forced_plans_error(const std::string& run);
[[nodiscard]] Result<FlushWorkload> workload_of_spec(const Spec& spec);

/// Devices by name (configs/devices/).
struct DevicePreset {
  std::string name;
  std::string description;
  Parameters parameters;
};
[[nodiscard]] std::vector<DevicePreset> device_presets();
/// The device of a preset, or of a file that `lsmlab calibrate` wrote. Parameters of the SPEC
/// override those of the device. Errors: as above.
[[nodiscard]] Result<ConfiguredDevice> device_of_spec(const Spec& spec);

/// A workload of operations: a preset (traces/workloads/operation_workload.h), or the path of a
/// JSON file (docs/operation-workloads.md), also of a spec of Tectonic; a file takes no parameters.
/// Errors: as above.
[[nodiscard]] Result<OperationWorkload> operation_workload_of_spec(const Spec& spec);

/// A workload of operations, or a trace file: `trace:path=FILE`, or FILE alone if its name has a
/// slash or a dot and does not end with .json. Errors: as above; no such trace.
[[nodiscard]] Result<KeyWorkload> key_workload_of_spec(const Spec& spec);

/// The options that a workload declares, with their defaults: those of a preset of operations, a
/// family of flush sizes or a trace. Nothing for any other name, which is that of a file.
[[nodiscard]] std::optional<std::vector<OptionInfo>> workload_options(const std::string& name);

/// Whether a SPEC names a workload of flushes, for resolution `flush`; all others are for
/// resolution `key`. Errors: an unknown name, with the nearest one of either kind; a JSON file that
/// cannot be read or is not a workload.
[[nodiscard]] Result<bool> is_flush_workload(const Spec& spec);

/// The files that a SPEC of a policy, workload, device or client reads, including those that its
/// JSON file names. Opens only that JSON file.
[[nodiscard]] std::vector<std::string> files_of_spec(const Spec& spec);

}  // namespace lsmlab

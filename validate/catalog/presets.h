// Presets: names for policies and workloads with parameters filled in, from configs/ or from a JSON
// file
//   {"description": "...", "policy": "exploring", "parameters": {"k": 6, "lambda": 1.2},
//    "stalls": {"level0_stop_runs": 12}}
// ("workload" instead of "policy" for workloads, which have no stall rules).
#pragma once

#include <string>
#include <vector>

#include "models/base/options.h"
#include "models/base/spec.h"

namespace lsmlab {

struct Preset {
  std::string name;
  std::string description;
  Spec spec;          // the family and parameters that the preset names
  Parameters stalls;  // what differs from the family's stall rules
};

[[nodiscard]] const std::vector<Preset>& policy_presets();
[[nodiscard]] const std::vector<Preset>& workload_presets();

/// What a SPEC stands for, first through a file, then through a preset of that name. Parameters of
/// the SPEC override those of a file, and these those of a preset. An unknown name stays as it is.
/// Errors: a JSON file that cannot be read or is not a preset.
[[nodiscard]] Result<Preset> resolved_policy(const Spec& spec);
[[nodiscard]] Result<Spec> resolved_workload(const Spec& spec);

}  // namespace lsmlab

// The workload tectonic: a workload spec of the generator Tectonic (traces/tools/tectonic_spec.h).
#pragma once

#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/options.h"
#include "models/base/spec.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

inline constexpr const char* kTectonicWorkload = "tectonic";
inline constexpr const char* kTectonicSummary =
    "a workload spec of Tectonic; its path alone is enough: -w FILE.spec.json";

/// The parameters of the workload.
[[nodiscard]] std::vector<OptionInfo> tectonic_options();
/// Errors: no file; one that cannot be read; what the spec asks for and lsmlab cannot do.
[[nodiscard]] Result<OperationWorkload> tectonic_workload(const Spec& spec);
/// A workload of that text. `path` is for messages. Errors: as above.
[[nodiscard]] Result<OperationWorkload> tectonic_workload_of_text(const std::string& path,
                                                                  const std::string& text);
/// Whether the text of a JSON file is such a spec.
[[nodiscard]] bool is_tectonic_text(const std::string& text);
/// In what the operations differ from Tectonic's, in sentences; nothing for other workloads.
[[nodiscard]] std::vector<std::string> tectonic_notes(const Spec& spec);

}  // namespace lsmlab

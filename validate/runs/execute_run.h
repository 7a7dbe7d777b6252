// Executes a resolved run. Only this function chooses between the simulators, the engine and other
// stores.
#pragma once

#include <string>

#include "validate/catalog/run_spec.h"

namespace lsmlab {

/// Simulates the run, or replays it on its store. The store's files go to `directory`, which is new
/// or empty; a simulation has no files. Errors: those of the simulator or of the replay.
[[nodiscard]] Result<RunResult> execute_run(const ResolvedRun& run, const std::string& directory,
                                            RunControl& control);

}  // namespace lsmlab

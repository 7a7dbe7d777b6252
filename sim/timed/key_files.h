// The memtables and files of a store with a clock at resolution `key`.
#pragma once

#include <memory>

#include "models/execution/run_setup.h"
#include "sim/timed/timed_files.h"

namespace lsmlab {

/// A starting tree takes its records from the source. REQUIRES: the setup outlives the files.
/// Errors: those of place_records().
[[nodiscard]] Result<std::unique_ptr<TimedFiles>> make_key_files(const RunSetup& setup,
                                                                 OperationSource& source);

}  // namespace lsmlab

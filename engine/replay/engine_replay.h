// Replays operations on a real store, from an empty directory to a result of the same form as a
// simulation's.
#pragma once

#include <string>

#include "engine/store/store_setup.h"
#include "models/accounting/run_result.h"
#include "models/base/options.h"
#include "models/base/run_control.h"
#include "traces/workloads/operation.h"

namespace lsmlab::engine {

struct ReplayOptions {
  std::uint64_t seed = 1;            // of the workload, for the result
  std::string workload;              // its name
  ResolvedOptions workload_options;  // its values, for the result
  bool final_flush = true;           // flush what is left in the memtable at the end, and settle
  bool verify = false;               // read everything back and compare it with what was written
};

/// Errors: there is something in the directory.
[[nodiscard]] Result<void> check_replay_directory(FileSystem& files, const std::string& directory);

/// Errors: the directory exists and is not empty; the source's; keys of fewer than 8 bytes; what
/// the store reports. A replay that was stopped from outside yields a result with `complete` false.
[[nodiscard]] Result<RunResult> replay(const std::string& directory, StoreSetup setup,
                                       OperationSource& source, const ReplayOptions& options,
                                       RunControl& control);

}  // namespace lsmlab::engine

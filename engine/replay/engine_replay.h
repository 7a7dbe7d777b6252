// Replays operations on lsmlab's engine. A replay begins with an empty directory and returns a
// result of the same form as a simulation's.
#pragma once

#include <string>

#include "engine/store/store_setup.h"
#include "models/accounting/run_result.h"
#include "models/base/run_control.h"
#include "models/execution/run_setup.h"
#include "traces/workloads/client_model.h"
#include "traces/workloads/operation.h"

namespace lsmlab::engine {

/// Where a replay keeps its files.
struct ReplayOptions {
  std::string directory;
  FileSystem* files = nullptr;  // must outlive the replay
  // When the replay's one client sends its operations, in threaded mode.
  ConfiguredClients clients = {};
};

/// The setup with which a replay opens its store.
[[nodiscard]] StoreSetup store_setup_of(const RunSetup& run, const ReplayOptions& options);

/// Error if the directory exists and is not empty.
[[nodiscard]] Result<void> check_replay_directory(FileSystem& files, const std::string& directory);

/// Replays all operations of the source. A replay that was stopped from outside returns a result
/// with `complete` false. Errors: the directory exists and is not empty; those of the source; a key
/// of fewer than 8 bytes; those of the store.
[[nodiscard]] Result<RunResult> replay(const RunSetup& run, const ReplayOptions& options,
                                       OperationSource& source, RunControl& control);

}  // namespace lsmlab::engine

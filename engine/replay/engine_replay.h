// Replays operations on lsmlab's engine. A replay begins with an empty directory and yields a
// result of the same form as a simulation's.
#pragma once

#include <string>

#include "engine/store/store_setup.h"
#include "models/accounting/run_result.h"
#include "models/base/run_control.h"
#include "models/execution/run_setup.h"
#include "traces/workloads/operation.h"

namespace lsmlab::engine {

/// What a replay has beside its setup: where its files are, and how the engine writes them.
struct ReplayOptions {
  std::string directory;
  FileSystem* files = nullptr;  // must outlive the replay
  Compression compression = Compression::kNone;
  bool direct_io = false;  // SSTables are read and written around the page cache
  bool verify = false;     // at the end, every key is read and compared with what was written
};

/// How a replay opens its store.
[[nodiscard]] StoreSetup store_setup_of(const RunSetup& run, const ReplayOptions& options);

/// Errors: the directory is not empty.
[[nodiscard]] Result<void> check_replay_directory(FileSystem& files, const std::string& directory);

/// Errors: the directory exists and is not empty; the source's; keys of fewer than 8 bytes; what
/// the store reports. A replay that was stopped from outside yields a result with `complete` false.
[[nodiscard]] Result<RunResult> replay(const RunSetup& run, const ReplayOptions& options,
                                       OperationSource& source, RunControl& control);

}  // namespace lsmlab::engine

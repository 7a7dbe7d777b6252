#include "validate/runs/execute_run.h"

#include "engine/files/posix_file_system.h"
#include "engine/foreign/foreign_replay.h"
#include "models/base/check.h"
#include "sim/flushes/simulate_flushes.h"
#include "sim/keys/simulate_keys.h"
#include "sim/ranges/simulate_ranges.h"

namespace lsmlab {
namespace {

Result<RunResult> simulate_at_range(const ResolvedRun& run, RunControl& control) {
  if (const auto* flushes = std::get_if<FlushWorkload>(&run.workload)) {
    return simulate_ranges(run.setup, *flushes, control);
  }
  const auto& model = std::get<KeyWorkload>(run.workload).model;
  CHECK(model != nullptr);
  if (run.device) {
    return simulate_timed_ranges(run.setup, {*run.device, run.clients}, *model, control);
  }
  return simulate_ranges(run.setup, *model, control);
}

}  // namespace

Result<RunResult> execute_run(const ResolvedRun& run, const std::string& directory,
                              RunControl& control) {
  const RunSetup& setup = run.setup;
  if (run.spec.resolution == Resolution::kRange) return simulate_at_range(run, control);
  if (const auto* flushes = std::get_if<FlushWorkload>(&run.workload)) {
    return simulate_flushes(setup, *flushes, control);
  }
  const auto operations =
      BOOST_OUTCOME_TRYX(std::get<KeyWorkload>(run.workload).open(setup.options.seed));
  switch (setup.options.source) {
    case RunSource::kSimulator:
      if (run.device) {
        return simulate_timed(setup, {*run.device, run.clients}, *operations, control);
      }
      return simulate_keys(setup, *operations, control);
    case RunSource::kEngine: {
      engine::PosixFileSystem files;
      engine::ReplayOptions options;
      options.directory = directory;
      options.files = &files;
      options.clients = run.clients;
      return engine::replay(setup, options, *operations, control);
    }
    case RunSource::kRocksdb:
    case RunSource::kLeveldb:
      break;
  }
  return engine::replay_foreign(setup, directory, *operations, control);
}

}  // namespace lsmlab

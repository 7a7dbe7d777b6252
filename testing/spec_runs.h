// Runs of a RunSpec on the simulator, on lsmlab's engine and on RocksDB and LevelDB, for tests that
// compare them.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/foreign/foreign_replay.h"
#include "testing/catch.h"
#include "testing/engine/scratch_directory.h"
#include "testing/stepped_log.h"
#include "validate/catalog/run_spec.h"
#include "validate/runs/execute_run.h"

namespace lsmlab::testing {

/// REQUIREs that the spec can run.
inline ResolvedRun resolved(const RunSpec& spec) {
  auto run = resolve(spec);
  INFO((run ? "" : run.error().message));
  REQUIRE(run.has_value());
  return std::move(run).value();
}

inline RunResult simulated(const RunSpec& spec) {
  RunControl control;
  return execute_run(resolved(spec), "", control).value();
}

/// The plan log of the simulator or of lsmlab's engine, in stepped mode.
inline std::vector<std::string> plans_of(const RunSpec& spec, bool is_engine) {
  const ResolvedRun run = resolved(spec);
  const auto source = std::get<KeyWorkload>(run.workload).open(1).value();
  return stepped_log(run.setup, *source, is_engine);
}

/// On RocksDB or LevelDB.
inline RunResult replayed(RunSpec spec, RunSource source) {
  spec.options.source = source;
  const ResolvedRun run = resolved(spec);
  const engine::testing::ScratchDirectory scratch;
  const auto operations = std::get<KeyWorkload>(run.workload).open(1).value();
  RunControl control;
  auto result = engine::replay_foreign(run.setup, scratch.path(), *operations, control);
  INFO((result ? "" : result.error().message));
  REQUIRE(result.has_value());
  return std::move(result).value();
}

}  // namespace lsmlab::testing

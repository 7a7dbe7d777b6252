// The plan log of a run without a clock, simulated or on the engine.
#pragma once

#include <string>
#include <vector>

#include "engine/replay/engine_replay.h"
#include "models/execution/plan_log.h"
#include "sim/keys/simulate_keys.h"
#include "testing/catch.h"
#include "testing/engine/fault_file_system.h"

namespace lsmlab::testing {

/// Its lines. The engine's replay also compares every key with what was written.
inline std::vector<std::string> stepped_log(RunSetup setup, OperationSource& source,
                                            bool is_engine) {
  std::vector<std::string> log;
  setup.log = [&](const PlanRecord& record) { log.push_back(plan_record_line(record)); };
  RunControl control;
  if (!is_engine) {
    REQUIRE(simulate_keys(setup, source, control).has_value());
    return log;
  }
  engine::FaultFileSystem files(3);
  setup.options.source = RunSource::kEngine;
  setup.options.verify = true;
  engine::ReplayOptions options;
  options.directory = "db";
  options.files = &files;
  const auto replayed = engine::replay(setup, options, source, control);
  INFO((replayed ? "" : replayed.error().message));
  REQUIRE(replayed.has_value());
  return log;
}

}  // namespace lsmlab::testing

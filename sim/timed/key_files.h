// The memtables and files of a store with a clock at resolution `key`.
#pragma once

#include <memory>

#include "models/execution/plan_log.h"
#include "models/policies/registry.h"
#include "sim/timed/timed_files.h"

namespace lsmlab {

/// `log` may be empty. REQUIRES: the policy outlives the files.
[[nodiscard]] std::unique_ptr<TimedFiles> make_key_files(const ConfiguredPolicy& policy,
                                                         const PlanLogSink& log);

}  // namespace lsmlab

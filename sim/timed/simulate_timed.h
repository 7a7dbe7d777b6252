// Simulates one run with a clock: clients, a store with background workers, and a device. The
// result has latencies, stalls and throughput.
#pragma once

#include "models/machine/device_model.h"
#include "sim/keys/simulate_keys.h"
#include "sim/timed/timed_store.h"
#include "traces/workloads/client_model.h"
#include "traces/workloads/operation_workload.h"

namespace lsmlab {

/// What a run with a simulated clock needs in addition to its setup.
struct DeviceAndClients {
  ConfiguredDevice device;
  ConfiguredClients clients;
  // Resolution `range` only; tests switch these shortcuts off.
  bool repeats_puts = true;    // equal puts of a client are done many at a time
  bool joins_requests = true;  // a large flush or merge takes fewer, larger steps
};

/// At resolution `key`. Errors: as simulate_keys(). REQUIRES: the setup's sync rule is kNever or
/// kEveryBatch.
[[nodiscard]] Result<RunResult> simulate_timed(const RunSetup& setup,
                                               const DeviceAndClients& machine,
                                               OperationSource& source, RunControl& control);

/// At resolution `range`. Errors: those of check_ranges(). REQUIRES: as above.
[[nodiscard]] Result<RunResult> simulate_timed_ranges(const RunSetup& setup,
                                                      const DeviceAndClients& machine,
                                                      const OperationWorkload& workload,
                                                      RunControl& control);

}  // namespace lsmlab

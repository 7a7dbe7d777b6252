// One simulated run with a clock: clients, a store with background workers and a device, to a
// result with latencies, stalls and throughput.
#pragma once

#include "models/machine/device_model.h"
#include "sim/keys/simulate_keys.h"
#include "sim/timed/client_model.h"
#include "sim/timed/timed_store.h"

namespace lsmlab {

/// What a run has beside its setup where it has a simulated clock.
struct DeviceAndClients {
  ConfiguredDevice device;
  ConfiguredClients clients;
};

/// The setup's sync rule is kNever or kEveryBatch. Errors: as simulate_keys().
[[nodiscard]] Result<RunResult> simulate_timed(const RunSetup& setup,
                                               const DeviceAndClients& machine,
                                               OperationSource& source, RunControl& control);

}  // namespace lsmlab

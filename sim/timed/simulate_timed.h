// One simulated run with a clock: clients, a store with background workers and a device, to a
// result with latencies, stalls and throughput.
#pragma once

#include "models/machine/device_model.h"
#include "sim/keys/simulate_keys.h"
#include "sim/timed/client_model.h"
#include "sim/timed/timed_store.h"

namespace lsmlab {

struct TimedRunOptions {
  ConfiguredDevice device;
  ConfiguredClients clients;
  Parameters stalls = {};  // what is not as in the policy's system (models/execution/write_stall.h)
  unsigned merge_threads = 1;
  bool sync_writes =
      false;  // each write is durable before it is done; concurrent ones share a sync
  bool sync_files = false;
};

/// Errors: as simulate_keys(); stalls that are none.
[[nodiscard]] Result<RunResult> simulate_timed(const ConfiguredPolicy& policy,
                                               OperationSource& source,
                                               const KeyRunOptions& options,
                                               const TimedRunOptions& timed, RunControl& control);

}  // namespace lsmlab

// The rate that the model predicts for clients in a closed loop.
#pragma once

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// Requests a second of the row's clients, if each request holds the channel for `transfer_ns` and
/// is done `latency_ns` later. Adds what the model's contention costs clients of each other.
[[nodiscard]] double loop_rate(const DeviceModel& model, const DiskRow& row, double transfer_ns,
                               double latency_ns);

}  // namespace lsmlab::engine

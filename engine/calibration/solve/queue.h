// How many requests the device serves at once, and what these cost each other.
#pragma once

#include <span>
#include <vector>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// Random reads of 4 KiB by one to 32 clients, one among them.
struct QueueRows {
  std::vector<DiskRow> small_reads;
};
[[nodiscard]] QueueRows queue_rows(std::span<const DiskRow> rows);

/// Sets parallelism and busy_latency_ns. The places are so many that they explain the best rate of
/// small reads, each of which takes as long as it does beside as many others: p places give
/// p / (alone + (p - 1) * busy).
void derive_queue(const QueueRows& rows, DeviceModel& model);

}  // namespace lsmlab::engine

// What a sync takes.
#pragma once

#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

struct SyncRows {
  DiskRow small;  // DiskWork::kSync of 4 KiB
};
[[nodiscard]] SyncRows sync_rows(std::span<const DiskRow> rows);

/// Sets the latency to the median sync.
void derive_sync(const SyncRows& rows, SyncModel& sync);

}  // namespace lsmlab::engine

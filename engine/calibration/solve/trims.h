// For how long the removal of a file holds the device.
#pragma once

#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

struct TrimRows {
  CpuRow small;  // CpuWork::kRemoveSmall, 256 KiB
  CpuRow large;  // CpuWork::kRemoveLarge, 8 MiB
};
[[nodiscard]] TrimRows trim_rows(std::span<const CpuRow> rows);

/// Sets file_ns and mib_ns, from what both removals waited. Leaves both as they are where the large
/// one waited less than 0.1 ms: that is the file system's own work.
void derive_trims(const TrimRows& rows, TrimModel& trims);

}  // namespace lsmlab::engine

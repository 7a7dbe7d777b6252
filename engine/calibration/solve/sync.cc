#include "engine/calibration/solve/sync.h"

#include <algorithm>

#include "engine/calibration/solve/figures.h"

namespace lsmlab::engine {

SyncRows sync_rows(std::span<const DiskRow> rows) {
  return {find_row(rows, DiskWork::kSync, kSmallBytes)};
}

void derive_sync(const SyncRows& rows, SyncModel& sync) {
  sync.latency_ns = std::max<std::uint64_t>(1, rows.small.p50_ns);
}

}  // namespace lsmlab::engine

#include "engine/calibration/solve/queue.h"

#include <algorithm>

#include "engine/calibration/solve/figures.h"

namespace lsmlab::engine {

QueueRows queue_rows(std::span<const DiskRow> rows) {
  QueueRows queue;
  for (const DiskRow& row : rows) {
    if (row.work != DiskWork::kRandomRead || row.request_bytes != kSmallBytes) continue;
    queue.small_reads.push_back(row);
  }
  return queue;
}

void derive_queue(const QueueRows& rows, DeviceModel& model) {
  constexpr std::uint64_t kPlacesMax = 1024;
  constexpr double kTwoPlaces = 1.5;  // below there is one, and a second client waits for the first
  constexpr double kShareMost = 0.97;  // beyond, any number of places gives much the same
  constexpr unsigned kTwoClients = 2;
  double best = 0;
  double beside_ns = 0;
  unsigned deepest = 1;
  for (const DiskRow& row : rows.small_reads) {
    if (row.requests_per_second > best) deepest = row.depth;
    best = std::max(best, row.requests_per_second);
    if (row.depth == kTwoClients) beside_ns = row.mean_ns;
  }
  const double alone_ns = find_row(rows.small_reads, DiskWork::kRandomRead, kSmallBytes).mean_ns;
  double busy_ns = 0;
  if (best * alone_ns / kNsPerSecond >= kTwoPlaces) busy_ns = std::max(0.0, beside_ns - alone_ns);
  model.contention.busy_latency_ns = whole_or_none(busy_ns);
  const double busy_share = best * busy_ns / kNsPerSecond;
  model.queue.parallelism = deepest;
  if (busy_share < kShareMost) {
    const double places =
        best * std::max(0.0, alone_ns - busy_ns) / kNsPerSecond / (1 - busy_share);
    model.queue.parallelism = std::min(whole(places), kPlacesMax);
  }
}

}  // namespace lsmlab::engine

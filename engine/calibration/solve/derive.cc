#include "engine/calibration/solve/derive.h"

#include "engine/calibration/solve/channel.h"
#include "engine/calibration/solve/contention.h"
#include "engine/calibration/solve/cores.h"
#include "engine/calibration/solve/figures.h"
#include "engine/calibration/solve/latency.h"
#include "engine/calibration/solve/merge_costs.h"
#include "engine/calibration/solve/mixed_curve.h"
#include "engine/calibration/solve/pauses.h"
#include "engine/calibration/solve/put_costs.h"
#include "engine/calibration/solve/queue.h"
#include "engine/calibration/solve/quota.h"
#include "engine/calibration/solve/read_costs.h"
#include "engine/calibration/solve/sync.h"
#include "engine/calibration/solve/trims.h"

namespace lsmlab::engine {

DeviceModel derive_disk(std::span<const DiskRow> rows, DeviceModel base) {
  DeviceModel model = base;
  const Bytes request_bytes = model.queue.request_bytes;
  const LatencyRows latencies = latency_rows(rows, request_bytes);
  model.contention.seek_ns =
      static_cast<std::uint64_t>(seek_of(latencies.read, latencies.two_streams));
  derive_queue(queue_rows(rows), model);
  derive_channel(channel_rows(rows, request_bytes), model);
  derive_mixed_curve(mixed_curve_rows(rows, request_bytes), model);
  derive_latency(latencies, model);
  derive_request_hold(small_reads_beside_rows(rows, request_bytes), model.contention);
  derive_sync(sync_rows(rows), model.sync);
  return model;
}

CpuModel derive_cpu(std::span<const CpuRow> rows, CpuModel base) {
  CpuModel cpu = base;
  derive_put_costs(put_rows(rows), cpu.costs);
  const LookupCosts lookups = derive_lookup_costs(lookup_rows(rows), cpu.costs);
  derive_scan_costs(scan_rows(rows), lookups, cpu.costs);
  derive_merge_costs(merge_rows(rows), cpu.costs);
  derive_flush_costs(flush_rows(rows), busy_cores_rows(rows), cpu.costs);
  derive_busy_clients(busy_client_rows(rows), cpu);
  derive_busy_merges(busy_merge_rows(rows), cpu.cores);
  return cpu;
}

void derive_waits(const Measurements& measured, DeviceModel& model) {
  const std::span<const CpuRow> rows = measured.cpu;
  const bool is_direct = measured.access == DiskAccess::kDirect;
  derive_trims(trim_rows(rows), model.trims);
  if (is_direct) {
    const MergeWait wait = merge_wait(find_row(rows, CpuWork::kMergeLarge), model);
    derive_merge_latency(wait, model.latency);
    raise_channel(wait.speedup(), model.channel);
    raise_mixed_curve(wait.speedup(), model);
    derive_busy_cores(busy_cores_rows(rows), model.contention);
  } else {
    derive_buffered_latency(find_row(rows, CpuWork::kLargeRequest), model.latency);
  }
  // Where direct I/O is refused, lookups found the page cache.
  if (measured.access != DiskAccess::kBufferedForWant) {
    derive_lookup_latency(find_row(rows, CpuWork::kGetBetween), model);
  }
  if (!is_direct) return;
  derive_gathering(gather_rows(rows), model.cpu.cores);
  derive_other_size(other_size_rows(rows), model);
  derive_sharing(sharing_rows(measured.disk, rows, model.queue.request_bytes), model);
  derive_core_waits(core_wait_rows(rows), model);
}

DeviceModel derive_model(const Measurements& measured, unsigned cores) {
  DeviceModel model;
  model.cpu.cores.count = cores;
  model = derive_disk(measured.disk, model);
  model.latency.reads_ahead = measured.access != DiskAccess::kDirect;
  model.cpu = derive_cpu(measured.cpu, model.cpu);
  derive_waits(measured, model);
  derive_quota(measured.quota, model.cpu);
  // A machine that pauses does so for the disk as well.
  if (!model.cpu.quota.is_given()) derive_pauses(measured.pauses, model.pauses);
  return model;
}

}  // namespace lsmlab::engine

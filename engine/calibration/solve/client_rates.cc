#include "engine/calibration/solve/client_rates.h"

#include <algorithm>

#include "engine/calibration/solve/derive.h"
#include "models/machine/transfer_times.h"

namespace lsmlab::engine {

double loop_rate(const DeviceModel& model, const DiskRow& row, double transfer_ns,
                 double latency_ns) {
  const auto places =
      static_cast<double>(std::min<std::uint64_t>(row.depth, model.queue.parallelism));
  latency_ns += (places - 1) * static_cast<double>(model.contention.busy_latency_ns);
  if (changes_place(row.work, row.depth))
    latency_ns += static_cast<double>(model.contention.seek_ns);
  double held_ns = transfer_ns;
  if (places > 1 && row.request_bytes >= model.queue.request_bytes.value() / 2) {
    // Two share the channel but for one's latency.
    held_ns +=
        model.contention.sharing_slowdown.as_double() * std::max(0.0, transfer_ns - latency_ns);
  }
  return kNsPerSecond * std::min(1 / held_ns, places / (transfer_ns + latency_ns));
}

double model_requests_per_second(const DeviceModel& model, const DiskRow& row) {
  if (row.work == DiskWork::kSync) return kNsPerSecond / static_cast<double>(model.sync.latency_ns);
  const std::uint64_t reads_in_four = reads_of_four(row.work);
  const double reads = static_cast<double>(reads_in_four) / 4;
  const TransferTimes times(model);
  const auto transfer = [&](DeviceRequest request) {
    return static_cast<double>(times.nanoseconds(request, row.request_bytes, 64 * reads_in_four));
  };
  double latency = static_cast<double>(model.latency.sequential_ns);
  if (!is_sequential(row.work) && row.work != DiskWork::kTwoStreamRead) {
    latency = static_cast<double>(row.work == DiskWork::kRandomRead
                                      ? model.latency.read_ns + model.cpu.costs.read_ns
                                      : model.latency.write_ns);
  }
  const double held =
      reads * transfer(DeviceRequest::kRead) + (1 - reads) * transfer(DeviceRequest::kWrite);
  if (row.work == DiskWork::kMixedBeside) {
    // So many small reads come while a large request is served.
    const double small_reads = kNsPerSecond / row.requests_per_second / row.mean_ns;
    latency += static_cast<double>(model.contention.busy_latency_ns +
                                   model.contention.other_size_latency_ns) +
               small_reads * static_cast<double>(model.contention.request_ns) / 2;
  }
  return loop_rate(model, row, held, latency);
}

}  // namespace lsmlab::engine

#include "engine/calibration/solve/latency.h"

#include <algorithm>

#include "engine/calibration/solve/contention.h"
#include "engine/calibration/solve/figures.h"
#include "models/machine/transfer_times.h"
#include "models/sizes/sstable_size.h"

namespace lsmlab::engine {
namespace {

double beyond_transfer_ns(const DiskRow& row, Bytes bandwidth) {
  return std::max(0.0, row.mean_ns - transfer_of(bandwidth, row.request_bytes));
}

// Of a store's request where half of the bytes are read, in the mean.
double half_mixed_transfer_ns(const DeviceModel& model) {
  constexpr std::uint64_t kHalfRead = 128;
  const TransferTimes times(model);
  const std::uint64_t bytes = model.queue.request_bytes.value();
  return static_cast<double>(times.nanoseconds(DeviceRequest::kRead, bytes, kHalfRead) +
                             times.nanoseconds(DeviceRequest::kWrite, bytes, kHalfRead)) /
         2;
}

}  // namespace

LatencyRows latency_rows(std::span<const DiskRow> rows, Bytes request_bytes) {
  const std::uint64_t bytes = request_bytes.value();
  return {find_row(rows, DiskWork::kRandomRead, kSmallBytes),
          find_row(rows, DiskWork::kRandomWrite, kSmallBytes),
          find_row(rows, DiskWork::kSequentialRead, bytes),
          find_row(rows, DiskWork::kTwoStreamRead, bytes),
          find_row(rows, DiskWork::kAppend, bytes)};
}

void derive_latency(const LatencyRows& rows, DeviceModel& model) {
  const Bytes read = model.channel.read_bandwidth;
  const Bytes write = model.channel.write_bandwidth;
  const double seek = seek_of(rows.read, rows.two_streams);
  model.latency.read_ns = whole(beyond_transfer_ns(rows.random_read, read) - seek);
  model.latency.write_ns = whole(beyond_transfer_ns(rows.random_write, write) - seek);
  // One figure for both: a merge reads about as much as it writes, so their mean gives its time.
  model.latency.sequential_ns =
      whole((beyond_transfer_ns(rows.read, read) + beyond_transfer_ns(rows.append, write)) / 2);
}

double MergeWait::speedup() const {
  constexpr double kMost = 2;
  return std::clamp(transfer_ns / std::max(wait_ns, 1.0), 1.0, kMost);
}

MergeWait merge_wait(const CpuRow& merge, const DeviceModel& model) {
  // Besides what it reads and writes it reads its file's end again.
  constexpr std::uint64_t kFileBytes = kCalibrateRuns * kCalibrateBuffer.value();
  constexpr double kWithEnd = 1 + sstable_end_bytes(kFileBytes) / (2.0 * kFileBytes);
  const double requests =
      kWithEnd * 2 * merge.kib * kKib / static_cast<double>(model.queue.request_bytes.value());
  return {waited_ns(merge) / requests, half_mixed_transfer_ns(model)};
}

void derive_merge_latency(const MergeWait& wait, LatencyModel& latency) {
  latency.sequential_ns = whole(wait.wait_ns - wait.transfer_ns);
}

void derive_buffered_latency(const CpuRow& large_request, LatencyModel& latency) {
  latency.sequential_ns =
      whole(static_cast<double>(latency.sequential_ns) - large_request.nanoseconds);
}

void derive_lookup_latency(const CpuRow& lookup, DeviceModel& model) {
  const double transfer = transfer_of(model.channel.read_bandwidth, kSmallBytes);
  model.latency.read_ns = whole(waited_ns(lookup) / std::max(lookup.blocks, 1.0) - transfer -
                                static_cast<double>(model.contention.seek_ns));
}

}  // namespace lsmlab::engine

// The latencies of requests, beside their transfer: of bare clients first, then of stores at work.
#pragma once

#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// One client's rows of the disk. Means count, as throughput follows them.
struct LatencyRows {
  DiskRow random_read;   // 4 KiB
  DiskRow random_write;  // 4 KiB
  DiskRow read;          // of one stream, request_bytes
  DiskRow two_streams;   // read in turn, request_bytes
  DiskRow append;        // request_bytes
};
[[nodiscard]] LatencyRows latency_rows(std::span<const DiskRow> rows, Bytes request_bytes);

/// Sets read_ns, write_ns and sequential_ns. REQUIRES: of the model the channel.
void derive_latency(const LatencyRows& rows, DeviceModel& model);

/// How a merge waits for the device, a request of its stream: it reads and writes by turns.
struct MergeWait {
  double wait_ns = 0;      // measured
  double transfer_ns = 0;  // in the model
  /// How much faster than the model's the channel must be, from 1 to 2. A client that keeps the
  /// disk at work alone cannot be told from the disk by other rows: the work of its requests is in
  /// its transfers. Beyond 2 something disturbed the merge.
  [[nodiscard]] double speedup() const;
};
/// `merge`: CpuWork::kMergeLarge. REQUIRES: of the model channel, mixed curve, request_bytes.
[[nodiscard]] MergeWait merge_wait(const CpuRow& merge, const DeviceModel& model);

/// Sets sequential_ns to what a merge waits beyond its transfers. REQUIRES: direct I/O.
void derive_merge_latency(const MergeWait& wait, LatencyModel& latency);
/// Takes the processor's part of a large request (CpuWork::kLargeRequest) out of sequential_ns.
/// REQUIRES: buffered I/O, where merges of a few MiB stay in the page cache.
void derive_buffered_latency(const CpuRow& large_request, LatencyModel& latency);
/// Sets read_ns to what a lookup (CpuWork::kGetBetween) waits for a block, beyond its transfer and
/// seek. REQUIRES: of the model channel and seek_ns; lookups that did not find the page cache.
void derive_lookup_latency(const CpuRow& lookup, DeviceModel& model);

}  // namespace lsmlab::engine

// What concurrent requests cost each other beyond the channel's bandwidth.
#pragma once

#include <span>
#include <vector>

#include "engine/calibration/rows/rows.h"
#include "engine/calibration/solve/side_by_side_model.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// How much longer a request takes after one of another stream. 0 below a millisecond: heads move
/// for longer, so less is a disturbance or a smaller read-ahead.
[[nodiscard]] double seek_of(const DiskRow& one_stream, const DiskRow& two_streams);

/// One client's streamed requests beside another client's small reads, and alone in turn with that:
/// DiskWork::kMixedBeside.
struct SmallReadsBesideRows {
  DiskRow both;
};
[[nodiscard]] SmallReadsBesideRows small_reads_beside_rows(std::span<const DiskRow> rows,
                                                           Bytes request_bytes);
/// Sets request_ns. A large request takes busy_latency_ns longer beside small reads, and waits for
/// as many of them as come in its time. Each has the channel for half of request_ns, as it shares
/// the channel with the large one. REQUIRES: busy_latency_ns.
void derive_request_hold(const SmallReadsBesideRows& rows, ContentionModel& contention);

/// A merge alone and beside puts of other stores on every other core.
struct BusyCoresRows {
  CpuRow merge;  // CpuWork::kMergeLarge
  CpuRow beside_puts;
};
[[nodiscard]] BusyCoresRows busy_cores_rows(std::span<const CpuRow> rows);
/// What the merge takes more beside the puts: of its work and of its waits, as shares of both
/// alone. The clock tells the sum better than each part. If one part came out shorter, the other
/// has the whole sum.
struct MergeSlowdowns {
  double work = 0;
  double wait = 0;
};
[[nodiscard]] MergeSlowdowns merge_slowdowns(const BusyCoresRows& rows);
/// Sets busy_cores_slowdown.
void derive_busy_cores(const BusyCoresRows& rows, ContentionModel& contention);

/// A merge and another store's lookups on the disk, each alone and beside the other.
struct OtherSizeRows {
  CpuRow merge;          // CpuWork::kMergeLarge
  CpuRow merge_beside;   // CpuWork::kMergeGets
  CpuRow lookup;         // CpuWork::kGetDisk
  CpuRow lookup_beside;  // CpuWork::kGetBeside
};
[[nodiscard]] OtherSizeRows other_size_rows(std::span<const CpuRow> rows);
/// Sets other_size_latency_ns so that the model's merge and lookups beside each other wait as many
/// times as long as alone as the measured ones, in the mean of both, without waits for a core. A
/// lookup's work counts, because its wait is too short to be told from it. REQUIRES: everything
/// else of the model that merges and lookups use.
void derive_other_size(const OtherSizeRows& rows, DeviceModel& model);

/// Two clients of a store's requests, two merges at once, and one merge.
struct SharingRows {
  std::vector<DiskRow> two_clients;  // of request_bytes: read in sequence, appended, mixed
  CpuRow merge;                      // CpuWork::kMergeLarge
  CpuRow merge_merge;
  CpuRow lookup;  // CpuWork::kGetDisk
};
[[nodiscard]] SharingRows sharing_rows(std::span<const DiskRow> disk, std::span<const CpuRow> cpu,
                                       Bytes request_bytes);
/// Sets sharing_slowdown to what comes nearest to the two clients' rates and, with equal weight, to
/// how many times as long as one the two merges wait. Bare clients show the channel, merges what a
/// store's threads wait for besides; neither alone is enough. On one core it leaves it as it is,
/// because the merges wait for the core. REQUIRES: everything else of the model, except pauses and
/// waits for a core; direct I/O, as merges stay in the page cache otherwise.
void derive_sharing(const SharingRows& rows, DeviceModel& model);

/// The processor times alone of a merge and of lookups, for side_by_side_model.h.
[[nodiscard]] BesideWork beside_work(const CpuRow& merge, const CpuRow& lookup,
                                     const DeviceModel& model);

}  // namespace lsmlab::engine

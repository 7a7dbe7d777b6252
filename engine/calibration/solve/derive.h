// Solves the device model from the rows of a calibration.
#pragma once

#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// The disk's figures in `base`. Left as they are: requests_per_second and background_bandwidth, as
/// no limit of either can be told from parallelism and bandwidth; request_bytes, a choice; flash.
/// REQUIRES: every row of a calibration, request_bytes among their sizes.
[[nodiscard]] DeviceModel derive_disk(std::span<const DiskRow> rows, DeviceModel base);
/// The processor's figures but for `cores`. REQUIRES: a row of every work.
[[nodiscard]] CpuModel derive_cpu(std::span<const CpuRow> rows, CpuModel base);
/// What requests wait for, without what they cost the processor: small reads as lookups on the disk
/// meet them, a store's own part of them taken out, and large requests of a stream as merges do,
/// alone, while another core works, and beside lookups. REQUIRES: of the model, the disk's
/// bandwidths, busy_latency_ns, request_ns, and the processor's figures.
void derive_waits(std::span<const CpuRow> rows, DiskAccess access, DeviceModel& model);
/// By how much large requests slow each other down: what two clients of a store's requests and, as
/// much as all of these, two merges at once are nearest to. On one core: as it was. REQUIRES:
/// everything else of the model, pauses and waits for a core aside; direct I/O, as merges stay in
/// the page cache otherwise.
void derive_sharing(std::span<const DiskRow> disk, std::span<const CpuRow> cpu, DeviceModel& model);
/// For how long who waited for the device waits for a core: a merge beside a store's client and
/// flushes then waits for the share of its time that was measured. On one core: as it was.
/// REQUIRES: as above, and sharing_slowdown.
void derive_core_waits(std::span<const CpuRow> rows, DeviceModel& model);
/// How long it stands still at a time, and for which share of the time. None were seen, or for
/// less than a thousandth: as it was.
void derive_pauses(const DiskPauses& pauses, DeviceModel& model);
/// The limit of processor time, where there is one that either work alone meets or work and a disk
/// that is kept at work; otherwise as it was. Where work alone does not meet it, it is taken for as
/// much as the cores can use, which hosts give virtual machines. REQUIRES: cores.
void derive_quota(const QuotaFigures& figures, CpuModel& cpu);
/// Requests a second of a row's closed loop in the model, pauses aside: rows are without.
[[nodiscard]] double model_requests_per_second(const DeviceModel& model, const DiskRow& row);

}  // namespace lsmlab::engine

// Solves the device model from the rows of a calibration. Each part of the model has a file of its
// own here: the rows that it is solved from, as a struct, and a function from these to its
// parameters. This is the order in which they run, as some need others' figures.
//
// The parts: channel, mixed_curve, latency, contention, queue, sync, trims, pauses, quota, cores;
// and of the processor's costs put_costs, read_costs, merge_costs. Nothing is solved for writeback
// and flash.
//
// Pure: equal rows give equal models.
#pragma once

#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// What bare clients show of the disk. Left as they are: requests_per_second and
/// background_bandwidth, as neither limit can be told from parallelism and bandwidth;
/// request_bytes, a choice. REQUIRES: every disk row of a calibration, request_bytes among their
/// sizes.
[[nodiscard]] DeviceModel derive_disk(std::span<const DiskRow> rows, DeviceModel base);
/// The processor's costs, and what busy cores cost. REQUIRES: a row of every work, and the number
/// of cores.
[[nodiscard]] CpuModel derive_cpu(std::span<const CpuRow> rows, CpuModel base);
/// What a store's requests wait for: small reads as lookups on the disk meet them, large requests
/// as merges do, alone and beside others. REQUIRES: derive_disk(), derive_cpu().
void derive_waits(const Measurements& measured, DeviceModel& model);
/// The whole model. `cores`: how many the machine has.
[[nodiscard]] DeviceModel derive_model(const Measurements& measured, unsigned cores);

/// Requests a second of a row's closed loop in the model, without pauses, as rows are without them.
[[nodiscard]] double model_requests_per_second(const DeviceModel& model, const DiskRow& row);

}  // namespace lsmlab::engine

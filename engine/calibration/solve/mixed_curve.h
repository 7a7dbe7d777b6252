// The channel's bandwidths of mixes of reads and writes.
#pragma once

#include <span>

#include "engine/calibration/solve/stream_rows.h"

namespace lsmlab::engine {

struct MixedCurveRows {
  StreamRows reads_25;  // DiskWork::kMixed25: a quarter of the requests are reads
  StreamRows reads_50;
  StreamRows reads_75;
};
[[nodiscard]] MixedCurveRows mixed_curve_rows(std::span<const DiskRow> rows, Bytes request_bytes);

/// Sets the three bandwidths, within what DeviceModel::validate() accepts: a figure beyond comes
/// from a disturbed disk. REQUIRES: of the model channel, seek_ns, busy_latency_ns, parallelism.
void derive_mixed_curve(const MixedCurveRows& rows, DeviceModel& model);

/// Multiplies those that were measured, within the same limits. REQUIRES: raise_channel() with the
/// same factor.
void raise_mixed_curve(double factor, DeviceModel& model);

}  // namespace lsmlab::engine

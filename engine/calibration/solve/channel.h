// The channel's bandwidths of reads alone and of writes alone.
#pragma once

#include <span>

#include "engine/calibration/solve/stream_rows.h"

namespace lsmlab::engine {

struct ChannelRows {
  StreamRows reads;    // DiskWork::kSequentialRead
  StreamRows appends;  // DiskWork::kAppend
};
[[nodiscard]] ChannelRows channel_rows(std::span<const DiskRow> rows, Bytes request_bytes);

/// Sets both bandwidths. REQUIRES: of the model seek_ns, busy_latency_ns and parallelism.
void derive_channel(const ChannelRows& rows, DeviceModel& model);

/// Multiplies both, as a merge showed that the bare clients' own work was in them.
void raise_channel(double factor, ChannelModel& channel);

}  // namespace lsmlab::engine

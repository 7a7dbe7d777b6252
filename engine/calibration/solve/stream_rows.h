// The bandwidth that one to four clients of a store's requests get, each in a stream of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// The rows of one kind of streamed work.
struct StreamRows {
  DiskRow alone;                  // one client, requests of request_bytes
  DiskRow large;                  // one client, requests of 1 MiB
  std::vector<DiskRow> together;  // two and four clients, requests of request_bytes
};
/// REQUIRES: the rows of that work.
[[nodiscard]] StreamRows stream_rows(std::span<const DiskRow> rows, DiskWork work,
                                     Bytes request_bytes);

/// Bytes a second of the channel that best explain the clients' rates. REQUIRES: of the model
/// seek_ns, busy_latency_ns and parallelism.
[[nodiscard]] Bytes bandwidth_of(const StreamRows& rows, const DeviceModel& model);

}  // namespace lsmlab::engine

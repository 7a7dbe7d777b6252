// A device whose times are easy to compute.
#pragma once

#include <cstdint>

#include "models/machine/device_server.h"

namespace lsmlab::testing {

/// 1 GB per second for reads and writes: one byte per nanosecond.
inline DeviceModel plain_device(std::uint64_t latency_ns, std::uint64_t parallelism) {
  DeviceModel model;
  model.channel.read_bandwidth = model.channel.write_bandwidth = Bytes(1'000'000'000);
  model.latency.read_ns = model.latency.write_ns = latency_ns;
  model.latency.sequential_ns = latency_ns / 2;
  model.queue.parallelism = parallelism;
  return model;
}

inline DeviceServer::Request read_of(std::uint64_t bytes) {
  return {DeviceRequest::kRead, bytes, 0, false};
}

}  // namespace lsmlab::testing

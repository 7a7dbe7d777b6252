#include "engine/calibration/solve/channel.h"

#include "engine/calibration/solve/figures.h"

namespace lsmlab::engine {

ChannelRows channel_rows(std::span<const DiskRow> rows, Bytes request_bytes) {
  return {stream_rows(rows, DiskWork::kSequentialRead, request_bytes),
          stream_rows(rows, DiskWork::kAppend, request_bytes)};
}

void derive_channel(const ChannelRows& rows, DeviceModel& model) {
  model.channel.read_bandwidth = bandwidth_of(rows.reads, model);
  model.channel.write_bandwidth = bandwidth_of(rows.appends, model);
}

void raise_channel(double factor, ChannelModel& channel) {
  for (Bytes* bandwidth : {&channel.read_bandwidth, &channel.write_bandwidth}) {
    *bandwidth = Bytes(whole(static_cast<double>(bandwidth->value()) * factor));
  }
}

}  // namespace lsmlab::engine

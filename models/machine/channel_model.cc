#include "models/machine/channel_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/machine/device_model.h"

namespace lsmlab {

void ChannelModel::declare(OptionTable& table) {
  table.bytes("read_bandwidth", read_bandwidth, kBandwidthRange, "a second, of reads alone");
  table.bytes("write_bandwidth", write_bandwidth, kBandwidthRange, "a second, of writes alone");
}

std::vector<CalibrationRow> ChannelModel::calibration() {
  return {
      {{"read_bandwidth", "write_bandwidth"},
       "what two and four clients get of a store's requests; raised, up to twice, where a merge "
       "waits less than its transfers would take so, as then a bare client's own work was in "
       "them"}};
}

void MixedCurve::declare(OptionTable& table) {
  const char* mixed =
      "a second, of reads and writes together with this share of reads; 0: as the two give it, one "
      "after the other";
  table.bytes("mixed_bandwidth_25", bandwidth_25, kBandwidthOrNone, mixed);
  table.bytes("mixed_bandwidth_50", bandwidth_50, kBandwidthOrNone, mixed);
  table.bytes("mixed_bandwidth_75", bandwidth_75, kBandwidthOrNone, mixed);
}

void MixedCurve::validate(const DeviceModel& model, std::vector<std::string>& faults) const {
  const ChannelModel& channel = model.channel;
  const Bytes least = std::min(channel.read_bandwidth, channel.write_bandwidth);
  const Bytes most = std::max(channel.read_bandwidth, channel.write_bandwidth);
  for (const Bytes mixed : {bandwidth_25, bandwidth_50, bandwidth_75}) {
    if (mixed.value() == 0) continue;
    // Beyond that the figure is a slip of the pen rather than a device.
    if (mixed.value() >= least.value() / 64 && mixed.value() <= 4 * most.value()) continue;
    faults.push_back(fmt::format("mixed bandwidth {} is out of proportion to {} and {}",
                                 mixed.value(), channel.read_bandwidth.value(),
                                 channel.write_bandwidth.value()));
  }
}

std::vector<CalibrationRow> MixedCurve::calibration() {
  return {{{"mixed_bandwidth_25", "mixed_bandwidth_50", "mixed_bandwidth_75"},
           "the same of clients that read and append by turns"}};
}

}  // namespace lsmlab

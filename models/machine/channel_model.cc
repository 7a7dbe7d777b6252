#include "models/machine/channel_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/machine/device_model.h"

namespace lsmlab {

void ChannelModel::declare(OptionTable& table) {
  table.bytes_per_second("read_bandwidth", read_bandwidth, kBandwidthRange,
                         "bandwidth while requests only read");
  table.bytes_per_second("write_bandwidth", write_bandwidth, kBandwidthRange,
                         "bandwidth while requests only write");
}

std::vector<CalibrationRow> ChannelModel::calibration() {
  return {{{"read_bandwidth", "write_bandwidth"},
           "the rates that two and four clients reach with a store's requests. If a merge waits "
           "less than its transfers would take at these bandwidths, they contained the clients' "
           "own work: they are then raised, at most to twice"}};
}

void MixedCurve::declare(OptionTable& table) {
  table.bytes_per_second("mixed_bandwidth_25", bandwidth_25, kBandwidthOrNone,
                         "bandwidth while 25 % of the transferred bytes are read; 0: reads and "
                         "writes take turns, each at its own bandwidth");
  table.bytes_per_second("mixed_bandwidth_50", bandwidth_50, kBandwidthOrNone,
                         "the same while 50 % are read");
  table.bytes_per_second("mixed_bandwidth_75", bandwidth_75, kBandwidthOrNone,
                         "the same while 75 % are read");
}

void MixedCurve::validate(const DeviceModel& model, std::vector<std::string>& faults) const {
  const ChannelModel& channel = model.channel;
  const Bytes least = std::min(channel.read_bandwidth, channel.write_bandwidth);
  const Bytes most = std::max(channel.read_bandwidth, channel.write_bandwidth);
  // A value outside these limits is probably a typing error.
  const std::uint64_t mixed_min = least.value() / 64;
  const std::uint64_t mixed_max = 4 * most.value();
  for (const auto& [percent, mixed] :
       {std::pair(25, bandwidth_25), std::pair(50, bandwidth_50), std::pair(75, bandwidth_75)}) {
    if (mixed.value() == 0) continue;
    if (mixed.value() >= mixed_min && mixed.value() <= mixed_max) continue;
    faults.push_back(fmt::format(
        "mixed_bandwidth_{}={} is out of proportion to read_bandwidth={} and write_bandwidth={}; "
        "expected {}..{}, or 0",
        percent, mixed.value(), channel.read_bandwidth.value(), channel.write_bandwidth.value(),
        mixed_min, mixed_max));
  }
}

std::vector<CalibrationRow> MixedCurve::calibration() {
  return {{{"mixed_bandwidth_25", "mixed_bandwidth_50", "mixed_bandwidth_75"},
           "the same for clients that alternately read and append"}};
}

}  // namespace lsmlab

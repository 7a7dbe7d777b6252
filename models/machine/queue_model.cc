#include "models/machine/queue_model.h"

#include <fmt/format.h>

namespace lsmlab {

void QueueModel::declare(OptionTable& table) {
  table.count("parallelism", parallelism, {1, 1024}, "requests",
              "worked on at once; more: more reads a second with many clients");
  table.bytes("request_bytes", request_bytes, {512, 1 << 30},
              "largest request; longer transfers are many, between which others are served");
  table.count("requests_per_second", requests_per_second, {0, kModelNsPerSecond}, "requests",
              "at most, as cloud volumes have it; 0: no such limit");
  table.bytes("background_bandwidth", background_bandwidth, kBandwidthOrNone,
              "a second, at most, of flushes and merges together; 0: no such limit");
}

void QueueModel::validate(const DeviceModel& /*model*/, std::vector<std::string>& faults) const {
  if (background_bandwidth.value() == 0 || background_bandwidth.value() >= 1'000) return;
  faults.push_back(
      fmt::format("background_bandwidth={} is below 1kB a second", background_bandwidth.value()));
}

std::vector<CalibrationRow> QueueModel::calibration() {
  return {{{"parallelism"}, "what the best rate of small reads needs"},
          {{"request_bytes", "requests_per_second", "background_bandwidth"}, ""}};
}

}  // namespace lsmlab

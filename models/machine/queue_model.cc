#include "models/machine/queue_model.h"

#include <fmt/format.h>

namespace lsmlab {

void QueueModel::declare(OptionTable& table) {
  table.count(
      "parallelism", parallelism, {1, 1024}, "requests",
      "how many requests the device serves at once; more: more reads per second with many clients");
  table.bytes(
      "request_bytes", request_bytes, {512, 1 << 30},
      "largest request; a longer transfer is several requests, between which others are served");
  table.count_per_second("requests_per_second", requests_per_second, {0, kModelNsPerSecond},
                         "requests", "most requests, as cloud volumes limit them; 0: no limit");
  table.bytes_per_second(
      "background_bandwidth", background_bandwidth, kBandwidthOrNone,
      "most bytes of flushes and merges together, as a rate limiter sets it; 0: no limit");
}

void QueueModel::validate(const DeviceModel& /*model*/, std::vector<std::string>& faults) const {
  if (background_bandwidth.value() == 0 || background_bandwidth.value() >= 1'000) return;
  faults.push_back(
      fmt::format("background_bandwidth={} is below 1kB a second", background_bandwidth.value()));
}

std::vector<CalibrationRow> QueueModel::calibration() {
  return {{{"parallelism"}, "as many as the best rate of small reads needs"},
          {{"request_bytes", "requests_per_second", "background_bandwidth"}, ""}};
}

}  // namespace lsmlab

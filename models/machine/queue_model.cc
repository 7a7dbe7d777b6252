#include "models/machine/queue_model.h"

#include <fmt/format.h>

#include <utility>

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
  table.bytes_per_second("background_bandwidth", background_bandwidth, kBandwidthOrNone,
                         "most bytes that flushes and merges read and write together, as a rate "
                         "limiter sets it; 0: no "
                         "limit");
  table.bytes_per_second(
      "background_write_bandwidth", background_write_bandwidth, kBandwidthOrNone,
      "most bytes that flushes and merges write together, as RocksDB's rate limiter sets it, which "
      "does not count reads by default; 0: no limit");
}

void QueueModel::validate(const DeviceModel& /*model*/, std::vector<std::string>& faults) const {
  const std::pair<const char*, Bytes> limits[] = {
      {"background_bandwidth", background_bandwidth},
      {"background_write_bandwidth", background_write_bandwidth}};
  for (const auto& [name, limit] : limits) {
    if (limit.value() == 0 || limit.value() >= 1'000) continue;
    faults.push_back(fmt::format("{}={} is below 1kB a second", name, limit.value()));
  }
}

std::vector<CalibrationRow> QueueModel::calibration() {
  return {{{"parallelism"}, "as many as the best rate of small reads needs"},
          {{"request_bytes", "requests_per_second", "background_bandwidth",
            "background_write_bandwidth"},
           ""}};
}

}  // namespace lsmlab

// How many requests the device serves at once, how large they are, and limits on their rate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "models/machine/model_part.h"

namespace lsmlab {

struct QueueModel {
  std::uint64_t parallelism = 32;         // requests in service at once
  Bytes request_bytes{256 << 10};         // largest request; longer transfers are several
  std::uint64_t requests_per_second = 0;  // at most; 0: no limit
  Bytes background_bandwidth;             // per second, of flushes and merges; 0: no limit
  Bytes background_write_bandwidth;       // of what they write; 0: no limit

  /// Whether a request has half of request_bytes or more.
  [[nodiscard]] bool is_large(std::uint64_t bytes) const {
    return bytes >= request_bytes.value() / 2;
  }
  void declare(OptionTable& table);
  void validate(const DeviceModel& model, std::vector<std::string>& faults) const;
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

}  // namespace lsmlab

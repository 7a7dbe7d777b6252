// While the device is written to, it pauses at regular intervals: the length of a pause, and the
// share of the time that pauses take. The device uses the time for itself, or the host for others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/machine/model_part.h"

namespace lsmlab {

struct PauseModel {
  std::uint64_t length_ns = 0;
  Decimal share{0, 1};

  /// Nanoseconds from the end of a pause to the beginning of the next one, rounded down; at most
  /// some 73 years. Nothing: no pauses.
  [[nodiscard]] std::optional<std::uint64_t> interval_ns() const;

  void declare(OptionTable& table);
  void validate(const DeviceModel& model, std::vector<std::string>& faults) const;
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

}  // namespace lsmlab

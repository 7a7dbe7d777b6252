// While it is written to, the device stands still at regular intervals, for so long at a time, and
// in all for this share of the time: what it keeps for itself, or a host keeps for others.
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

  /// From the end of a pause to the begin of the next one, rounded down; at most some 73 years.
  /// Nothing: no pauses.
  [[nodiscard]] std::optional<std::uint64_t> interval_ns() const;

  void declare(OptionTable& table);
  void validate(const DeviceModel& model, std::vector<std::string>& faults) const;
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

}  // namespace lsmlab

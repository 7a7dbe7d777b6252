// The flash of the device (models/machine/flash_translation.h). Without a capacity it is not
// modelled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/base/decimal.h"
#include "models/base/units.h"
#include "models/machine/flash_translation.h"
#include "models/machine/model_part.h"

namespace lsmlab {

struct FlashModel {
  std::optional<Bytes> capacity;
  FlashGeometry shape;   // its capacity is not used
  bool trims = true;     // the device is told of removed files
  Decimal filled{0, 1};  // share of the capacity that holds other data, never rewritten

  /// The shape with the capacity. REQUIRES: a capacity.
  [[nodiscard]] FlashGeometry geometry() const;

  void declare(OptionTable& table);
  void validate(const DeviceModel& model, std::vector<std::string>& faults) const;
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

}  // namespace lsmlab

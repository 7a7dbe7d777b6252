// The device's channel: bandwidths of reads alone, of writes alone, and of mixes of both.
#pragma once

#include <string>
#include <vector>

#include "models/base/units.h"
#include "models/machine/model_part.h"

namespace lsmlab {

struct ChannelModel {
  Bytes read_bandwidth{2'000'000'000};   // per second
  Bytes write_bandwidth{1'000'000'000};  // per second

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

/// Bandwidths per second while 25, 50 and 75 % of the transferred bytes are read. 0: reads and
/// writes take turns on the channel, each at its own bandwidth.
struct MixedCurve {
  Bytes bandwidth_25;
  Bytes bandwidth_50;
  Bytes bandwidth_75;

  [[nodiscard]] bool is_given() const {
    return bandwidth_25.value() != 0 || bandwidth_50.value() != 0 || bandwidth_75.value() != 0;
  }
  void declare(OptionTable& table);
  void validate(const DeviceModel& model, std::vector<std::string>& faults) const;
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

}  // namespace lsmlab

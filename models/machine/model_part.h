// A part of the device model is a struct with its parameters' defaults, and these members:
//
//   void declare(OptionTable&)                              names, ranges, units and meanings
//   void validate(const DeviceModel&, faults) const         optional: faults of several parameters
//   static std::vector<CalibrationRow> calibration()        what `lsmlab calibrate` solves for it
//
// DeviceModel::for_each_part() and CpuModel::for_each_part() list the parts. SPECs, device files,
// results, listings and the tables of docs/time.md and docs/calibration.md follow from that list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/options.h"

namespace lsmlab {

struct DeviceModel;

/// Parameters, and the measurement from which calibrate derives them.
struct CalibrationRow {
  std::vector<std::string> parameters;
  std::string from;  // empty: calibrate does not change them
};

inline constexpr std::uint64_t kModelNsPerSecond = 1'000'000'000;
/// Range of a time of the device.
inline constexpr CountRange kModelTimeRange{0, 60 * kModelNsPerSecond};
/// Range of a time that each request or operation takes.
inline constexpr CountRange kModelShortTimeRange{0, kModelNsPerSecond};
inline constexpr CountRange kBandwidthRange{1'000, std::uint64_t{1} << 44};
inline constexpr CountRange kBandwidthOrNone{0, std::uint64_t{1} << 44};

}  // namespace lsmlab

#include "models/machine/pause_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/units.h"

namespace lsmlab {

std::optional<std::uint64_t> PauseModel::interval_ns() const {
  constexpr Uint128 kMost = std::uint64_t{1} << 61;
  const Uint128 part = share.numerator();
  if (part == 0 || length_ns == 0) return std::nullopt;
  const Uint128 interval = length_ns * (share.denominator() - part) / part;
  return static_cast<std::uint64_t>(std::min(interval, kMost));
}

void PauseModel::declare(OptionTable& table) {
  table.count("pause_ns", length_ns, kModelTimeRange, "ns",
              "length of a pause; the device pauses only while it is written to");
  table.decimal("pause_share", share, "0", "0.9",
                "share of the time that pauses take; 0: no pauses");
}

void PauseModel::validate(const DeviceModel& /*model*/, std::vector<std::string>& faults) const {
  if ((share.numerator() != 0) == (length_ns != 0)) return;
  faults.push_back(
      fmt::format("pause_ns={} and pause_share={} need each other", length_ns, share.as_double()));
}

std::vector<CalibrationRow> PauseModel::calibration() {
  return {{{"pause_ns", "pause_share"},
           "requests of one to four writing clients that took ten times as long as their row's "
           "median, and at least 5 ms. These rows are then without them"}};
}

}  // namespace lsmlab

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
              "for which the device stands still at a time, while it is written to");
  table.decimal("pause_share", share, "0", "0.9",
                "share of the time for which it does so; 0: never");
}

void PauseModel::validate(const DeviceModel& /*model*/, std::vector<std::string>& faults) const {
  if ((share.numerator() != 0) == (length_ns != 0)) return;
  faults.push_back(
      fmt::format("pause_ns={} and pause_share={} need each other", length_ns, share.as_double()));
}

std::vector<CalibrationRow> PauseModel::calibration() {
  return {{{"pause_ns", "pause_share"},
           "requests of one to four writing clients that took ten times as long as is usual in "
           "their row, and at least 5 ms; they are taken out of those rows"}};
}

}  // namespace lsmlab

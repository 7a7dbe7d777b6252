// What the parts share that turn measurements into a model's figures.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// A figure of a model is at least 1: 0 has another meaning, or none.
[[nodiscard]] inline std::uint64_t whole(double figure) {
  return figure > 1 ? static_cast<std::uint64_t>(std::llround(figure)) : 1;
}

/// Of figures where 0 means that there is none of it.
[[nodiscard]] inline std::uint64_t whole_or_none(double figure) {
  return static_cast<std::uint64_t>(std::llround(std::max(0.0, figure)));
}

/// In thousandths.
[[nodiscard]] inline Decimal slowdown_of(double share) {
  constexpr std::uint32_t kParts = 1000;
  constexpr double kMost = 10;  // that the model takes
  return {static_cast<std::uint32_t>(std::llround(std::clamp(share, 0.0, kMost) * kParts)), kParts};
}

/// REQUIRES: there is one.
[[nodiscard]] const CpuRow& find_row(std::span<const CpuRow> rows, CpuWork work);

/// What DeviceModel::validate() takes for a mixed bandwidth beside the model's two others: beyond,
/// the disk was disturbed.
[[nodiscard]] inline Bytes in_proportion(Bytes mixed, const DeviceModel& model) {
  const auto [least, most] =
      std::minmax(model.channel.read_bandwidth, model.channel.write_bandwidth);
  return std::clamp(mixed, Bytes(least.value() / 64 + 1), Bytes(4 * most.value()));
}

[[nodiscard]] inline double transfer_of(Bytes bandwidth, std::uint64_t bytes) {
  return static_cast<double>(bytes) * kNsPerSecond / static_cast<double>(bandwidth.value());
}

/// What a merge takes more while other cores put, of its work and of its waits, as shares of both
/// alone. The clock tells the sum better than what each was: where one came out shorter, the other
/// has it.
struct MergeSlowdowns {
  double work = 0;
  double wait = 0;
};
[[nodiscard]] MergeSlowdowns merge_slowdowns(std::span<const CpuRow> rows);

}  // namespace lsmlab::engine

// What the parts of solve share: how figures are rounded, and how rows are found and read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// Rounds a figure of the model, which is at least 1: 0 has another meaning, or none.
[[nodiscard]] inline std::uint64_t whole(double figure) {
  return figure > 1 ? static_cast<std::uint64_t>(std::llround(figure)) : 1;
}

/// Rounds a figure of which 0 means that the machine has none of it.
[[nodiscard]] inline std::uint64_t whole_or_none(double figure) {
  return static_cast<std::uint64_t>(std::llround(std::max(0.0, figure)));
}

/// Rounds a share to thousandths, within what the model accepts.
[[nodiscard]] inline Decimal slowdown_of(double share) {
  constexpr std::uint32_t kParts = 1000;
  constexpr double kMost = 10;  // that the model accepts
  return {static_cast<std::uint32_t>(std::llround(std::clamp(share, 0.0, kMost) * kParts)), kParts};
}

/// Nanoseconds for so many bytes at a bandwidth.
[[nodiscard]] inline double transfer_of(Bytes bandwidth, std::uint64_t bytes) {
  return static_cast<double>(bytes) * kNsPerSecond / static_cast<double>(bandwidth.value());
}

/// REQUIRES: the rows contain one of that work.
[[nodiscard]] const CpuRow& find_row(std::span<const CpuRow> rows, CpuWork work);
/// The row of one client. REQUIRES: the rows contain it.
[[nodiscard]] const DiskRow& find_row(std::span<const DiskRow> rows, DiskWork work,
                                      std::uint64_t request_bytes);

/// How long the row's work waited for the device.
[[nodiscard]] inline double waited_ns(const CpuRow& row) {
  return row.wall_ns - row.nanoseconds - row.core_wait_ns;
}

/// How many entries of a flush or merge one request of request_bytes holds.
[[nodiscard]] inline double entries_of_piece(const CpuRow& row, const DeviceModel& model) {
  return static_cast<double>(model.queue.request_bytes.value()) / kKib / row.kib;
}

}  // namespace lsmlab::engine

// When written data is durable: syncs and write-back of logs; and trims of removed files.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/units.h"
#include "models/machine/model_part.h"

namespace lsmlab {

struct SyncModel {
  std::uint64_t latency_ns = 500'000;  // until the written data is durable

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

/// A removed file holds the channel while the device is told which data it need not keep (TRIM,
/// discard). 0: the device is not told, or trims without delaying requests.
struct TrimModel {
  std::uint64_t file_ns = 0;
  std::uint64_t mib_ns = 0;  // for 1,048,576 bytes of the file

  [[nodiscard]] bool is_given() const { return file_ns != 0 || mib_ns != 0; }
  /// Nanoseconds for which a removed file of so many bytes holds the channel, rounded up.
  [[nodiscard]] std::uint64_t hold_ns(std::uint64_t bytes) const {
    constexpr unsigned kMibBits = 20;
    const Uint128 of_bytes = Uint128{bytes} * mib_ns + ((Uint128{1} << kMibBits) - 1);
    return file_ns + static_cast<std::uint64_t>(of_bytes >> kMibBits);
  }
  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

/// Age at which the system writes log bytes that were not synced. A log that is removed earlier is
/// never written. Linux: dirty_expire_centisecs.
struct WritebackModel {
  std::uint64_t age_ns = 30'000'000'000;

  void declare(OptionTable& table);
  [[nodiscard]] static std::vector<CalibrationRow> calibration();
};

}  // namespace lsmlab

// The flash of a simulated device. A store reports its written and removed files; the meter counts
// what the drive writes to flash for them. Not thread safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "models/accounting/run_result.h"
#include "models/machine/device_model.h"
#include "models/machine/flash_files.h"

namespace lsmlab {

class FlashWearMeter {
 public:
  /// A drive that already holds the model's other data (flash_filled). Errors: the geometry's
  /// faults.
  [[nodiscard]] static Result<FlashWearMeter> create(const DeviceModel& model);

  /// Errors: the drive is full.
  [[nodiscard]] Result<void> write(FileId file, Bytes bytes);
  void remove(FileId file);
  /// Adds a log of so many bytes, which is on the drive until its memtable is in a file. Logs are
  /// removed in the order in which they were added. Errors: the drive is full.
  [[nodiscard]] Result<void> add_log(Bytes bytes);
  void remove_log();

  /// Figures since create(). `nanoseconds`: the time since then, for the rate of writing; 0: the
  /// lifetime is not computed.
  [[nodiscard]] FlashFigures figures(std::uint64_t nanoseconds) const;

 private:
  FlashWearMeter(FlashFiles files, const FlashGeometry& geometry);

  FlashFiles files_;
  FlashGeometry geometry_;
  FlashCounters at_begin_;
  std::uint64_t logs_added_ = 0;
  std::uint64_t logs_removed_ = 0;
};

}  // namespace lsmlab

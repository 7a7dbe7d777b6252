// The flash behind a simulated device: a store's files as they come and go, and what the drive
// writes for them. Not thread safe.
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
  /// A drive that holds what the model says of other data. Errors: the geometry's faults.
  [[nodiscard]] static Result<FlashWearMeter> create(const DeviceModel& model);

  /// Errors: the drive is full.
  [[nodiscard]] Result<void> write(FileId file, Bytes bytes);
  void remove(FileId file);
  /// A log of so many bytes is on the drive until its memtable is in a file. Logs are removed in
  /// the order in which they were added.
  [[nodiscard]] Result<void> add_log(Bytes bytes);
  void remove_log();

  /// Since the beginning. `nanoseconds`: that it took, for the rate of writing; 0: no lifetime.
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

// Measures how long the removal of files waits for the disk. As in a store, other files are written
// meanwhile.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/calibration/measure/measure.h"

namespace lsmlab::engine {

/// Times of removals of equal files. At intervals a host writes back the data of its virtual disk,
/// and a removal waits for that. The length of this wait depends on the bytes written since the
/// last one, not on the removal that meets it. So the time of a removal beyond ten times the median
/// is divided among all written files.
struct RemovalTimes {
  double usual_ns = 0;   // per removal, without that excess
  double longer_ns = 0;  // the excess, per written file
};
/// `removals_ns`: the time of each removal. 0 without removals. REQUIRES: at least as many files
/// written as removed.
[[nodiscard]] RemovalTimes removal_times(std::span<const double> removals_ns,
                                         std::uint64_t files_written);

struct RemovalFigures {
  CpuRow small;  // CpuWork::kRemoveSmall, without the excess
  CpuRow large;  // CpuWork::kRemoveLarge, with the excess of small and large files
};
/// Files in a directory, together about 1.5 times `file_bytes`. Old files are dearer to remove, on
/// some hosts three times, because the host has written them back.
class RemovalMeasurement {
 public:
  /// Uses direct I/O unless the options say buffered.
  RemovalMeasurement(const std::string& directory, const CalibrateOptions& options);
  /// Removes all files.
  ~RemovalMeasurement();
  RemovalMeasurement(const RemovalMeasurement&) = delete;
  RemovalMeasurement& operator=(const RemovalMeasurement&) = delete;

  /// Writes the files, some time before measure(). Returns early if the run is stopped. Errors:
  /// I/O.
  [[nodiscard]] Result<void> fill();
  /// For about `length`, writes new files and removes a random old one for each. If the run is
  /// stopped, returns what it has measured. REQUIRES: fill(). Errors: I/O.
  [[nodiscard]] Result<RemovalFigures> measure(CalibrateClock::duration length);

 private:
  class Turnover;
  const CalibrateOptions& options_;
  std::unique_ptr<Turnover> small_;
  std::unique_ptr<Turnover> large_;
};
/// Most bytes that a RemovalMeasurement has on the disk at a time.
[[nodiscard]] Bytes removal_scratch_bytes(Bytes file_bytes);

}  // namespace lsmlab::engine

// What the removal of files waits for the disk, as a store removes them: while it writes others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/calibration/measure/measure.h"

namespace lsmlab::engine {

/// Of removals of like files that took so long each, while so many files were written: what one
/// takes, and its part of what others stood still. A host writes back at intervals what the disk
/// was given, and a removal waits for that; such a wait goes by what was written since the last
/// one, whichever removal meets it. So what a removal takes beyond ten times the middle one is
/// shared by all files that were written. 0 without removals. REQUIRES: as many files written as
/// removed, at least.
struct RemovalTimes {
  double usual_ns = 0;
  double longer_ns = 0;  // a file written
};
[[nodiscard]] RemovalTimes removal_times(std::span<const double> removals_ns,
                                         std::uint64_t files_written);

struct RemovalFigures {
  CpuRow small;  // CpuWork::kRemoveSmall, without its part of what it was held up
  CpuRow large;  // CpuWork::kRemoveLarge, with that of both
};
/// Files of a directory, one and a half times `file_bytes` of them. Those that have stood for a
/// while are dearer to remove, three times on some hosts: these have written them back by then.
class RemovalMeasurement {
 public:
  /// Around the page cache, unless asked for otherwise.
  RemovalMeasurement(const std::string& directory, const CalibrateOptions& options);
  /// Removes them.
  ~RemovalMeasurement();
  RemovalMeasurement(const RemovalMeasurement&) = delete;
  RemovalMeasurement& operator=(const RemovalMeasurement&) = delete;

  /// Writes them, for measure() some time later. A run that is stopped returns. Errors: I/O.
  [[nodiscard]] Result<void> fill();
  /// For about so long, removes any of them for each new one. A run that is stopped returns what it
  /// has. REQUIRES: fill(). Errors: I/O.
  [[nodiscard]] Result<RemovalFigures> measure(CalibrateClock::duration length);

 private:
  class Turnover;
  const CalibrateOptions& options_;
  std::unique_ptr<Turnover> small_;
  std::unique_ptr<Turnover> large_;
};
/// Bytes that it has on the disk at a time, at most.
[[nodiscard]] Bytes removal_scratch_bytes(Bytes file_bytes);

}  // namespace lsmlab::engine

// The processor's rows of a calibration, as round after round adds to them.
#pragma once

#include <vector>

#include "engine/calibration/measure/measure.h"
#include "engine/calibration/measure/work_store.h"

namespace lsmlab::engine {

class CpuTable {
 public:
  void note(CpuWork work, const Sample& sample);

  /// How many times as much it took as another work, `alone`, in the same turn: the disk and the
  /// processor drift too far for the figures of two to be compared. REQUIRES: `alone` is noted too,
  /// of the work that the table has for it.
  void note_ratio(CpuWork work, Sample sample, const Sample& alone);

  /// In the order of CpuWork, those that were noted. Ratios are times again: of what the other work
  /// takes in the table.
  [[nodiscard]] std::vector<CpuRow> rows() const;

 private:
  struct Measured {
    CpuRow row;
    RoundFigures times;
    RoundFigures walls;
    RoundFigures slow;
    RoundFigures others_busy;
    RoundFigures core_waits;
    RoundFigures one_core;
    [[nodiscard]] double nanoseconds() const;
  };
  [[nodiscard]] const Measured& measured_of(CpuWork work) const;

  std::vector<Measured> measured_;
};

}  // namespace lsmlab::engine

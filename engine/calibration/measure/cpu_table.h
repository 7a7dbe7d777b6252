// The processor's rows of a calibration, to which each round adds figures.
#pragma once

#include <vector>

#include "engine/calibration/measure/measure.h"
#include "engine/calibration/measure/work_store.h"

namespace lsmlab::engine {

class CpuTable {
 public:
  void note(CpuWork work, const Sample& sample);

  /// Adds the ratio of a sample to `alone`, the sample of another work in the same turn. Figures of
  /// different turns cannot be compared, because disk and processor drift too far. REQUIRES:
  /// `alone` is noted too, for CpuWorkInfo::in_turn_with.
  void note_ratio(CpuWork work, Sample sample, const Sample& alone);

  /// The noted rows in the order of CpuWork. Ratios are converted to times: they are multiplied by
  /// the time of the other work in the table.
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

#include "engine/calibration/solve/pauses.h"

#include <algorithm>

#include "engine/calibration/solve/figures.h"

namespace lsmlab::engine {

void derive_pauses(const DiskPauses& pauses, PauseModel& model) {
  constexpr double kMostSeconds = 60;  // that the model accepts
  constexpr double kMostShare = 0.9;
  if (pauses.pauses == 0) return;
  const double seconds = std::min(kMostSeconds, pauses.paused_seconds / pauses.pauses);
  const Decimal share = slowdown_of(std::min(kMostShare, pauses.paused_seconds / pauses.seconds));
  if (share.numerator() == 0) return;
  model.length_ns = whole(kNsPerSecond * seconds);
  model.share = share;
}

}  // namespace lsmlab::engine

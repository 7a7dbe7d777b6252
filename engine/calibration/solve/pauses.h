// How long the disk pauses while it is written to.
#pragma once

#include "engine/calibration/rows/rows.h"
#include "models/machine/device_model.h"

namespace lsmlab::engine {

/// Sets the mean length of a pause, and the share of the time that pauses take. Leaves both as they
/// are where there was no pause, or less than a thousandth of the time.
void derive_pauses(const DiskPauses& pauses, PauseModel& model);

}  // namespace lsmlab::engine

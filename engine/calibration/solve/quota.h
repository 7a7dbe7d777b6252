// The limit of processor time that a host or a container sets.
#pragma once

#include "engine/calibration/rows/rows.h"
#include "models/machine/cpu_model.h"

namespace lsmlab::engine {

/// Sets the limit if work on all cores meets it, alone or beside a busy disk; leaves it as it is
/// otherwise. Where work alone does not meet the limit, it is as much as the cores can use: hosts
/// give that to virtual machines. REQUIRES: the number of cores.
void derive_quota(const QuotaFigures& figures, CpuModel& cpu);

}  // namespace lsmlab::engine

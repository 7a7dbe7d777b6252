// The parts of a run, whose sums are shown apart: the phases of its workload, or what comes before
// and after a moment that the user chose.
#pragma once

#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/part_mark.h"
#include "traces/workloads/key_workload.h"

namespace lsmlab {

/// `measure_from`: empty for the workload's phases; otherwise an operation ("1M") or a share of the
/// operations ("50%"), from which on the run is measured. Errors: neither of these; a moment at or
/// after the workload's end; a share of a workload whose length is not known.
[[nodiscard]] Result<std::vector<PartMark>> run_parts(const KeyWorkload& workload,
                                                      const std::string& measure_from);

}  // namespace lsmlab

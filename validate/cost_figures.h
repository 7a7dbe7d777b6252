// What the papers' cost models say of a run, for its result: to be read beside what it counted.
#pragma once

#include <vector>

#include "models/cost.h"
#include "models/result.h"

namespace lsmlab {

/// Figures of models/cost_merge.h for the merge-policies paper's policies, and of models/cost_ldc.h
/// for `leveldb`, `udc` and `ldc` on a device that is known. Empty for other policies, and where a
/// model does not apply (a tree of less than one level).
[[nodiscard]] std::vector<CostFigure> cost_figures_of(const RunResult& result);

}  // namespace lsmlab

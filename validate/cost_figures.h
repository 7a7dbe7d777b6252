// What the papers' cost models say of a run, beside what the run itself came to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/cost.h"
#include "models/result.h"

namespace lsmlab {

/// One figure of a model, and the run's own of the same meaning.
struct ComparedCost {
  CostFigure model;
  std::string run_figure;     // its name, for people; empty: a run has none
  std::optional<double> run;  // in the model's unit; nothing where this run has none
};

/// Figures of models/cost_merge.h for the merge-policies paper's policies, and of models/cost_ldc.h
/// for `leveldb`, `udc` and `ldc`: rates and times of these only on a device that is known. Empty
/// for other policies, and where a model does not apply (a tree of less than one level).
[[nodiscard]] std::vector<ComparedCost> cost_figures_of(const RunResult& result);

}  // namespace lsmlab

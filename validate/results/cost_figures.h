// What the papers' cost models say of a run, beside what the run itself came to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/accounting/figure.h"
#include "models/accounting/run_result.h"
#include "models/theory/cost_figure.h"

namespace lsmlab {

/// One figure of a model, and the run's own of the same meaning.
struct ComparedCost {
  CostFigure model;
  std::string run_figure;     // its name, for people; empty: a run has none
  std::optional<double> run;  // in the model's unit; nothing where this run has none
};

/// Figures of models/theory/merge_policy_costs.h for the merge-policies paper's policies, and of
/// models/theory/ldc_costs.h for `leveldb`, `udc` and `ldc`: rates and times of these only on a
/// device that is known. Empty for other policies, and where a model does not apply (a tree of less
/// than one level).
[[nodiscard]] std::vector<ComparedCost> cost_figures_of(const RunResult& result);

/// How measured runs average their figure of that name; of an unknown name kNone.
[[nodiscard]] Averaging cost_averaging(const std::string& name);

}  // namespace lsmlab

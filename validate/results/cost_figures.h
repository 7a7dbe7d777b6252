// What a paper's cost model predicts for a run, next to the run's own figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/accounting/figure.h"
#include "models/accounting/run_result.h"
#include "models/policies/cost_model.h"

namespace lsmlab {

/// One figure of a model, and the run's own of the same meaning.
struct ComparedCost {
  CostFigure model;
  std::string run_figure;     // its name, for people; empty: a run has none
  std::optional<double> run;  // in the model's unit; nothing where this run has none
};

/// The figures of the cost model that the policy's family declares (PolicyFamily::cost_model).
/// Empty where it declares none, and where the model does not apply (a tree of less than one
/// level).
[[nodiscard]] std::vector<ComparedCost> cost_figures_of(const RunResult& result);

/// How measured runs average their figure of that name; of an unknown name kNone.
[[nodiscard]] Averaging cost_averaging(const std::string& name);

}  // namespace lsmlab

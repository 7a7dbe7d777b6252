// Compares the figures that a paper's cost model predicts for a run with the run's own figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/accounting/figure.h"
#include "models/accounting/run_result.h"
#include "models/policies/cost_model.h"

namespace lsmlab {

/// One figure of a model, and the run's figure of the same meaning.
struct ComparedCost {
  CostFigure model;
  std::string run_figure;     // the run's figure in words; empty: no run has such a figure
  std::optional<double> run;  // in the model's unit; nothing if this run has no such figure
};

/// The figures of the cost model that the policy's family declares (PolicyFamily::cost_model).
/// Empty if it declares none, or if the model does not apply (a tree of less than one level).
[[nodiscard]] std::vector<ComparedCost> cost_figures_of(const RunResult& result);

/// How measured runs average the figure that results compare with a model's figure of that name.
/// Nothing if runs have no such figure, or if no model of this version has the name.
[[nodiscard]] std::optional<Averaging> cost_averaging(const std::string& name);

}  // namespace lsmlab

// Closed-form costs, to be shown beside what was simulated and measured: what the models of LDC's
// paper (models/theory/ldc_costs.h) and of the merge-policies paper
// (models/theory/merge_policy_costs.h) share. They decide nothing, and are the same in every bit on
// every machine: a logarithm comes from portable_math.h.
#pragma once

#include <string>

namespace lsmlab {

/// One figure of a model, for a table or a result.
struct CostFigure {
  std::string name;  // as in results where they have the figure too (design: Accounting)
  double value = 0;
  std::string unit;    // "bytes/byte", "runs", "bytes/s", "ns", ...
  std::string source;  // the expression, and the paper and section that give it
};

/// log_base(value), a whole number where value is a power of the base and both are whole (that of
/// two logarithms' quotient need not be). REQUIRES: value >= 1 and finite, base >= 2.
[[nodiscard]] double log_to_base(double value, double base);

}  // namespace lsmlab

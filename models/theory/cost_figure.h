// Closed-form costs, to be shown beside what was simulated and measured: what the models of LDC's
// paper (models/theory/ldc_costs.h) and of the merge-policies paper
// (models/theory/merge_policy_costs.h) share. They decide nothing, and are the same in every bit on
// every machine: a logarithm comes from portable_math.h.
#pragma once

#include "models/policies/cost_model.h"

namespace lsmlab {

/// log_base(value), a whole number where value is a power of the base and both are whole (that of
/// two logarithms' quotient need not be). REQUIRES: value >= 1 and finite, base >= 2.
[[nodiscard]] double log_to_base(double value, double base);

}  // namespace lsmlab

// Closed-form costs, to compare with simulated and measured results. This header has what the
// models of the LDC paper (models/theory/ldc_costs.h) and of the merge-policies paper
// (models/theory/merge_policy_costs.h) share. They have the same bits on every machine, because
// logarithms come from portable_math.h. Of all costs only those of
// models/theory/delete_aware_adaptation.h influence decisions.
#pragma once

#include "models/policies/cost_model.h"

namespace lsmlab {

/// log_base(value). The result is exact if both numbers are whole and value is a power of the base;
/// a quotient of two logarithms need not be. REQUIRES: value >= 1 and finite, base >= 2.
[[nodiscard]] double log_to_base(double value, double base);

}  // namespace lsmlab

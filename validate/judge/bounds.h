// Checks the bounds that an experiment sets on the errors of a group.
#pragma once

#include <string>
#include <vector>

#include "validate/catalog/experiment.h"
#include "validate/judge/cell.h"

namespace lsmlab {

/// Adds a sentence to `broken` for each bound of the group that a cell breaks.
void check_bounds(const ExperimentGroup& group, const std::vector<const Cell*>& cells,
                  std::vector<std::string>& broken);

}  // namespace lsmlab

// How near cassandra-ucs is to Cassandra, rule by rule (models/policies/families/cassandra_ucs.cc).
#pragma once

#include <vector>

#include "models/policies/fidelity.h"

namespace lsmlab {

[[nodiscard]] std::vector<RuleFidelity> ucs_fidelity();

}  // namespace lsmlab

// Maps the schema of a table of Cassandra or ScyllaDB to the policy of lsmlab that is nearest.
#pragma once

#include "traces/stores/policy_spec.h"

namespace lsmlab::stores {

[[nodiscard]] PolicySpec cassandra_spec(StoreSystem system, const OptionValues& options,
                                        const FamilyFigures& figures);

}  // namespace lsmlab::stores

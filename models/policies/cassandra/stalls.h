// When Cassandra 5.0 and ScyllaDB stall writers. Neither counts SSTables: writes wait only for
// memory.
#pragma once

#include "models/policies/stall_rules.h"
#include "models/policies/unlimited_runs.h"

namespace lsmlab {

/// Cassandra flushes a memtable when it holds 1 / (memtable_flush_writers + 1), by default a third,
/// of the memory for memtables, and writers wait when all of it is used (DatabaseDescriptor,
/// MemtableCleanerThread). So two may wait to be written while a third is filled. ScyllaDB flushes
/// at half of its memory for memtables.
[[nodiscard]] inline StallRules stalls_by_memory(std::uint64_t full_memtables_max) {
  StallRules rules;
  rules.full_memtables_max = full_memtables_max;
  lift_run_limits(rules);
  return rules;
}

}  // namespace lsmlab

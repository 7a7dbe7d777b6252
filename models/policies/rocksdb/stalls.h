// When RocksDB 7.8.3 makes writers wait, with its defaults, for leveled and universal compaction
// (db/column_family.cc, db/write_controller.cc). Its limits on pending bytes apply to leveled
// compaction only: only that one estimates them here.
#pragma once

#include "models/policies/stall_rules.h"

namespace lsmlab {

[[nodiscard]] inline StallRules rocksdb_stalls() {
  StallRules rules;
  rules.full_memtables_max = 1;
  rules.adapts_rate = true;
  return rules;
}

}  // namespace lsmlab

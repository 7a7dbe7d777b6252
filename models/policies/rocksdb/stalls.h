// When RocksDB 7.8.3 stalls writers and runs several compactions at a time, with its defaults, for
// leveled and universal compaction (db/column_family.cc, db/write_controller.cc, and
// DBImpl::GetBGJobLimits). Its limits on pending bytes apply to leveled
// compaction only, because here only that policy estimates them.
#pragma once

#include "models/policies/stall_rules.h"

namespace lsmlab {

[[nodiscard]] inline StallRules rocksdb_stalls() {
  StallRules rules;
  rules.full_memtables_max = 1;
  rules.adapts_rate = true;
  rules.one_merge_until_behind = true;
  return rules;
}

}  // namespace lsmlab

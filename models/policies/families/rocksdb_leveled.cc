// RocksDB's leveled compaction (models/policies/rocksdb/leveled.h).
#include "models/policies/rocksdb/leveled.h"
#include "models/theory/delete_aware_costs.h"

namespace lsmlab {

PolicyFamily rocksdb_leveled_family() {
  PolicyFamily family = make_family<RocksdbLeveledOptions, RocksdbLeveled>(
      "rocksdb-leveled",
      "RocksDB's leveled compaction: merges the level with the highest score, one or several "
      "files at a time",
      "RocksDB 7.8.3, db/compaction/compaction_picker_level.cc, db/version_set.cc");
  add_rocksdb_leveled_stalls(family);
  family.cost_model = delete_aware_leveled_model;
  family.foreign = ForeignCompaction::kRocksdbLeveled;
  return family;
}

}  // namespace lsmlab

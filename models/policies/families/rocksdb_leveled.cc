// RocksDB's leveled compaction (models/policies/rocksdb/leveled.h).
#include "models/policies/rocksdb/leveled.h"
#include "models/policies/rocksdb/subcompactions.h"
#include "models/theory/delete_aware_costs.h"

namespace lsmlab {
namespace {

struct OwnOptions : RocksdbLeveledOptions {
  void declare(OptionTable& table) {
    RocksdbLeveledOptions::declare(table);
    declare_disable_auto_compactions(table, disable_auto_compactions);
  }
};

std::vector<RuleFidelity> rocksdb_leveled_fidelity() {
  const char* const kVersion = "db/version_set.cc, RocksDB 7.8.3";
  const char* const kPicker = "db/compaction/compaction_picker_level.cc, RocksDB 7.8.3";
  return {
      {"scores of levels and dynamic targets", Fidelity::kExact, kVersion},
      {"which file of a level: the five values of compaction_pri", Fidelity::kExact, kVersion},
      {"the inputs of a merge and how they grow", Fidelity::kExact, kPicker},
      {"merges within level 0, by size and by cost", Fidelity::kExact, kPicker},
      {"moves without rewriting", Fidelity::kExact, kPicker},
      {"where output files end", Fidelity::kExact,
       "db/compaction/compaction_outputs.cc, RocksDB 7.8.3"},
      {"files marked because of many deletes (CompactOnDeletionCollector)", Fidelity::kExact,
       kPicker},
      {"ttl and periodic compaction", Fidelity::kSimplified, kPicker,
       "ages count operations, not seconds"},
      {"one compaction until the store is behind, slowed and stopped writers", Fidelity::kExact,
       "db/db_impl/db_impl_compaction_flush.cc, db/column_family.cc, RocksDB 7.8.3"},
      rocksdb_flush_fidelity(),
      rocksdb_subcompactions_fidelity(),
      {"manual compaction of the whole store (CompactRange)", Fidelity::kExact,
       "db/db_impl/db_impl_compaction_flush.cc, RocksDB 7.8.3"},
      {"range deletes, ingested files, blob files, manual compaction of a range or of files",
       Fidelity::kNotModelled, kPicker, "no workload has them"},
      {"rules that changed after 7.8.3", Fidelity::kSimplified, "RocksDB 6.12 to 9.0",
       "the option version chooses the larger ones"},
  };
}

}  // namespace

PolicyFamily rocksdb_leveled_family() {
  PolicyFamily family = make_family<OwnOptions, RocksdbLeveled>(
      "rocksdb-leveled",
      "RocksDB's leveled compaction: merges the level with the highest score, one or several "
      "files at a time",
      "RocksDB 7.8.3, db/compaction/compaction_picker_level.cc, db/version_set.cc");
  add_rocksdb_leveled_stalls(family);
  family.cost_model = delete_aware_leveled_model;
  family.foreign = ForeignCompaction::kRocksdbLeveled;
  family.fidelity = rocksdb_leveled_fidelity();
  return family;
}

}  // namespace lsmlab

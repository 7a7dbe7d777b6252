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
      {"sizes that count tombstones (compensated_file_size)", Fidelity::kSimplified, kVersion,
       "by the mean value size of the files in the tree; RocksDB fixes a file's size when it is "
       "made, by all files that it had until then"},
      {"dynamic levels that the data does not need drain (from 8.2)", Fidelity::kExact,
       "db/version_set.cc, RocksDB 8.4.4"},
      {"levels move down when a store is opened with dynamic levels (from 8.2)",
       Fidelity::kSimplified, "db/db_impl/db_impl_open.cc, RocksDB 8.4.4",
       "where what-if begins with today's tree"},
      {"which file of a level: the five values of compaction_pri", Fidelity::kSimplified, kVersion,
       "all files are ordered, and ties go by the place in the level; RocksDB orders 50 and leaves "
       "ties open in three of the orders"},
      {"the inputs of a merge and how they grow", Fidelity::kExact, kPicker},
      {"merges within level 0, by size and by cost", Fidelity::kExact, kPicker},
      {"moves without rewriting", Fidelity::kExact, kPicker},
      {"where output files end", Fidelity::kExact,
       "db/compaction/compaction_outputs.cc, RocksDB 7.8.3"},
      {"files marked because of many deletes (CompactOnDeletionCollector)", Fidelity::kSimplified,
       kPicker, "the first one of the list; RocksDB first tries one at random"},
      {"marked files come first in the order of min-overlapping-ratio (from 8.11)",
       Fidelity::kExact, "db/version_set.cc, RocksDB 8.11.3"},
      {"ttl and periodic compaction", Fidelity::kSimplified, kPicker,
       "ages count operations, not seconds"},
      {"one compaction until the store is behind, slowed and stopped writers", Fidelity::kExact,
       "db/db_impl/db_impl_compaction_flush.cc, db/column_family.cc, RocksDB 7.8.3"},
      {"several compactions by the ratio of pending bytes to bottommost bytes (from 8.11)",
       Fidelity::kSimplified, "db/column_family.cc, RocksDB 8.11.3 and 9.8.4",
       "bottommost are the files of the deepest level; RocksDB also counts files above that "
       "overlap "
       "nothing below. 8.10 multiplied where 8.11 divides, and from 9.0 on two marked files call "
       "for several compactions: not modelled"},
      rocksdb_flush_fidelity(),
      rocksdb_arena_fidelity(),
      rocksdb_subcompactions_fidelity(),
      {"manual compaction of the whole store (CompactRange)", Fidelity::kExact,
       "db/db_impl/db_impl_compaction_flush.cc, RocksDB 7.8.3"},
      {"range deletes, ingested files, blob files, manual compaction of a range or of files",
       Fidelity::kNotModelled, kPicker, "no workload has them"},
      {"rules of other versions", Fidelity::kSimplified, "RocksDB 5.0 to 11.8",
       "those that the option version names. Not modelled: before 5.18 targets do not follow level "
       "0, "
       "which 6.12 has them do; from 7.5 to 7.7 max_compaction_bytes limits how inputs grow, and "
       "files are cut by their size; 8.2 and 8.3 count as 7.8, without their drained levels; "
       "merges after "
       "many reads (11.8)"},
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
  family.settle_store = settle_rocksdb_arena;
  family.cost_model = delete_aware_leveled_model;
  family.foreign = ForeignCompaction::kRocksdbLeveled;
  family.fidelity = rocksdb_leveled_fidelity();
  return family;
}

}  // namespace lsmlab

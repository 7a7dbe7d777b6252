#include "models/policies/cassandra/ucs_fidelity.h"

#include "models/policies/droppable_tombstones.h"

namespace lsmlab {
namespace {

const char* const kStrategy = "UnifiedCompactionStrategy.java, Cassandra 5.0";
const char* const kController = "unified/Controller.java, Cassandra 5.0";
const char* const kAdaptive =
    "unified/AdaptiveController.java, CostsCalculator.java, DataStax's fork, c22918137d";

}  // namespace

std::vector<RuleFidelity> ucs_fidelity() {
  return {
      {"levels by density, from scaling parameters by level", Fidelity::kExact, kController},
      {"the level of the highest overlap is merged, if it reaches its threshold", Fidelity::kExact,
       kStrategy},
      {"buckets of overlapping SSTables, by overlap_inclusion_method", Fidelity::kExact,
       "utils/Overlaps.java, Cassandra 5.0"},
      {"of several buckets with that overlap, one at random", Fidelity::kSimplified, kStrategy,
       "drawn by a hash of the flush count"},
      {"how many SSTables a late merge takes", Fidelity::kExact, kStrategy},
      {"number of shards, by density", Fidelity::kExact, kController},
      {"shards split the token ranges that a node owns", Fidelity::kSimplified,
       "ShardManagerNoDisks.java, Cassandra 5.0", "the node owns all 2^64 keys"},
      {"the size of a flush on disk is measured", Fidelity::kSimplified, kController,
       "the buffer times the share that compression leaves of it, or flush_size_override; "
       "Cassandra takes a moving mean of its flushes, which is less where many writes of a "
       "memtable "
       "have the same key"},
      {"flush_size_override and target_sstable_size are at least 1 MiB", Fidelity::kNotModelled,
       kController, "smaller ones count as they are, so that a run can be scaled down"},
      {"the density of an SSTable is that of its data file", Fidelity::kSimplified,
       "ShardManager.java, Cassandra 5.0", "its index and filter count too"},
      purge_fidelity("CompactionController.getPurgeEvaluator, Cassandra 5.0.4"),
      {"a merge keeps tombstones for gc_grace_seconds", Fidelity::kSimplified,
       "CompactionController.java, Cassandra 5.0",
       "gc_grace counts writes, and is 0 by default; the tree's newest write is the present"},
      {"flushes are cut into shards", Fidelity::kSimplified, kStrategy,
       "by the size of this flush, where Cassandra takes the mean of those before"},
      {"SSTables of few partitions count as wider", Fidelity::kSimplified,
       "ShardManager.java, a later 5.0.x (5.0.1 does not have it)",
       "a partition counts 2^-16 of token space, as in a table that was empty when it was opened"},
      {"wholly expired SSTables are dropped", Fidelity::kSimplified, kStrategy,
       "with ttl, by a plan of their own, whenever a plan is asked for; every write lives for the "
       "ttl and gc_grace, deletes too; every live SSTable counts, as if all overlapped"},
      {"read and write amplification that scaling parameters promise", Fidelity::kExact, kAdaptive},
      {"adaptive: which level's scaling parameter changes, and to what", Fidelity::kExact,
       kAdaptive},
      {"adaptive: what lookups, flushes and merges cost", Fidelity::kSimplified, kAdaptive,
       "a lookup costs a block of each SSTable, and so does a block that is written, times the "
       "multipliers; the fork measures their times"},
      {"adaptive: when costs are compared", Fidelity::kSimplified, kAdaptive,
       "after adapt_flushes flushes, by the operations since the last time; the fork compares "
       "them every 300 seconds, by moving averages"},
      {"adaptive: the size that the data will have", Fidelity::kSimplified, kAdaptive,
       "dataset_size, or what is there; the fork takes the size of the disk"},
      {"adaptive: no change where costs are below adaptive_min_cost", Fidelity::kNotModelled,
       kAdaptive, "costs are no times here"},
      {"adaptive: at most max_adaptive_compactions merges because of a change",
       Fidelity::kNotModelled, kAdaptive, "--merge-threads limits merges"},
      {"writers wait when the memory for memtables is used", Fidelity::kSimplified,
       "config/DatabaseDescriptor.java, Cassandra 5.0",
       "as three memtables of equal size, of which two wait to be written"},
      {"compaction_throughput, concurrent_compactors", Fidelity::kNotModelled,
       "config/Config.java, Cassandra 5.0",
       "--merge-threads and the device limit merges; the throughput limit of 64 MiB/s does not "
       "exist here"},
      {"incremental repair, bootstrap", Fidelity::kNotModelled, kStrategy,
       "a store is one table of one node, with one set of SSTables"},
      {"several data directories", Fidelity::kNotModelled,
       "ShardManagerDiskAware.java, Cassandra 5.0", "a store has one directory"},
  };
}

}  // namespace lsmlab

// Cassandra 5.0.4's SizeTieredCompactionStrategy, its default. The first of these that applies
// makes a plan:
//
//  1. A pending memtable is flushed.
//  2. Of the SSTables that no running merge takes, one tier of similar sizes merges
//     (models/policies/cassandra/size_tiers.h).
//  3. With tombstone_threshold, an SSTable with many tombstones merges by itself
//     (models/policies/droppable_tombstones.h). In Cassandra this is on, for SSTables older than a
//     day. Here it is off by default, because the age counts operations and the rule needs keys.
//
// Inputs need not be adjacent in age. Merges run concurrently.
#include "models/policies/cassandra/size_tiers.h"
#include "models/policies/cassandra/stalls.h"
#include "models/policies/droppable_tombstones.h"
#include "models/policies/policy.h"

namespace lsmlab {
namespace {

struct CassandraStcsOptions : SizeTierOptions {
  DroppableTombstones droppable;

  void declare(OptionTable& table) {
    SizeTierOptions::declare(table);
    droppable.declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults = SizeTierOptions::validate();
    for (std::string& fault : droppable.validate()) faults.push_back(std::move(fault));
    return faults;
  }
};

class CassandraStcs final : public Policy {
 public:
  explicit CassandraStcs(const CassandraStcsOptions& options) : options_(options) {}

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    const std::vector<Sstable> tier =
        cassandra_tier_to_merge(tree, idle(sstables_of(tree)), options_);
    if (!tier.empty()) return Plan{PlanReason::kSortedRunCount, merge_of(tier), {}};
    return options_.droppable.threshold ? options_.droppable.pick(tree) : std::nullopt;
  }
  [[nodiscard]] bool keeps_age_order() const override { return false; }
  [[nodiscard]] PolicyNeeds needs() const override {
    return options_that_need_keys().empty() ? PolicyNeeds::kSizes : PolicyNeeds::kKeys;
  }
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const override {
    return options_.droppable.options_that_need_keys();
  }
  [[nodiscard]] std::uint64_t gc_grace() const override { return options_.droppable.grace.writes; }

 private:
  CassandraStcsOptions options_;
};

}  // namespace

PolicyFamily cassandra_stcs_family() {
  PolicyFamily family = make_family<CassandraStcsOptions, CassandraStcs>(
      "cassandra-stcs",
      "Cassandra's SizeTieredCompactionStrategy: SSTables of similar sizes merge, wherever they "
      "stand in age",
      "Cassandra 5.0.4, db/compaction/SizeTieredCompactionStrategy.java");
  family.stalls = stalls_by_memory(2);
  const std::string source = "Cassandra 5.0.4, db/compaction/SizeTieredCompactionStrategy.java";
  family.pre_remove = PreRemove::kFilters;
  family.fidelity = {
      {"tiers of similar size by a running average", Fidelity::kExact, source},
      {"min_threshold, max_threshold, min_sstable_size", Fidelity::kExact, source},
      {"SSTables of running merges are left out", Fidelity::kExact, source},
      {"the hottest tier is merged, and a tier is cut to its hottest SSTables",
       Fidelity::kSimplified, source,
       "every key is read alike: with lookups the tier of most SSTables, without the tier of the "
       "largest; a tier is cut to its smallest"},
      {"an SSTable's size is that of its data file", Fidelity::kSimplified, source,
       "its index and filter count too"},
      {"an SSTable with many droppable tombstones is merged by itself", Fidelity::kSimplified,
       "Cassandra 5.0.4, db/compaction/AbstractCompactionStrategy.java",
       "off unless tombstone_threshold is given; ages count operations, gc_grace "
       "writes"},
      purge_fidelity("CompactionController.getPurgeEvaluator, Cassandra 5.0.4"),
      {"a merge keeps tombstones for gc_grace_seconds", Fidelity::kSimplified,
       "Cassandra 5.0.4, db/compaction/CompactionController.java",
       "gc_grace counts writes, and is 0 by default; the tree's newest write is the present"},
      {"writers wait when the memory for memtables is used", Fidelity::kSimplified,
       "Cassandra 5.0.4, config/DatabaseDescriptor.java",
       "as three memtables of equal size, of which two wait to be written"},
      {"compaction_throughput, concurrent_compactors", Fidelity::kNotModelled,
       "Cassandra 5.0.4, config/Config.java",
       "--merge-threads and the device limit merges; the throughput limit of 64 MiB/s does not "
       "exist here"},
      {"incremental repair, bootstrap, several data directories", Fidelity::kNotModelled,
       "Cassandra 5.0.4, db/compaction/CompactionStrategyManager.java",
       "a store is one table of one node, with one set of SSTables"},
  };
  return family;
}

}  // namespace lsmlab

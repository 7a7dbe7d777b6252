// ScyllaDB's SizeTieredCompactionStrategy as of 2026.4.0-dev (f4a4091ca2). The first of these that
// applies makes a plan:
//
//  1. A pending memtable is flushed.
//  2. Of the SSTables that no running merge takes, the tier of most SSTables merges
//     (models/policies/cassandra/size_tiers.h), if one has min_threshold.
//  3. Unless enforce_min_threshold, a tier of two or more merges in the same way. So a store
//     without other work merges pairs.
//  4. With tombstone_threshold: of the SSTables with many tombstones, from the tier of the largest
//     on, the one with the oldest write merges by itself (models/policies/cassandra/
//     scylla_tombstones.h).
//
// SSTables below min_sstable_size are of one tier only while none of them was written within
// min_sstable_age. In ScyllaDB that is an hour. Here it is for ever by default: under a steady load
// a small SSTable is always young.
//
// Of running merges (compaction_manager::can_register_compaction): no second one has the same
// weight, which is the logarithm to base 4 of its bytes; and none begins with fewer SSTables than
// the largest of them has, up to 32. A plan that is refused waits, and so do all others. The
// running merges are told apart by their tiers.
#include <algorithm>

#include "models/policies/cassandra/scylla_memtable.h"
#include "models/policies/cassandra/scylla_sizes.h"
#include "models/policies/cassandra/scylla_tombstones.h"
#include "models/policies/cassandra/size_tiers.h"
#include "models/policies/cassandra/stalls.h"
#include "models/policies/policy.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kFanInMax = 32;
constexpr std::uint64_t kWeightTaxBytes = 1 << 20;

struct ScyllaStcsOptions : SizeTierOptions {
  std::optional<std::uint64_t> min_sstable_age;  // operations
  bool enforce_min_threshold = false;
  DroppableTombstones droppable;
  ScyllaSizes sizes;

  void declare(OptionTable& table) {
    SizeTierOptions::declare(table);
    table.optional_count(
        "min_sstable_age", min_sstable_age, {0, std::uint64_t{1} << 62}, "operations",
        "min_sstable_size has no effect while a smaller SSTable was written within this time; "
        "ScyllaDB's default is an hour; 0: it always has an effect; default: it never has, "
        "because under a steady load there is always a young SSTable");
    table.flag("enforce_min_threshold", enforce_min_threshold,
               "true: no tier of fewer than min_threshold SSTables is merged; false, as in "
               "ScyllaDB: when no tier has min_threshold, two SSTables suffice; fewer SSTables for "
               "a read to visit, for more rewrites");
    droppable.declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults = SizeTierOptions::validate();
    for (std::string& fault : droppable.validate()) faults.push_back(std::move(fault));
    return faults;
  }
  void resolve(const StoreOptions& store) { sizes = ScyllaSizes(store); }
};

// calculate_weight()
std::uint64_t weight_of(const SizeTier& tier) {
  Uint128 bytes = kWeightTaxBytes;
  for (const SizedSstable& one : tier) bytes += one.bytes;
  std::uint64_t weight = 0;
  for (; bytes >= 4; bytes /= 4) ++weight;
  return weight;
}

class ScyllaStcs final : public Policy {
 public:
  explicit ScyllaStcs(const ScyllaStcsOptions& options) : options_(options) {}

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    const std::vector<Sstable> all = sstables_of(tree);
    const std::vector<Sstable> free = idle(all);
    const std::vector<SizeTier> tiers =
        scylla_tiers(options_.sizes.of(free), options_, groups_small_ones(tree, free));
    PlanReason reason = PlanReason::kSortedRunCount;
    SizeTier chosen = scylla_choice(tiers, options_, options_.min_threshold);
    if (chosen.empty() && !options_.enforce_min_threshold) {
      chosen = scylla_choice(tiers, options_, 2);
    }
    if (chosen.empty()) {
      chosen = droppable_one(tree, free, tiers);
      reason = PlanReason::kTombstoneDensity;
    }
    if (chosen.empty() || (free.size() < all.size() && is_refused(all, chosen))) {
      return std::nullopt;
    }
    return Plan{reason, merge_of(members_of(chosen, free)), {}};
  }
  [[nodiscard]] bool keeps_age_order() const override { return false; }
  [[nodiscard]] PolicyNeeds needs() const override {
    return options_that_need_keys().empty() ? PolicyNeeds::kSizes : PolicyNeeds::kKeys;
  }
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const override {
    std::vector<std::string> options = options_.droppable.options_that_need_keys();
    if (options_.min_sstable_age.value_or(0) > 0) options.emplace_back("min_sstable_age");
    return options;
  }
  [[nodiscard]] std::uint64_t gc_grace() const override { return options_.droppable.grace.writes; }

 private:
  // tiny_sstables_written_recently()
  [[nodiscard]] bool groups_small_ones(const TreeView& tree,
                                       const std::vector<Sstable>& sstables) const {
    if (!options_.min_sstable_age) return false;
    return std::none_of(sstables.begin(), sstables.end(), [&](const Sstable& one) {
      return options_.sizes.of(*one.run) < options_.min_sstable_size.value() &&
             Uint128{created(one)} + *options_.min_sstable_age > tree.now().value();
    });
  }

  // The files of an SSTable are written together.
  [[nodiscard]] static std::uint64_t created(const Sstable& one) {
    return one.run->files.front().created.value();
  }

  [[nodiscard]] SizeTier droppable_one(const TreeView& tree, const std::vector<Sstable>& sstables,
                                       const std::vector<SizeTier>& tiers) const {
    if (!options_.droppable.threshold) return {};
    for (auto tier = tiers.rbegin(); tier != tiers.rend(); ++tier) {
      const SizedSstable* oldest = nullptr;
      const auto first_write = [&](const SizedSstable& one) {
        return sstables[one.position].run->files.front().sequences.first;
      };
      for (const SizedSstable& one : *tier) {
        const Sstable& sstable = sstables[one.position];
        if (!has_scyllas_age(options_.droppable, tree.now(), Instant(created(sstable))) ||
            !has_scyllas_ratio(options_.droppable, sstable.run->files.sums().entries,
                               options_.droppable.grace.ripe(tree, *sstable.run))) {
          continue;
        }
        if (oldest == nullptr || first_write(one) < first_write(*oldest)) oldest = &one;
      }
      if (oldest != nullptr) return {*oldest};
    }
    return {};
  }

  [[nodiscard]] bool is_refused(const std::vector<Sstable>& all, const SizeTier& chosen) const {
    std::vector<Sstable> busy;
    for (const Sstable& one : all) {
      if (one.run->busy()) busy.push_back(one);
    }
    const std::uint64_t weight = weight_of(chosen);
    const std::vector<SizeTier> running = scylla_tiers(options_.sizes.of(busy), options_, true);
    return std::any_of(running.begin(), running.end(), [&](const SizeTier& one) {
      return weight_of(one) == weight ||
             chosen.size() < std::min<std::uint64_t>(one.size(), kFanInMax);
    });
  }

  ScyllaStcsOptions options_;
};

}  // namespace

PolicyFamily scylla_stcs_family() {
  PolicyFamily family = make_family<ScyllaStcsOptions, ScyllaStcs>(
      "scylla-stcs",
      "ScyllaDB's SizeTieredCompactionStrategy: the most SSTables of similar sizes merge; pairs do "
      "when there is nothing better",
      "ScyllaDB 2026.4.0-dev, compaction/size_tiered_compaction_strategy.cc");
  family.stalls = stalls_by_memory(1);
  const std::string source = "ScyllaDB 2026.4.0-dev, compaction/size_tiered_compaction_strategy.cc";
  const std::string manager = "ScyllaDB 2026.4.0-dev, compaction/compaction_manager.cc";
  family.pre_remove = PreRemove::kFilters;
  family.memtable = MemtableKind::kInPlace;
  family.fidelity = {
      {"tiers of similar size by a running average", Fidelity::kExact, source},
      {"the tier of most SSTables is merged", Fidelity::kExact, source},
      {"pairs are merged if no tier has min_threshold", Fidelity::kExact, source},
      {"min_sstable_size counts only without young small SSTables", Fidelity::kSimplified,
       "ScyllaDB 2026.4.0-dev, compaction/incremental_compaction_strategy.hh",
       "ages count operations; unless min_sstable_age is given, every SSTable is young"},
      {"an SSTable's size is that of its data before compression", Fidelity::kSimplified,
       "ScyllaDB 2026.4.0-dev, sstables/sstables.cc",
       "its index and filter count too; in a store that compresses, all its entries count as "
       "alike"},
      {"running merges differ in weight, and a merge has as many SSTables as they",
       Fidelity::kSimplified, manager,
       "the SSTables of running merges are sorted into tiers, one a merge; other tables do not "
       "count"},
      {"an SSTable with many droppable tombstones is merged by itself", Fidelity::kSimplified,
       "ScyllaDB 2026.4.0-dev, compaction/compaction_strategy.cc",
       "off unless tombstone_threshold is given; ages count operations, gc_grace "
       "writes"},
      scylla_replacement_fidelity(),
      purge_fidelity("compaction/compaction.cc, get_max_purgeable_timestamp"),
      {"a merge keeps tombstones for gc_grace_seconds", Fidelity::kSimplified,
       "ScyllaDB 2026.4.0-dev, compaction/compaction.cc",
       "gc_grace counts writes, and is 0 by default; the tree's newest write is the present"},
      {"writers wait when the memory for memtables is used", Fidelity::kSimplified,
       "ScyllaDB 2026.4.0-dev, replica/dirty_memory_manager.hh",
       "as two memtables of equal size, of which one waits to be written"},
      {"shares of CPU and disk by the compaction backlog", Fidelity::kNotModelled,
       "ScyllaDB 2026.4.0-dev, compaction/compaction_backlog_manager.hh",
       "merges and clients share the device alike"},
      {"reshaping, off-strategy compaction, repair, other shards", Fidelity::kNotModelled, manager,
       "a store is one table of one shard, with one set of SSTables"},
  };
  return family;
}

}  // namespace lsmlab

// Cassandra 5.0.4's TimeWindowCompactionStrategy, for data that comes in the order of time and
// lives for a fixed time. An SSTable belongs to the window of its newest write. The first of these
// that applies makes a plan:
//
//  1. A pending memtable is flushed.
//  2. With ttl: the SSTables whose every write is older than that and gc_grace go with all their
//     data, unless an SSTable that stays holds an older write.
//  3. From the newest window on: the newest window of all merges a tier of similar sizes, as
//     cassandra-stcs does, if it has min_threshold SSTables; an older window that has two or more
//     merges them, the smallest max_threshold of them if there are more.
//  4. With tombstone_threshold: the smallest SSTable with many tombstones merges by itself
//     (models/policies/droppable_tombstones.h). Cassandra does so, too, if only
//     tombstone_compaction_interval or unchecked_tombstone_compaction=true is given, with 0.2 and a
//     day for what is not. Here the day is a number of operations that must be given.
//
// Time counts writes: puts and deletes. Timestamps of Cassandra are those of writes, and a File
// knows the first and the last of its writes. The newest write of the tree is the present. So the
// windows are the same in stepped and timed runs, and time stands still while nothing is written.
#include <algorithm>
#include <limits>
#include <map>

#include "models/policies/cassandra/expired.h"
#include "models/policies/cassandra/size_tiers.h"
#include "models/policies/cassandra/stalls.h"
#include "models/policies/droppable_tombstones.h"
#include "models/policies/policy.h"

namespace lsmlab {
namespace {

struct CassandraTwcsOptions : SizeTierOptions {
  std::uint64_t compaction_window_size = 86'400'000;  // a day at 1,000 writes a second
  std::optional<std::uint64_t> ttl;                   // writes
  DroppableTombstones droppable;

  void declare(OptionTable& table) {
    table.count("compaction_window_size", compaction_window_size, {1, std::uint64_t{1} << 62},
                "writes",
                "writes of a time window, each of which ends as one SSTable; Cassandra's default "
                "is a day, which is this default at 1,000 writes a second; more: fewer SSTables, "
                "but each lives longer and is rewritten more often");
    table.optional_count("ttl", ttl, {1, std::uint64_t{1} << 62}, "writes",
                         "Cassandra's default_time_to_live: an SSTable is dropped when this many "
                         "writes came after its newest one; lower: data lives less long; default: "
                         "none");
    SizeTierOptions::declare(table);
    droppable.declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults = SizeTierOptions::validate();
    for (std::string& fault : droppable.validate()) faults.push_back(std::move(fault));
    return faults;
  }
};

SequenceSpan writes_of(const Sstable& sstable) {
  SequenceSpan span{std::numeric_limits<std::uint64_t>::max(), 0};
  for (const File& file : sstable.run->files) {
    span.first = std::min(span.first, file.sequences.first);
    span.last = std::max(span.last, file.sequences.last);
  }
  return span;
}

class CassandraTwcs final : public Policy {
 public:
  explicit CassandraTwcs(const CassandraTwcsOptions& options) : options_(options) {}

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    const std::vector<Sstable> all = sstables_of(tree);
    std::uint64_t now = 0;
    for (const Sstable& one : all) now = std::max(now, writes_of(one).last);
    if (const std::vector<Sstable> expired = expired_of(all); !expired.empty()) {
      return Plan{PlanReason::kTimeToLive, DropPlan{inputs_of(expired)}, {}};
    }
    const std::vector<Sstable> free = idle(all);
    if (const std::vector<Sstable> merged = window_to_merge(tree, free, now); !merged.empty()) {
      return Plan{PlanReason::kSortedRunCount, merge_of(merged), {}};
    }
    return options_.droppable.threshold ? merge_droppable(tree, free) : std::nullopt;
  }
  [[nodiscard]] bool keeps_age_order() const override { return false; }
  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] std::uint64_t gc_grace() const override { return options_.droppable.grace.writes; }

 private:
  [[nodiscard]] std::vector<Sstable> expired_of(const std::vector<Sstable>& all) const {
    std::vector<Sstable> expired;
    if (!options_.ttl) return expired;
    std::vector<ExpiringSstable> ages;
    for (const Sstable& one : all) ages.push_back({writes_of(one), one.run->busy()});
    for (const std::size_t index : fully_expired(ages, *options_.ttl + gc_grace())) {
      expired.push_back(all[index]);
    }
    return expired;
  }

  [[nodiscard]] std::uint64_t window_of(std::uint64_t write) const {
    return (write - std::min<std::uint64_t>(write, 1)) / options_.compaction_window_size;
  }

  // newestBucket()
  [[nodiscard]] std::vector<Sstable> window_to_merge(const TreeView& tree,
                                                     const std::vector<Sstable>& sstables,
                                                     std::uint64_t now) const {
    std::map<std::uint64_t, std::vector<Sstable>> windows;
    for (const Sstable& one : sstables) windows[window_of(writes_of(one).last)].push_back(one);
    for (auto window = windows.rbegin(); window != windows.rend(); ++window) {
      const std::vector<Sstable>& members = window->second;
      if (window->first >= window_of(now)) {
        if (members.size() < options_.min_threshold) continue;
        std::vector<Sstable> tier = cassandra_tier_to_merge(tree, members, options_);
        if (!tier.empty()) return tier;
      } else if (members.size() >= 2) {
        return smallest_of(members);
      }
    }
    return {};
  }

  [[nodiscard]] std::vector<Sstable> smallest_of(const std::vector<Sstable>& sstables) const {
    SizeTier sizes = sized(sstables);
    std::stable_sort(sizes.begin(), sizes.end(), [](const SizedSstable& a, const SizedSstable& b) {
      return a.bytes < b.bytes;
    });
    if (sizes.size() > options_.max_threshold) sizes.resize(options_.max_threshold);
    return members_of(sizes, sstables);
  }

  [[nodiscard]] std::optional<Plan> merge_droppable(const TreeView& tree,
                                                    const std::vector<Sstable>& sstables) const {
    const Sstable* smallest = nullptr;  // the oldest of equals
    for (const Sstable& one : sstables) {
      if (smallest != nullptr && one.run->bytes() >= smallest->run->bytes()) continue;
      if (options_.droppable.is_worth_merging(tree, *one.run)) smallest = &one;
    }
    if (smallest == nullptr) return std::nullopt;
    return Plan{PlanReason::kTombstoneDensity, merge_of({*smallest}), {}};
  }

  CassandraTwcsOptions options_;
};

}  // namespace

PolicyFamily cassandra_twcs_family() {
  PolicyFamily family = make_family<CassandraTwcsOptions, CassandraTwcs>(
      "cassandra-twcs",
      "Cassandra's TimeWindowCompactionStrategy: the writes of each time window end as one "
      "SSTable, "
      "which is dropped when it is too old",
      "Cassandra 5.0.4, db/compaction/TimeWindowCompactionStrategy.java");
  family.stalls = stalls_by_memory(2);
  const std::string source = "Cassandra 5.0.4, db/compaction/TimeWindowCompactionStrategy.java";
  const std::string controller = "Cassandra 5.0.4, db/compaction/CompactionController.java";
  family.pre_remove = PreRemove::kFilters;
  family.fidelity = {
      {"windows by the newest write of an SSTable", Fidelity::kSimplified, source,
       "time counts writes; the newest window is that of the tree's newest write, where Cassandra "
       "remembers the newest it saw"},
      {"tiers of similar size in the newest window", Fidelity::kExact, source},
      {"of the newest window the hottest tier is merged, cut to its hottest SSTables",
       Fidelity::kSimplified, "Cassandra 5.0.4, db/compaction/SizeTieredCompactionStrategy.java",
       "every key is read alike: with lookups the tier of most SSTables, without the tier of the "
       "largest; a tier is cut to its smallest"},
      {"an SSTable's size is that of its data file", Fidelity::kSimplified,
       "Cassandra 5.0.4, db/compaction/SizeTieredCompactionStrategy.java",
       "its index and filter count too"},
      {"older windows merge from two SSTables on, the smallest first", Fidelity::kExact, source},
      {"an SSTable with nothing but expired data is dropped", Fidelity::kSimplified, controller,
       "every write lives for the ttl and gc_grace, deletes too; SSTables with deletes only do not "
       "go earlier"},
      {"it stays while a live SSTable or memtable has an older write", Fidelity::kSimplified,
       controller, "every live SSTable counts, as if all overlapped"},
      {"expired_sstable_check_frequency_seconds", Fidelity::kSimplified, source,
       "they are looked for whenever a plan is asked for, and dropped by a plan of their own"},
      {"unsafe_aggressive_sstable_expiration", Fidelity::kNotModelled, source,
       "it loses data, and needs a flag of the JVM"},
      {"a merge drops expired data", Fidelity::kNotModelled, source,
       "entries have no times to live of their own"},
      {"an SSTable with many droppable tombstones is merged by itself", Fidelity::kSimplified,
       "Cassandra 5.0.4, db/compaction/AbstractCompactionStrategy.java",
       "ages count operations, gc_grace writes"},
      purge_fidelity("CompactionController.getPurgeEvaluator, Cassandra 5.0.4"),
      {"a merge keeps tombstones for gc_grace_seconds", Fidelity::kSimplified,
       "Cassandra 5.0.4, db/compaction/CompactionController.java",
       "gc_grace counts writes, and is 0 by default; the tree's newest write is the present"},
      {"writers wait when the memory for memtables is used", Fidelity::kSimplified,
       "Cassandra 5.0.4, config/DatabaseDescriptor.java",
       "as three memtables of equal size, of which two wait to be written"},
  };
  return family;
}

}  // namespace lsmlab

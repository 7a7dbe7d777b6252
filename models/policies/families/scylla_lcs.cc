// ScyllaDB's LeveledCompactionStrategy as of 2026.4.0-dev (leveled_manifest.hh). One merge at a
// time, beside which flushes go on. The first of these that applies makes a plan:
//
//  1. A pending memtable is flushed to level 0.
//  2. From the deepest level up: if level i holds more than 1.001 times its capacity, its next
//     SSTable by key merges with those of level i + 1 that it overlaps. The last level grows
//     without limit. But if level 0 has more than 32 SSTables, and a tier of similar sizes there
//     merges by scylla-stcs's rule, that merge goes first.
//  3. If level 0 holds sstable_size, its 32 oldest SSTables merge with level 1; if not, a tier of
//     similar sizes merges within level 0.
//  4. From the deepest level up: where level i holds less than 10 times the bytes of level i - 1,
//     the next SSTable of level i - 1 merges into it, however little that level holds.
//  5. With tombstone_threshold, from the deepest level up: the SSTable with the largest share of
//     tombstones merges by itself (models/policies/cassandra/scylla_tombstones.h).
//
// Starved levels: for every level, merges since the last one into it are counted. After more than
// 25, rules 2 and 4 also take an SSTable of the deepest such level that lies within the keys of the
// merge.
#include <algorithm>

#include "models/policies/cassandra/leveled.h"
#include "models/policies/cassandra/scylla_memtable.h"
#include "models/policies/cassandra/scylla_sizes.h"
#include "models/policies/cassandra/scylla_tombstones.h"
#include "models/policies/cassandra/stalls.h"
#include "models/policies/droppable_tombstones.h"
#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct ScyllaLcsOptions : LcsOptions {
  ScyllaSizes sizes;

  void resolve(const StoreOptions& store) { sizes = ScyllaSizes(store); }
};

class ScyllaLcs final : public Policy {
 public:
  explicit ScyllaLcs(const ScyllaLcsOptions& options) : options_(options) {}

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    if (is_any_busy(tree)) return std::nullopt;
    const auto levels = std::min<std::uint32_t>(LcsOptions::kLevels,
                                                static_cast<std::uint32_t>(tree.levels().size()));
    for (std::uint32_t level = levels; level-- > 1;) {
      if (level + 1 == LcsOptions::kLevels) continue;
      if (!has_high_score(level_bytes(tree, level).value(), options_.capacity(level))) continue;
      const std::vector<Sstable> level0 = sstables_of(tree, 0);
      if (level0.size() > LcsOptions::kLevel0Max) {
        if (std::optional<Plan> plan = merge_tier(tree, level0)) return plan;
      }
      return push_down(tree, level, PlanReason::kLevelSaturated);
    }
    if (std::optional<Plan> plan = merge_level0(tree)) return plan;
    for (std::uint32_t level = levels; level-- > 2;) {
      if (newest_run(tree, level) == nullptr || newest_run(tree, level - 1) == nullptr) continue;
      const Uint128 above = level_bytes(tree, level - 1).value();
      if (level_bytes(tree, level).value() >= above * options_.fanout_size) continue;
      return push_down(tree, level - 1, PlanReason::kSizeRatio);
    }
    return merge_droppable(tree);
  }
  [[nodiscard]] std::vector<FileOrdering> orderings() const override {
    return tombstone_ordering(options_.droppable, has_scyllas_ratio);
  }
  [[nodiscard]] std::vector<LevelCapacity> level_capacities(const TreeView& tree) const override {
    std::vector<LevelCapacity> capacities{{options_.sstable_size.value(), LcsOptions::kLevel0Max}};
    for (std::uint32_t level = 1; level < tree.levels().size(); ++level) {
      capacities.push_back({options_.capacity(level), 1});
    }
    return capacities;
  }
  [[nodiscard]] bool keeps_age_order() const override { return false; }
  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] std::uint64_t gc_grace() const override { return options_.droppable.grace.writes; }

 private:
  [[nodiscard]] static bool is_any_busy(const TreeView& tree) {
    return std::any_of(tree.levels().begin(), tree.levels().end(), [](const Level& level) {
      return std::any_of(level.runs.begin(), level.runs.end(),
                         [](const SortedRun& run) { return run.busy(); });
    });
  }

  [[nodiscard]] static LevelRounds rounds_after(const TreeView& tree, std::uint32_t target) {
    LevelRounds rounds(tree);
    rounds.count(target);
    return rounds;
  }

  [[nodiscard]] std::optional<Plan> merge_tier(const TreeView& tree,
                                               const std::vector<Sstable>& level0) const {
    const SizeTier tier = scylla_choice(scylla_tiers(options_.sizes.of(level0), options_, true),
                                        options_, options_.min_threshold);
    if (tier.empty()) return std::nullopt;
    return Plan{PlanReason::kSortedRunCount,
                merge_of(members_of(tier, level0)),
                {rounds_after(tree, 0).update()}};
  }

  // get_descriptor_for_level(), candidates_for_higher_levels_compaction()
  [[nodiscard]] std::optional<Plan> push_down(const TreeView& tree, std::uint32_t level,
                                              PlanReason reason) const {
    const File& file = newest_run(tree, level)->files[next_by_last_key(tree, level)];
    LcsMerge merge = merge_down(tree, level, file);
    const LevelRounds before(tree);
    for (std::uint32_t deep = LcsOptions::kLevels; --deep > merge.target;) {
      if (newest_run(tree, deep) == nullptr || !before.is_starved(deep)) continue;
      add_starved(tree, deep, merge);
      break;
    }
    const LevelRounds rounds = rounds_after(tree, merge.target);
    return plan_of(tree, options_, reason, std::move(merge), level, rounds);
  }

  // candidates_for_level_0_compaction()
  [[nodiscard]] std::optional<Plan> merge_level0(const TreeView& tree) const {
    std::vector<Sstable> level0 = sstables_of(tree, 0);
    std::uint64_t bytes = 0;
    for (const Sstable& one : level0) bytes += one.run->bytes().value();
    if (bytes < options_.sstable_size.value()) return merge_tier(tree, level0);
    if (level0.size() > LcsOptions::kLevel0Max) level0.resize(LcsOptions::kLevel0Max);
    if (!close_in_age(tree, level0)) return std::nullopt;
    LcsMerge merge = merge_into_level1(tree, level0);
    return plan_of(tree, options_, PlanReason::kTotalSize, std::move(merge), 0,
                   rounds_after(tree, 1));
  }

  [[nodiscard]] std::optional<Plan> merge_droppable(const TreeView& tree) const {
    if (!options_.droppable.threshold) return std::nullopt;
    for (auto level = static_cast<std::uint32_t>(tree.levels().size()); level-- > 0;) {
      if (tree.levels()[level].runs.empty()) continue;
      for (const FileLocation& at :
           droppable_files(tree, level, options_.droppable, has_scyllas_ratio)) {
        if (!has_scyllas_age(options_.droppable, tree.now(), tree.file_at(at).created)) continue;
        Plan plan = plan_of(tree, options_, PlanReason::kTombstoneDensity, merge_alone(tree, at),
                            level, rounds_after(tree, level));
        std::get<MergePlan>(plan.action).target = {level, tree.levels()[level].runs[at.run].id};
        return plan;
      }
    }
    return std::nullopt;
  }

  ScyllaLcsOptions options_;
};

}  // namespace

PolicyFamily scylla_lcs_family() {
  PolicyFamily family = make_family<ScyllaLcsOptions, ScyllaLcs>(
      "scylla-lcs",
      "ScyllaDB's LeveledCompactionStrategy: leveling with "
      "fan-out 10, which also fills deep levels "
      "when there is nothing else to do",
      "ScyllaDB 2026.4.0-dev, compaction/leveled_manifest.hh");
  family.stalls = stalls_by_memory(1);
  const std::string source = "ScyllaDB 2026.4.0-dev, compaction/leveled_manifest.hh";
  const std::string strategy = "ScyllaDB 2026.4.0-dev, compaction/leveled_compaction_strategy.cc";
  family.pre_remove = PreRemove::kFilters;
  family.memtable = MemtableKind::kInPlace;
  family.fidelity = {
      {"a level's target, its score, the deepest level first", Fidelity::kExact, source},
      {"a level's next SSTable begins above the last key of its last merge", Fidelity::kSimplified,
       strategy,
       "the last key of the merge's inputs, even if it was a tombstone and went; after a restart "
       "as before it"},
      {"level 0: the 32 oldest merge with level 1 from sstable_size on", Fidelity::kSimplified,
       source,
       "a merge into level 1 also takes the SSTables that overlap it and hold older data; that "
       "matters only where SSTables of level 0 overlap in age"},
      {"tiers of level 0 merge if it holds less, or more than 32 SSTables", Fidelity::kSimplified,
       source, "SSTables below min_sstable_size are of one tier whenever they were written"},
      {"levels are filled to 10 times the level above when nothing else is to be done",
       Fidelity::kExact, source},
      {"a starved level's SSTable is taken along", Fidelity::kSimplified, source,
       "only if no level between holds its keys"},
      {"an SSTable with many droppable tombstones is merged by itself", Fidelity::kSimplified,
       strategy,
       "off unless tombstone_threshold is given; ages count operations, gc_grace writes; at "
       "most 64 SSTables of a level are looked at"},
      {"one merge at a time", Fidelity::kExact, strategy},
      {"the size of levels, and of level 0 beside sstable_size, is that of data files",
       Fidelity::kSimplified, source, "index and filter count too"},
      {"in a tier, an SSTable's size is that of its data before compression", Fidelity::kSimplified,
       "ScyllaDB 2026.4.0-dev, sstables/sstables.cc",
       "its index and filter count too; in a store that compresses, all its entries count as "
       "alike"},
      scylla_replacement_fidelity(),
      purge_fidelity("compaction/compaction.cc, get_max_purgeable_timestamp"),
      {"a merge keeps tombstones for gc_grace_seconds", Fidelity::kSimplified,
       "ScyllaDB 2026.4.0-dev, compaction/compaction.cc",
       "gc_grace counts writes, and is 0 by default; the tree's newest write is the present"},
      {"writers wait when the memory for memtables is used", Fidelity::kSimplified,
       "ScyllaDB 2026.4.0-dev, replica/dirty_memory_manager.hh",
       "as two memtables of equal size, of which one waits to be written"},
      {"SSTables of one level that overlap, reshaping, repair, other shards",
       Fidelity::kNotModelled, strategy,
       "a store is one table of one shard; SSTables of a level do not overlap"},
  };
  return family;
}

}  // namespace lsmlab

// Cassandra 5.0.4's LeveledCompactionStrategy (LeveledManifest.getCompactionCandidates). The first
// of these that applies makes a plan:
//
//  1. A pending memtable is flushed to level 0.
//  2. From the deepest level up: if the idle SSTables of level i hold more than 1.001 times its
//     capacity, its next SSTable by key merges with those of level i + 1 that it overlaps. The last
//     level grows without limit. But if level 0 has more than 32 SSTables, and a tier of similar
//     sizes there merges by cassandra-stcs's rule, that merge goes first.
//  3. Level 0: its SSTables from the oldest on, each with those that it overlaps, up to
//     max_threshold of them. If together they hold sstable_size, they merge with level 1, else
//     among themselves. Two are needed.
//  4. If that is impossible beside running merges, the tier of level 0 that rule 2 would merge.
//  5. With tombstone_threshold, from the deepest level up: the SSTable with the largest share of
//     tombstones that may go merges by itself (models/policies/droppable_tombstones.h).
//
// Starved levels: rule 2 counts for every level how many of its merges went elsewhere. After more
// than 25, it also takes an SSTable of the deepest level that lies within the keys of the merge.
#include <algorithm>

#include "models/policies/cassandra/leveled.h"
#include "models/policies/cassandra/stalls.h"
#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct CassandraLcsOptions : LcsOptions {
  bool single_sstable_uplevel = false;

  void declare(OptionTable& table) {
    table.count("fanout_size", fanout_size, {2, 1024}, "levels",
                "a level may hold this many times what the level above it may; more: fewer levels, "
                "but each merge of an SSTable rewrites more of the next level");
    LcsOptions::declare(table);
    table.flag("single_sstable_uplevel", single_sstable_uplevel,
               "true: an SSTable that overlaps nothing in the next level moves there without being "
               "written again");
  }
};

bool exceeds_threshold(const DroppableTombstones& rule, std::uint64_t entries,
                       std::uint64_t tombstones) {
  return !rule.threshold->times_is_at_least(entries, tombstones);
}

KeyRange keys_of(const Sstable& sstable) { return range_of(FileSpan(sstable.run->files)); }

class CassandraLcs final : public Policy {
 public:
  explicit CassandraLcs(const CassandraLcsOptions& options) : options_(options) {}

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    const auto levels = std::min<std::uint32_t>(LcsOptions::kLevels,
                                                static_cast<std::uint32_t>(tree.levels().size()));
    for (std::uint32_t level = levels; level-- > 1;) {
      const SortedRun* run = newest_run(tree, level);
      if (run == nullptr || level + 1 == LcsOptions::kLevels) continue;
      const RunSums& sums = run->files.sums();
      if (!has_high_score(sums.bytes - sums.busy_bytes, options_.capacity(level))) continue;
      if (std::optional<Plan> plan = merge_tier_of_level0(tree)) return plan;
      if (std::optional<Plan> plan = push_down(tree, level, *run)) return plan;
    }
    if (levels == 0 || tree.levels()[0].runs.empty()) return merge_droppable(tree);
    if (std::optional<Plan> plan = merge_level0(tree)) return plan;
    if (std::optional<Plan> plan = merge_tier_of_level0(tree)) return plan;
    return merge_droppable(tree);
  }
  [[nodiscard]] std::vector<FileOrdering> orderings() const override {
    return tombstone_ordering(options_.droppable, exceeds_threshold);
  }
  [[nodiscard]] std::vector<LevelCapacity> level_capacities(const TreeView& tree) const override {
    std::vector<LevelCapacity> capacities{
        {4 * options_.sstable_size.value(), LcsOptions::kLevel0Max}};
    for (std::uint32_t level = 1; level < tree.levels().size(); ++level) {
      capacities.push_back({options_.capacity(level), 1});
    }
    return capacities;
  }
  [[nodiscard]] bool keeps_age_order() const override { return false; }
  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] std::uint64_t gc_grace() const override { return options_.droppable.grace.writes; }

 private:
  // getSTCSInL0CompactionCandidate()
  [[nodiscard]] std::optional<Plan> merge_tier_of_level0(const TreeView& tree) const {
    const std::vector<Sstable> all = sstables_of(tree, 0);
    if (all.size() <= LcsOptions::kLevel0Max) return std::nullopt;
    const std::vector<Sstable> tier = cassandra_tier_to_merge(tree, idle(all), options_);
    if (tier.empty()) return std::nullopt;
    return Plan{PlanReason::kSortedRunCount, merge_of(tier), {}};
  }

  // getCandidatesFor(level), getOverlappingStarvedSSTables()
  [[nodiscard]] std::optional<Plan> push_down(const TreeView& tree, std::uint32_t level,
                                              const SortedRun& run) const {
    const std::size_t first = next_by_last_key(tree, level);
    const SortedRun* below = newest_run(tree, level + 1);
    for (std::size_t i = 0; i < run.files.size(); ++i) {
      const File& file = run.files[(first + i) % run.files.size()];
      if (file.busy) continue;
      if (below != nullptr && any_busy(overlapping_files(*below, file.keys))) continue;
      LcsMerge merge = merge_down(tree, level, file);
      LevelRounds rounds(tree);
      rounds.count(merge.target);
      add_starved_of_deepest(tree, rounds, merge);
      if (merge.files == 1 && options_.single_sstable_uplevel) {
        return Plan{PlanReason::kLevelSaturated,
                    MovePlan{std::move(merge.inputs), leveled_target(tree, merge.target)},
                    {{level, file.keys.largest}, rounds.update()}};
      }
      return plan_of(tree, options_, PlanReason::kLevelSaturated, std::move(merge), level, rounds);
    }
    return std::nullopt;
  }

  static void add_starved_of_deepest(const TreeView& tree, const LevelRounds& rounds,
                                     LcsMerge& merge) {
    const std::uint32_t deepest = *deepest_level(tree);
    if (deepest <= merge.target || deepest >= LcsOptions::kLevels) return;
    if (merge.keys.smallest < merge.keys.largest && rounds.is_starved(deepest)) {
      add_starved(tree, deepest, merge);
    }
  }

  // getCandidatesFor(0)
  [[nodiscard]] std::optional<Plan> merge_level0(const TreeView& tree) const {
    const std::vector<Sstable> all = sstables_of(tree, 0);
    const std::optional<KeyRange> compacting = range_of_busy(all);
    std::vector<Sstable> candidates = level0_candidates(all, compacting);
    std::uint64_t bytes = 0;
    for (const Sstable& one : candidates) bytes += one.run->bytes().value();
    if (candidates.empty()) return std::nullopt;
    if (bytes < options_.sstable_size.value()) {
      if (candidates.size() < 2) return std::nullopt;
      return Plan{PlanReason::kLevel0Only, merge_of(candidates), {}};
    }
    if (!close_in_age(tree, candidates)) return std::nullopt;
    const KeyRange keys = range_of_all(candidates);
    const bool meets_running = std::any_of(all.begin(), all.end(), [&](const Sstable& one) {
      return one.run->busy() && keys_of(one).overlaps(keys);
    });
    const SortedRun* below = newest_run(tree, 1);
    if (below != nullptr && any_busy(overlapping_files(*below, keys))) return std::nullopt;
    LcsMerge merge = merge_into_level1(tree, candidates);
    if (merge.files < 2 || meets_running) return std::nullopt;
    return plan_of(tree, options_, PlanReason::kTotalSize, std::move(merge), 0, std::nullopt);
  }

  // REQUIRES: not empty.
  [[nodiscard]] static KeyRange range_of_all(const std::vector<Sstable>& sstables) {
    KeyRange range = keys_of(sstables.front());
    for (const Sstable& one : sstables) range = hull_of(range, keys_of(one));
    return range;
  }
  [[nodiscard]] static std::optional<KeyRange> range_of_busy(const std::vector<Sstable>& all) {
    std::vector<Sstable> busy;
    for (const Sstable& one : all) {
      if (one.run->busy()) busy.push_back(one);
    }
    return busy.empty() ? std::nullopt : std::optional(range_of_all(busy));
  }

  // Oldest first. An SSTable is left out with all that overlap it if one of these is busy.
  [[nodiscard]] std::vector<Sstable> level0_candidates(
      const std::vector<Sstable>& all, const std::optional<KeyRange>& compacting) const {
    enum class State { kLeft, kCandidate, kLeftOut };
    std::vector<State> states(all.size(), State::kLeft);
    std::size_t count = 0;
    for (std::size_t i = 0; i < all.size() && count <= options_.max_threshold; ++i) {
      if (states[i] == State::kCandidate) continue;
      std::vector<std::size_t> group;
      bool is_free = true;
      for (std::size_t j = 0; j < all.size() && is_free; ++j) {
        if (j != i && (states[j] != State::kLeft || !keys_of(all[j]).overlaps(keys_of(all[i])))) {
          continue;
        }
        is_free = !all[j].run->busy();
        group.push_back(j);
      }
      if (!is_free) continue;
      for (const std::size_t j : group) {
        const bool meets_running = compacting && compacting->overlaps(keys_of(all[j]));
        states[j] = meets_running ? State::kLeftOut : State::kCandidate;
        count += meets_running ? 0 : 1;
      }
    }
    std::vector<Sstable> candidates;
    for (std::size_t i = 0; i < all.size() && candidates.size() < options_.max_threshold; ++i) {
      if (states[i] == State::kCandidate) candidates.push_back(all[i]);
    }
    return candidates;
  }

  // LeveledCompactionStrategy.findDroppableSSTable()
  [[nodiscard]] std::optional<Plan> merge_droppable(const TreeView& tree) const {
    if (!options_.droppable.threshold) return std::nullopt;
    for (auto level = static_cast<std::uint32_t>(tree.levels().size()); level-- > 0;) {
      if (tree.levels()[level].runs.empty()) continue;
      for (const FileLocation& at :
           droppable_files(tree, level, options_.droppable, exceeds_threshold)) {
        const SortedRun& run = tree.levels()[level].runs[at.run];
        const File& file = run.files[at.file];
        if (file.busy || !options_.droppable.is_worth_merging(tree, run, file)) continue;
        Plan plan = plan_of(tree, options_, PlanReason::kTombstoneDensity, merge_alone(tree, at),
                            level, std::nullopt);
        std::get<MergePlan>(plan.action).target = {level, run.id};
        return plan;
      }
    }
    return std::nullopt;
  }

  CassandraLcsOptions options_;
};

}  // namespace

PolicyFamily cassandra_lcs_family() {
  PolicyFamily family = make_family<CassandraLcsOptions, CassandraLcs>(
      "cassandra-lcs",
      "Cassandra's LeveledCompactionStrategy: leveling by SSTables of one size, in turn by key; "
      "level 0 merges by size when it is behind",
      "Cassandra 5.0.4, db/compaction/LeveledManifest.java");
  family.stalls = stalls_by_memory(2);
  const std::string source = "Cassandra 5.0.4, db/compaction/LeveledManifest.java";
  const std::string strategy = "Cassandra 5.0.4, db/compaction/LeveledCompactionStrategy.java";
  family.pre_remove = PreRemove::kFilters;
  family.fidelity = {
      {"a level's target, its score, the deepest level first", Fidelity::kExact, source},
      {"a level's next SSTable begins above the last key of its last merge", Fidelity::kSimplified,
       source,
       "the last key of the merge's inputs, even if it was a tombstone and went; after a restart "
       "as before it"},
      {"level 0: the oldest, with all that overlap them, up to max_threshold",
       Fidelity::kSimplified, source,
       "a merge into level 1 also takes the SSTables that overlap it and hold older data; that "
       "matters only where SSTables of level 0 overlap in age, or merge meanwhile"},
      {"level 0 merges with level 1 from sstable_size on", Fidelity::kSimplified, source,
       "also where it holds exactly sstable_size"},
      {"tiers of level 0 merge if it has more than 32 SSTables", Fidelity::kExact, source},
      {"of level 0 the hottest tier is merged, and a tier is cut to its hottest SSTables",
       Fidelity::kSimplified, "Cassandra 5.0.4, db/compaction/SizeTieredCompactionStrategy.java",
       "every key is read alike: with lookups the tier of most SSTables, without the tier of the "
       "largest; a tier is cut to its smallest"},
      {"a starved level's SSTable is taken along", Fidelity::kSimplified, source,
       "only if no level between holds its keys"},
      {"an SSTable with many droppable tombstones is merged by itself", Fidelity::kSimplified,
       strategy,
       "off unless tombstone_threshold is given; ages count operations, gc_grace writes; at "
       "most 64 SSTables of a level are looked at"},
      {"single_sstable_uplevel", Fidelity::kExact, strategy},
      {"an SSTable's size is that of its data file", Fidelity::kSimplified, source,
       "its index and filter count too"},
      purge_fidelity("CompactionController.getPurgeEvaluator, Cassandra 5.0.4"),
      {"a merge keeps tombstones for gc_grace_seconds", Fidelity::kSimplified,
       "Cassandra 5.0.4, db/compaction/CompactionController.java",
       "gc_grace counts writes, and is 0 by default; the tree's newest write is the present"},
      {"writers wait when the memory for memtables is used", Fidelity::kSimplified,
       "Cassandra 5.0.4, config/DatabaseDescriptor.java",
       "as three memtables of equal size, of which two wait to be written"},
      {"bootstrap, incremental repair, several data directories", Fidelity::kNotModelled, source,
       "a store is one table of one node, with one set of SSTables"},
  };
  return family;
}

}  // namespace lsmlab

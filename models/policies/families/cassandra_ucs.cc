// Cassandra's UnifiedCompactionStrategy as of 5.0 (db/compaction/UnifiedCompactionStrategy.java,
// unified/Controller.java, ShardManagerNoDisks.java, utils/Overlaps.java).
//
// The density of an SSTable is its bytes divided by the share of token space from its first key to
// its last. A scaling parameter w gives a level the fanout f and the threshold t: w < 0 (L2, L3,
// ...): f = 2 - w, t = 2; w = 0 (N): f = t = 2; w > 0 (T3, T4, ...): f = t = 2 + w. Level 0 holds
// densities below flush_size * (1 - 0.9 / f_0) * f_0, rounded down; every next level those below f
// times that of the one before.
//
// Of the levels, the one is taken with the highest overlap: the largest number of its SSTables that
// meet at a key; among equals, the lower. If its overlap is below its threshold, nothing is merged,
// even if another level has reached its own. Else the level's SSTables fall into buckets
// (models/policies/overlap_sections.h), of which one with that overlap is merged: as a whole up to
// an overlap of f; up to f times the next level's fanout, at most max_sstables_to_compact; beyond
// that, so many of the oldest by newest write that they reach a further level (w < 0: a multiple of
// that). A bucket is drawn by a hash of the flush count, where Cassandra draws at random.
//
// With adapt_flushes, scaling parameters follow the workload, as in DataStax's fork
// (models/policies/cassandra/ucs_adaptation.h). With ttl, SSTables of nothing but old writes are
// dropped first (models/policies/cassandra/expired.h).
//
// Flushes and merges are cut at the boundaries of S shards of equal share of token space, where S
// depends on the density d of a flush, or the combined density of a merge's inputs: with m =
// min_sstable_size, b = base_shard_count and t = target_sstable_size, d < m*b: the largest power of
// two that is at most d/m and divides b; else b
// * 2^k, where k >= 0 is (1 - sstable_growth) * log2(d / (t*b)), rounded.
//
// An SSTable of fewer than 100 partitions counts as at least 2^-16 of token space wide for each of
// them: the share of a partition of the 65,536 that an empty table is estimated to have. (Later
// versions of 5.0 than 5.0.1.)
//
// Keys count as tokens: token space is all 2^64 keys, so that a workload should spread its keys as
// Cassandra's hash does (insert_distribution=uniform). Levels of density are not in order of age,
// so that all SSTables are in the tree's level 0. There an output joins a run that has nothing else
// at its keys, so that sorted runs say how many SSTables a lookup may visit.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "models/base/portable_math.h"
#include "models/base/random.h"
#include "models/policies/cassandra/expired.h"
#include "models/policies/cassandra/stalls.h"
#include "models/policies/cassandra/ucs_adaptation.h"
#include "models/policies/cassandra/ucs_fidelity.h"
#include "models/policies/cassandra/ucs_scaling.h"
#include "models/policies/droppable_tombstones.h"
#include "models/policies/files_of_runs.h"
#include "models/policies/overlap_sections.h"
#include "models/policies/policy.h"
#include "models/policies/run_room.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// ShardManager.PER_PARTITION_SPAN_THRESHOLD, MINIMUM_TOKEN_COVERAGE (2^-48 of token space), and the
// width of a partition.
constexpr std::uint64_t kFewPartitions = 100;
constexpr Uint128 kSpanLeast = Uint128{1} << 16;
constexpr Uint128 kPartitionSpan = Uint128{1} << 48;
constexpr Uint128 kTokenSpace = Uint128{1} << 64;

struct UcsOptions {
  std::string scaling_parameters;
  Bytes target_sstable_size{std::uint64_t{1} << 30};
  Bytes min_sstable_size{std::uint64_t{100} << 20};
  std::uint64_t base_shard_count = 4;
  Decimal sstable_growth{333, 1000};
  std::optional<Bytes> flush_size;
  std::optional<std::uint64_t> max_sstables_to_compact;
  OverlapInclusion inclusion = OverlapInclusion::kTransitive;
  TombstoneGrace grace;
  std::optional<std::uint64_t> ttl;
  UcsAdaptationOptions adaptation;
  StoreOptions store;

  void declare(OptionTable& table) {
    table.text("scaling_parameters", scaling_parameters,
               "by level, joined by colons, the last one for all further levels: T4 merges 4 "
               "SSTables of a level (tiered), L10 keeps one run until it is 10 times larger "
               "(leveled), N both; or w, a number: L10 is -8, T4 is 2; default: T4, and N with "
               "adapt_flushes, which then changes it");
    table.bytes("target_sstable_size", target_sstable_size, {1, std::uint64_t{1} << 50},
                "size near which shards are cut; smaller: more SSTables, and merges that take "
                "smaller parts of a level");
    table.bytes("min_sstable_size", min_sstable_size, {0, std::uint64_t{1} << 50},
                "below this size, fewer shards than base_shard_count; 0: never fewer");
    table.count("base_shard_count", base_shard_count, {1, 65'536}, "shards",
                "least number of shards, as long as each then holds min_sstable_size");
    table.decimal("sstable_growth", sstable_growth, "0", "1",
                  "share of a level's growth that makes its SSTables larger; 0: all have "
                  "target_sstable_size, 1: there are never more than base_shard_count shards");
    table.optional_bytes("flush_size_override", flush_size, {1, std::uint64_t{1} << 50},
                         "size of a flush on disk, on which levels build; default: the buffer, as "
                         "far as compression leaves it, rounded up to a whole MiB");
    table.optional_count("max_sstables_to_compact", max_sstables_to_compact, {0, 1 << 20},
                         "SSTables",
                         "most SSTables in a merge that meet at a key; at least the fanout "
                         "counts; default, and 0: no limit");
    table.choice<OverlapInclusion>(
        "overlap_inclusion_method", inclusion,
        {{"transitive", OverlapInclusion::kTransitive},
         {"single", OverlapInclusion::kSingle},
         {"none", OverlapInclusion::kNone}},
        "which SSTables a merge takes along with those that reach the threshold: transitive: all "
        "that overlap, and what overlaps those; single: all that overlap; none: no others");
    grace.declare(table);
    table.optional_count("ttl", ttl, {1, std::uint64_t{1} << 62}, "writes",
                         "Cassandra's default_time_to_live: an SSTable is dropped when this many "
                         "writes came after its newest one; lower: data lives less long; default: "
                         "none");
    adaptation.declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults = adaptation.validate();
    if (!scaling_parameters.empty() && !parse_ucs_scalings(scaling_parameters)) {
      faults.push_back(fmt::format(
          "scaling_parameters: '{}' is no list of T2 to T{}, L2 to L{}, N, or numbers, joined by "
          "colons",
          scaling_parameters, kUcsFanoutMax, kUcsFanoutMax));
    }
    if (Uint128{min_sstable_size.value()} * min_sstable_size.value() * 2 >=
        Uint128{target_sstable_size.value()} * target_sstable_size.value()) {
      faults.push_back(
          fmt::format("min_sstable_size={} is not below sqrt(1/2) times target_sstable_size={}",
                      min_sstable_size.value(), target_sstable_size.value()));
    }
    return faults;
  }
  void resolve(const StoreOptions& of_store) {
    store = of_store;
    if (max_sstables_to_compact == 0U) max_sstables_to_compact.reset();
    if (scaling_parameters.empty()) scaling_parameters = adaptation.adapt_flushes > 0 ? "N" : "T4";
    constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
    const std::uint64_t flushed = store.compression.of_flush().stored_bytes(store.buffer.value());
    if (!flush_size) flush_size = Bytes((flushed + kMib - 1) / kMib * kMib);
  }
};

// The levels of density that some scaling parameters make.
class DensityLevels {
 public:
  DensityLevels(std::vector<std::int64_t> by_level, std::uint64_t flush_bytes)
      : by_level_(std::move(by_level)) {
    by_level_.resize(kUcsLevelsMax, by_level_.back());
    // flush * (1 - 0.9 / f) * f, rounded down
    Uint128 limit = Uint128{flush_bytes} * (10 * scaling(0).fanout - 9) / 10;
    for (std::uint32_t level = 0; level < kUcsLevelsMax; ++level) {
      limits_.push_back(limit);
      limit = std::min(limit * scaling(level + 1).fanout, Uint128{1} << 116);
    }
  }

  /// The scaling parameters, one for each level.
  [[nodiscard]] const std::vector<std::int64_t>& by_level() const { return by_level_; }
  [[nodiscard]] UcsScaling scaling(std::uint32_t level) const {
    return ucs_scaling(by_level_[std::min<std::size_t>(level, by_level_.size() - 1)]);
  }
  [[nodiscard]] std::uint32_t level_of(Uint128 density) const {
    const auto at = std::upper_bound(limits_.begin(), limits_.end() - 1, density);
    return static_cast<std::uint32_t>(at - limits_.begin());
  }

 private:
  std::vector<std::int64_t> by_level_;
  std::vector<Uint128> limits_;  // by level; the last one has none
};

class CassandraUcs final : public Policy {
 public:
  explicit CassandraUcs(const UcsOptions& options)
      : options_(options),
        levels_(parse_ucs_scalings(options.scaling_parameters).value(),
                options.flush_size->value()) {}

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] std::uint64_t gc_grace() const override { return options_.grace.writes; }
  [[nodiscard]] bool keeps_age_order() const override { return false; }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    const std::optional<DensityLevels> tuned = tuned_levels(tree);
    const DensityLevels& levels = tuned ? *tuned : levels_;
    if (tree.pending_flush()) return flush_of(tree, levels);
    if (std::optional<Plan> drop = drop_expired(tree)) return drop;
    std::optional<Choice> best;
    for (DensityLevel& level : files_by_level(tree, levels)) {
      Choice choice = choose(tree, levels, level);
      if (!best || choice.overlap > best->overlap) best = std::move(choice);
    }
    if (!best || best->sstables.empty()) return std::nullopt;
    return merge_of(tree, std::move(best->sstables));
  }

 private:
  struct DensityLevel {
    std::uint32_t index = 0;
    std::vector<FileOfRun> sstables;
  };
  struct Choice {
    std::size_t overlap = 0;
    std::vector<FileOfRun> sstables;  // empty: the level's threshold is not reached
  };

  // Where parameters were set at run time. A text that is none comes from another program.
  [[nodiscard]] std::optional<DensityLevels> tuned_levels(const TreeView& tree) const {
    if (!tree.tuning() || tree.tuning()->scaling_parameters.empty()) return std::nullopt;
    auto by_level = parse_ucs_scalings(tree.tuning()->scaling_parameters);
    if (!by_level) return std::nullopt;
    return DensityLevels(std::move(*by_level), options_.flush_size->value());
  }

  // UnifiedCompactionStrategy.createSSTableMultiWriter.
  [[nodiscard]] Plan flush_of(const TreeView& tree, const DensityLevels& levels) const {
    const PendingFlush& memtable = *tree.pending_flush();
    FlushPlan flush{{0, std::nullopt}};
    std::vector<std::uint64_t> begins = boundaries(shards(memtable.bytes.value()), memtable.keys);
    if (!begins.empty()) flush.cut.file_begins = std::move(begins);
    Plan plan{PlanReason::kMemtableFull, std::move(flush), {}};
    if (options_.adaptation.adapt_flushes > 0) {
      plan.adaptation = ucs_adaptation(tree, options_.adaptation, levels.by_level(), options_.store,
                                       *options_.flush_size);
    }
    return plan;
  }

  [[nodiscard]] std::optional<Plan> drop_expired(const TreeView& tree) const {
    if (!options_.ttl) return std::nullopt;
    std::vector<FileOfRun> sstables;
    std::vector<ExpiringSstable> ages;
    for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) {
        for (const File& file : run.files) {
          sstables.push_back({level, &run, &file});
          ages.push_back({file.sequences, file.busy});
        }
      }
    }
    std::vector<FileOfRun> expired;
    for (const std::size_t index : fully_expired(ages, *options_.ttl + gc_grace())) {
      expired.push_back(sstables[index]);
    }
    if (expired.empty()) return std::nullopt;
    sort_as_inputs(expired);
    return Plan{PlanReason::kTimeToLive, DropPlan{inputs_of(expired)}, {}};
  }

  [[nodiscard]] static Uint128 span_of(const KeyRange& keys) {
    return Uint128{keys.largest} - keys.smallest + 1;
  }
  // ShardManager.density: bytes for all of token space, rounded down.
  [[nodiscard]] static Uint128 density_of(const File& file) {
    Uint128 span = span_of(file.keys);
    const std::uint64_t partitions = file.entries.value();
    if (partitions < kFewPartitions || span < kSpanLeast) {
      span = std::max(span, std::min(kPartitionSpan * partitions, kTokenSpace));
    }
    return (Uint128{file.bytes.value()} << 64) / span;
  }
  // ShardManager.calculateCombinedDensity.
  [[nodiscard]] static Uint128 combined_density(std::uint64_t bytes, const KeyRange& keys) {
    const Uint128 span = span_of(keys);
    return span < kSpanLeast ? Uint128{bytes} : (Uint128{bytes} << 64) / span;
  }

  // The idle SSTables, by level of density. O(SSTables): there are few by the rule itself, because
  // their size grows with the store (sstable_growth) from target_sstable_size on.
  [[nodiscard]] static std::vector<DensityLevel> files_by_level(const TreeView& tree,
                                                                const DensityLevels& densities) {
    std::vector<DensityLevel> levels;
    for (std::uint32_t index = 0; index < kUcsLevelsMax; ++index) levels.push_back({index, {}});
    for (std::size_t level = 0; level < tree.levels().size(); ++level) {
      const std::vector<SortedRun>& runs = tree.levels()[level].runs;
      for (const SortedRun& run : runs) {
        for (const File& file : run.files) {
          if (file.busy) continue;
          const std::uint32_t index = densities.level_of(density_of(file));
          levels[index].sstables.push_back({static_cast<std::uint32_t>(level), &run, &file});
        }
      }
    }
    return levels;
  }

  // UnifiedCompactionStrategy.Level.getCompactionPick.
  [[nodiscard]] Choice choose(const TreeView& tree, const DensityLevels& densities,
                              const DensityLevel& level) const {
    if (level.sstables.empty()) return {};
    std::vector<KeyRange> ranges;
    for (const FileOfRun& sstable : level.sstables) ranges.push_back(sstable.file->keys);
    const std::vector<OverlapSection> sections = overlap_sections(ranges);
    Choice choice;
    for (const OverlapSection& section : sections) {
      choice.overlap = std::max(choice.overlap, section.size());
    }
    const std::uint64_t threshold = densities.scaling(level.index).threshold;
    if (choice.overlap < threshold) return choice;
    std::optional<OverlapBucket> drawn;
    std::uint64_t least = 0;
    for (const OverlapBucket& bucket : overlap_buckets(sections, threshold, options_.inclusion)) {
      if (overlap_of(sections, bucket) != choice.overlap) continue;
      const FileId first = level.sstables[sections[bucket.first].front()].file->id;
      const std::uint64_t hash = derive_seed(tree.flush_count(), first.value());
      if (drawn && hash >= least) continue;
      drawn = bucket;
      least = hash;
    }
    choice.sstables = taken(densities, level, sections, *drawn, choice.overlap);
    return choice;
  }
  [[nodiscard]] static std::size_t overlap_of(const std::vector<OverlapSection>& sections,
                                              const OverlapBucket& bucket) {
    std::size_t overlap = 0;
    for (std::size_t i = bucket.first; i < bucket.last; ++i) {
      overlap = std::max(overlap, sections[i].size());
    }
    return overlap;
  }

  // Bucket.constructPick: how many SSTables that meet at a key a merge may take.
  [[nodiscard]] std::size_t overlap_taken(const DensityLevels& densities, std::uint32_t level,
                                          std::size_t overlap) const {
    const auto scaling = [&](std::uint32_t of) { return densities.scaling(of); };
    const std::uint64_t fanout = scaling(level).fanout;
    const std::uint64_t most = std::max(fanout, options_.max_sstables_to_compact.value_or(overlap));
    if (overlap <= fanout) return overlap;
    if (overlap <= fanout * scaling(level + 1).fanout || most == fanout) {
      return std::min(overlap, most);
    }
    const std::uint64_t limit = std::min<std::uint64_t>(most, overlap);
    std::uint64_t size = fanout;
    for (std::uint32_t next = level + 1; size * scaling(next).fanout <= limit; ++next) {
      size *= scaling(next).fanout;
    }
    return scaling(level).is_leveled ? limit / size * size : size;
  }

  // The bucket's SSTables, or the oldest of them by newest write, so that no section gives more
  // than a merge may take.
  [[nodiscard]] std::vector<FileOfRun> taken(const DensityLevels& densities,
                                             const DensityLevel& level,
                                             const std::vector<OverlapSection>& sections,
                                             const OverlapBucket& bucket,
                                             std::size_t overlap) const {
    std::set<std::size_t> members;
    for (std::size_t i = bucket.first; i < bucket.last; ++i) {
      members.insert(sections[i].begin(), sections[i].end());
    }
    const std::size_t limit = overlap_taken(densities, level.index, overlap);
    std::vector<std::size_t> oldest(members.begin(), members.end());
    if (limit < overlap) {
      std::sort(oldest.begin(), oldest.end(), [&](std::size_t a, std::size_t b) {
        const File& first = *level.sstables[a].file;
        const File& second = *level.sstables[b].file;
        return std::pair{first.sequences.last, first.id} <
               std::pair{second.sequences.last, second.id};
      });
      oldest.resize(count_within(oldest, sections, bucket, limit));
    }
    std::vector<FileOfRun> sstables;
    for (const std::size_t index : oldest) sstables.push_back(level.sstables[index]);
    return sstables;
  }
  // Overlaps.pullLastWithOverlapLimit.
  [[nodiscard]] static std::size_t count_within(const std::vector<std::size_t>& oldest,
                                                const std::vector<OverlapSection>& sections,
                                                const OverlapBucket& bucket, std::size_t limit) {
    std::vector<std::size_t> counts(bucket.last - bucket.first);
    for (std::size_t taken = 0; taken < oldest.size(); ++taken) {
      for (std::size_t i = bucket.first; i < bucket.last; ++i) {
        const OverlapSection& section = sections[i];
        if (!std::binary_search(section.begin(), section.end(), oldest[taken])) continue;
        if (++counts[i - bucket.first] > limit) return taken;
      }
    }
    return oldest.size();
  }

  // Controller.getNumShards.
  [[nodiscard]] std::uint64_t shards(Uint128 density) const {
    const std::uint64_t base = options_.base_shard_count;
    const std::uint64_t least = options_.min_sstable_size.value();
    if (least > 0 && density < Uint128{least} * base) {
      const auto count = static_cast<std::uint64_t>(density / least);
      std::uint64_t power = 1;
      while (power * 2 <= count && base % (power * 2) == 0) power *= 2;
      return power;
    }
    constexpr std::uint64_t kDoublingsMax = 20;
    const double count =
        static_cast<double>(density) /
        (static_cast<double>(options_.target_sstable_size.value()) * static_cast<double>(base));
    if (count <= 0) return base;
    constexpr double kLog2 = 0.693147180559945309417;
    const double doublings =
        portable_log(count) / kLog2 * (1 - options_.sstable_growth.as_double()) + 0.5;
    if (doublings < 1) return base;
    return base << std::min(static_cast<std::uint64_t>(std::min(doublings, 64.0)), kDoublingsMax);
  }

  [[nodiscard]] Plan merge_of(const TreeView& tree, std::vector<FileOfRun> sstables) const {
    sort_as_inputs(sstables);
    KeyRange hull = sstables.front().file->keys;
    std::uint64_t bytes = 0;
    for (const FileOfRun& sstable : sstables) {
      hull = hull_of(hull, sstable.file->keys);
      bytes += sstable.file->bytes.value();
    }
    MergePlan merge;
    merge.inputs = inputs_of(sstables);
    const Uint128 combined = combined_density(bytes, hull);
    std::vector<FileId> leaving;
    for (const FileOfRun& sstable : sstables) leaving.push_back(sstable.file->id);
    merge.target = {0, run_with_room(tree, 0, {hull}, leaving)};
    merge.cut.file_begins = boundaries(shards(combined), hull);
    return Plan{PlanReason::kSortedRunCount, std::move(merge), {}};
  }
  // Where shards begin within `keys`, behind its first key.
  [[nodiscard]] static std::vector<std::uint64_t> boundaries(std::uint64_t shards,
                                                             const KeyRange& keys) {
    const auto begin = [shards](std::uint64_t shard) {
      return static_cast<std::uint64_t>((Uint128{shard} << 64) / shards);
    };
    std::vector<std::uint64_t> begins;
    auto shard = static_cast<std::uint64_t>((Uint128{keys.smallest} * shards) >> 64) + 1;
    for (; shard < shards && begin(shard) <= keys.largest; ++shard) begins.push_back(begin(shard));
    return begins;
  }

  UcsOptions options_;
  DensityLevels levels_;  // of the options
};

}  // namespace

PolicyFamily cassandra_ucs_family() {
  PolicyFamily family = make_family<UcsOptions, CassandraUcs>(
      "cassandra-ucs",
      "Cassandra's UnifiedCompactionStrategy: tiered, leveled and all between, by density, in "
      "shards",
      "Cassandra 5.0, db/compaction/UnifiedCompactionStrategy.java");
  family.stalls = stalls_by_memory(2);
  family.pre_remove = PreRemove::kFilters;
  family.fidelity = ucs_fidelity();
  return family;
}

}  // namespace lsmlab

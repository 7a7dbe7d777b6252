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
// Outputs are cut at the boundaries of S shards of equal share of token space, where S depends on
// the combined density d of the inputs: with m = min_sstable_size, b = base_shard_count and t =
// target_sstable_size, d < m*b: the largest power of two that is at most d/m and divides b; else b
// * 2^k, where k >= 0 is (1 - sstable_growth) * log2(d / (t*b)), rounded.
//
// Keys count as tokens: token space is all 2^64 keys, so that a workload should spread its keys as
// Cassandra's hash does (insert_distribution=uniform). Levels of density are not in order of age,
// so that all SSTables are in the tree's level 0. There an output joins a run that has nothing else
// at its keys, so that sorted runs say how many SSTables a lookup may visit.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <optional>
#include <set>

#include "models/base/portable_math.h"
#include "models/base/quantity_text.h"
#include "models/base/random.h"
#include "models/policies/cassandra/stalls.h"
#include "models/policies/droppable_tombstones.h"
#include "models/policies/files_of_runs.h"
#include "models/policies/overlap_sections.h"
#include "models/policies/policy.h"
#include "models/policies/run_room.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint32_t kLevelsMax = 32;
constexpr std::uint64_t kFanoutMax = 1024;

// What a scaling parameter makes of a level.
struct Scaling {
  std::uint64_t fanout = 4;
  std::uint64_t threshold = 4;
  bool is_leveled = false;  // w < 0
};

// "T4", "L10", "N" or w as a number. Nothing if the text is none of them.
std::optional<Scaling> parse_scaling(std::string_view text) {
  if (text == "N" || text == "0") return Scaling{2, 2, false};
  if (text.empty()) return std::nullopt;
  const bool is_named = text.front() == 'T' || text.front() == 'L';
  const bool is_leveled = text.front() == 'L' || text.front() == '-';
  if (is_named || text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  const auto number = parse_count(text);
  if (!number || number.value() > kFanoutMax) return std::nullopt;
  const std::uint64_t fanout = is_named ? number.value() : number.value() + 2;
  if (fanout < 2) return std::nullopt;
  // L2 and T2 are N.
  return Scaling{fanout, is_leveled ? 2 : fanout, is_leveled && fanout > 2};
}

std::vector<std::string> split_scalings(const std::string& text) {
  std::vector<std::string> parts;
  boost::split(parts, text, [](char c) { return c == ':'; });
  return parts;
}

struct UcsOptions {
  std::string scaling_parameters = "T4";
  Bytes target_sstable_size{std::uint64_t{1} << 30};
  Bytes min_sstable_size{std::uint64_t{100} << 20};
  std::uint64_t base_shard_count = 4;
  Decimal sstable_growth{333, 1000};
  std::optional<Bytes> flush_size;
  std::optional<std::uint64_t> max_sstables_to_compact;
  OverlapInclusion inclusion = OverlapInclusion::kTransitive;
  TombstoneGrace grace;

  void declare(OptionTable& table) {
    table.text("scaling_parameters", scaling_parameters,
               "by level, joined by colons, the last one for all further levels: T4 merges 4 "
               "SSTables of a level (tiered), L10 keeps one run until it is 10 times larger "
               "(leveled), N both; or w, a number: L10 is -8, T4 is 2");
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
                         "size of a flush, on which levels build; default: the buffer, rounded up "
                         "to a whole MiB");
    table.optional_count("max_sstables_to_compact", max_sstables_to_compact, {1, 1 << 20},
                         "SSTables",
                         "most SSTables in a merge that meet at a key; at least the fanout "
                         "counts; default: no limit");
    table.choice<OverlapInclusion>(
        "overlap_inclusion_method", inclusion,
        {{"transitive", OverlapInclusion::kTransitive},
         {"single", OverlapInclusion::kSingle},
         {"none", OverlapInclusion::kNone}},
        "which SSTables a merge takes along with those that reach the threshold: transitive: all "
        "that overlap, and what overlaps those; single: all that overlap; none: no others");
    grace.declare(table);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults;
    for (const std::string& part : split_scalings(scaling_parameters)) {
      if (parse_scaling(part)) continue;
      faults.push_back(
          fmt::format("scaling_parameters: '{}' is none of T2 to T{}, L2 to L{}, N, or a number",
                      part, kFanoutMax, kFanoutMax));
    }
    if (Uint128{min_sstable_size.value()} * min_sstable_size.value() * 2 >=
        Uint128{target_sstable_size.value()} * target_sstable_size.value()) {
      faults.push_back(
          fmt::format("min_sstable_size={} is not below sqrt(1/2) times target_sstable_size={}",
                      min_sstable_size.value(), target_sstable_size.value()));
    }
    return faults;
  }
  void resolve(const StoreOptions& store) {
    constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
    if (!flush_size) flush_size = Bytes((store.buffer.value() + kMib - 1) / kMib * kMib);
  }
};

class CassandraUcs final : public Policy {
 public:
  explicit CassandraUcs(const UcsOptions& options) : options_(options) {
    for (const std::string& part : split_scalings(options.scaling_parameters)) {
      scalings_.push_back(parse_scaling(part).value());
    }
    set_density_limits();
  }

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] std::uint64_t gc_grace() const override { return options_.grace.writes; }
  [[nodiscard]] bool keeps_age_order() const override { return false; }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    std::optional<Choice> best;
    for (DensityLevel& level : levels_of(tree)) {
      Choice choice = choose(tree, level);
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

  [[nodiscard]] const Scaling& scaling(std::uint32_t level) const {
    return scalings_[std::min<std::size_t>(level, scalings_.size() - 1)];
  }

  void set_density_limits() {
    // flush * (1 - 0.9 / f) * f, rounded down
    Uint128 limit = Uint128{options_.flush_size->value()} * (10 * scaling(0).fanout - 9) / 10;
    for (std::uint32_t level = 0; level < kLevelsMax; ++level) {
      density_limits_.push_back(limit);
      limit = std::min(limit * scaling(level + 1).fanout, Uint128{1} << 116);
    }
  }

  // Bytes for all of token space, rounded down.
  [[nodiscard]] static Uint128 density(std::uint64_t bytes, const KeyRange& keys) {
    const Uint128 span = Uint128{keys.largest} - keys.smallest + 1;
    return (Uint128{bytes} << 64) / span;
  }
  [[nodiscard]] std::uint32_t level_of(Uint128 density) const {
    const auto at = std::upper_bound(density_limits_.begin(), density_limits_.end() - 1, density);
    return static_cast<std::uint32_t>(at - density_limits_.begin());
  }

  // The idle SSTables, by level of density. O(SSTables): there are few by the rule itself, because
  // their size grows with the store (sstable_growth) from target_sstable_size on.
  [[nodiscard]] std::vector<DensityLevel> levels_of(const TreeView& tree) const {
    std::vector<DensityLevel> levels;
    for (std::uint32_t index = 0; index < kLevelsMax; ++index) levels.push_back({index, {}});
    for (std::size_t level = 0; level < tree.levels().size(); ++level) {
      const std::vector<SortedRun>& runs = tree.levels()[level].runs;
      for (const SortedRun& run : runs) {
        for (const File& file : run.files) {
          if (file.busy) continue;
          const std::uint32_t index = level_of(density(file.bytes.value(), file.keys));
          levels[index].sstables.push_back({static_cast<std::uint32_t>(level), &run, &file});
        }
      }
    }
    return levels;
  }

  // UnifiedCompactionStrategy.Level.getCompactionPick.
  [[nodiscard]] Choice choose(const TreeView& tree, const DensityLevel& level) const {
    if (level.sstables.empty()) return {};
    std::vector<KeyRange> ranges;
    for (const FileOfRun& sstable : level.sstables) ranges.push_back(sstable.file->keys);
    const std::vector<OverlapSection> sections = overlap_sections(ranges);
    Choice choice;
    for (const OverlapSection& section : sections) {
      choice.overlap = std::max(choice.overlap, section.size());
    }
    if (choice.overlap < scaling(level.index).threshold) return choice;
    std::optional<OverlapBucket> drawn;
    std::uint64_t least = 0;
    for (const OverlapBucket& bucket :
         overlap_buckets(sections, scaling(level.index).threshold, options_.inclusion)) {
      if (overlap_of(sections, bucket) != choice.overlap) continue;
      const FileId first = level.sstables[sections[bucket.first].front()].file->id;
      const std::uint64_t hash = derive_seed(tree.flush_count(), first.value());
      if (drawn && hash >= least) continue;
      drawn = bucket;
      least = hash;
    }
    choice.sstables = taken(level, sections, *drawn, choice.overlap);
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
  [[nodiscard]] std::size_t overlap_taken(std::uint32_t level, std::size_t overlap) const {
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
  [[nodiscard]] std::vector<FileOfRun> taken(const DensityLevel& level,
                                             const std::vector<OverlapSection>& sections,
                                             const OverlapBucket& bucket,
                                             std::size_t overlap) const {
    std::set<std::size_t> members;
    for (std::size_t i = bucket.first; i < bucket.last; ++i) {
      members.insert(sections[i].begin(), sections[i].end());
    }
    const std::size_t limit = overlap_taken(level.index, overlap);
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
    const Uint128 combined = density(bytes, hull);
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
  std::vector<Scaling> scalings_;
  std::vector<Uint128> density_limits_;  // by level; the last one has none
};

const char* const kStrategy = "UnifiedCompactionStrategy.java, Cassandra 5.0";
const char* const kController = "unified/Controller.java, Cassandra 5.0";

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
      {"the size of a flush is measured", Fidelity::kSimplified, kController,
       "the buffer, or flush_size_override"},
      {"flushes are cut into shards", Fidelity::kNotModelled, kStrategy,
       "matters for flushes of 2 * min_sstable_size and more"},
      {"SSTables of few partitions count as wider", Fidelity::kNotModelled,
       "ShardManager.java, Cassandra 5.0", "needs SSTables of fewer than 100 partitions"},
      {"a merge keeps tombstones for gc_grace_seconds", Fidelity::kSimplified,
       "CompactionController.java, Cassandra 5.0",
       "gc_grace counts writes, and is 0 by default; the tree's newest write is the present"},
      {"wholly expired SSTables are dropped", Fidelity::kNotModelled, kStrategy,
       "entries have no time to live"},
      {"several data directories", Fidelity::kNotModelled,
       "ShardManagerDiskAware.java, Cassandra 5.0", "a store has one directory"},
  };
}

}  // namespace

PolicyFamily cassandra_ucs_family() {
  PolicyFamily family = make_family<UcsOptions, CassandraUcs>(
      "cassandra-ucs",
      "Cassandra's UnifiedCompactionStrategy: tiered, leveled and all between, by density, in "
      "shards",
      "Cassandra 5.0, db/compaction/UnifiedCompactionStrategy.java");
  family.stalls = stalls_by_memory(2);
  family.fidelity = ucs_fidelity();
  return family;
}

}  // namespace lsmlab

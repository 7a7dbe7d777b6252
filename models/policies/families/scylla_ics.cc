// ScyllaDB's incremental compaction strategy (compaction/incremental_compaction_strategy.cc). A
// sorted run is made of fragments, SSTables of at most sstable_size without common keys. Runs of
// similar sizes form buckets: runs come by size, and the next one joins the last bucket if
//   - its size is between bucket_low and bucket_high times the bucket's mean, or it and the mean
//     are below min_sstable_size and no run below that was written in the last min_sstable_age; and
//   - with it the smallest run of the bucket still exceeds bucket_low times the mean, or it is such
//     a small run.
// Otherwise it begins a bucket. The first of these rules that applies merges whole runs:
//
//  1. A bucket has min_threshold runs or more: the bucket with the most runs, of equal ones that of
//     the smallest runs. At most max_threshold runs merge, the smallest ones.
//  2. Without enforce_min_threshold the same from two runs on.
//  3. With tombstone_threshold: a run of a bucket, largest bucket first, has enough tombstones. Its
//     bucket merges with the next larger one, the largest with the second largest, and a bucket
//     that is alone by itself.
//  4. With space_amplification_goal: the two largest buckets merge if (S0 + S1) / S0 exceeds the
//     goal, where S0 and S1 are their bytes.
//
// Busy runs are in no bucket, and rules 3 and 4 wait until no run is busy. Inputs need not be
// adjacent in age, so a lookup asks every run. Runs of equal sizes count from the oldest; ScyllaDB
// leaves their order open.
//
// Rule 3 looks at a run from an hour after it was written, or earlier if the interval is shorter.
// Until tombstone_compaction_interval, more tombstones are asked for: twice the threshold, at least
// half of the entries. Here the hour is a 24th of the interval, as by ScyllaDB's default of a day.
#include <algorithm>

#include "models/policies/cassandra/scylla_memtable.h"
#include "models/policies/cassandra/scylla_sizes.h"
#include "models/policies/cassandra/stalls.h"
#include "models/policies/droppable_tombstones.h"
#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct ScyllaIcsOptions {
  Bytes sstable_size{std::uint64_t{1000} << 20};
  Decimal bucket_low{7071, 10'000};
  Decimal bucket_high{14'142, 10'000};
  std::uint64_t min_threshold = 4;
  std::uint64_t max_threshold = 32;
  bool enforce_min_threshold = false;
  Bytes min_sstable_size{std::uint64_t{50} << 20};
  std::uint64_t min_sstable_age = 0;  // operations
  std::optional<Decimal> space_amplification_goal;
  std::optional<Decimal> tombstone_threshold;
  std::optional<std::uint64_t> tombstone_compaction_interval;  // operations
  bool unchecked_tombstone_compaction = false;
  TombstoneGrace grace;
  ScyllaSizes sizes;

  void declare(OptionTable& table) {
    table.bytes("sstable_size", sstable_size, {1, std::uint64_t{1} << 40},
                "data bytes, with compression as stored, at which a fragment of a run ends "
                "(sstable_size_in_mb); less: more files");
    table.decimal("bucket_low", bucket_low, "0", "1",
                  "a run joins a bucket of smaller runs only if the smallest of them is above this "
                  "times the mean; nearer to 1: more buckets, so more sorted runs and fewer "
                  "rewrites; ScyllaDB before 2026.3: 0.5");
    table.decimal("bucket_high", bucket_high, "1", "1000",
                  "a run joins a bucket only if it is below this times the mean; nearer to 1: more "
                  "buckets; ScyllaDB before 2026.3: 1.5");
    table.count("min_threshold", min_threshold, {2, 1024}, "runs",
                "a bucket with so many runs merges first");
    table.count("max_threshold", max_threshold, {2, 1024}, "runs",
                "largest number of runs in a merge of one bucket");
    table.flag("enforce_min_threshold", enforce_min_threshold,
               "ScyllaDB's compaction_enforce_min_threshold: buckets with fewer runs never merge, "
               "which saves rewrites, for more sorted runs and more space; false: two runs merge "
               "when nothing better is to do");
    table.bytes("min_sstable_size", min_sstable_size, {0, std::uint64_t{1} << 62},
                "runs below this size are one bucket; more: fewer small runs, more rewrites");
    table.count("min_sstable_age", min_sstable_age, {0, std::uint64_t{1} << 62}, "operations",
                "min_sstable_size has no effect while a run below it is younger than this; "
                "ScyllaDB 2026.4 has an hour, earlier versions 0");
    table.optional_decimal(
        "space_amplification_goal", space_amplification_goal, "1", "2",
        "merges the two largest buckets if together they are more than this times the largest; "
        "less: less space, more rewrites; ScyllaDB's default: none");
    table.optional_decimal(
        "tombstone_threshold", tombstone_threshold, "0", "1",
        "when nothing else is to be merged, a run of which at least this share is tombstones makes "
        "two buckets merge; less: tombstones go sooner, for more merges; ScyllaDB's default is "
        "0.2; here the default is none, because the rule needs single keys");
    table.optional_count(
        "tombstone_compaction_interval", tombstone_compaction_interval, {1}, "operations",
        "with tombstone_threshold: age from which the threshold counts; ScyllaDB's "
        "default is a day");
    table.flag("unchecked_tombstone_compaction", unchecked_tombstone_compaction,
               "with tombstone_threshold: every run counts as one with enough tombstones, as soon "
               "as it is old enough");
    grace.declare(table);
  }

  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults;
    const Decimal one(1, 1);
    if (bucket_low.numerator() == 0 || !(bucket_low < one)) {
      faults.emplace_back("bucket_low must be above 0 and below 1");
    }
    if (!(one < bucket_high)) faults.emplace_back("bucket_high must be above 1");
    if (max_threshold < min_threshold) {
      faults.emplace_back("max_threshold must be at least min_threshold");
    }
    if (space_amplification_goal && !(one < *space_amplification_goal)) {
      faults.emplace_back("space_amplification_goal must be above 1 and at most 2");
    }
    if (tombstone_threshold.has_value() != tombstone_compaction_interval.has_value()) {
      faults.emplace_back("tombstone_threshold and tombstone_compaction_interval need each other");
    }
    if (unchecked_tombstone_compaction && !tombstone_threshold) {
      faults.emplace_back("unchecked_tombstone_compaction applies only with tombstone_threshold");
    }
    return faults;
  }
  void resolve(const StoreOptions& store) { sizes = ScyllaSizes(store); }
};

struct IcsRun {
  std::uint32_t level = 0;
  const SortedRun* run = nullptr;
  std::uint64_t bytes = 0;
};

// Runs by size, the smallest first.
struct IcsBucket {
  std::vector<IcsRun> runs;
  std::uint64_t bytes = 0;
};

class ScyllaIcs final : public Policy {
 public:
  explicit ScyllaIcs(const ScyllaIcsOptions& options) : options_(options) {}

  [[nodiscard]] bool keeps_age_order() const override { return false; }
  [[nodiscard]] PolicyNeeds needs() const override {
    return options_that_need_keys().empty() ? PolicyNeeds::kSizes : PolicyNeeds::kKeys;
  }
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const override {
    std::vector<std::string> options;
    if (options_.tombstone_threshold) options.emplace_back("tombstone_threshold");
    options_.grace.add_name(options);
    return options;
  }
  [[nodiscard]] std::uint64_t gc_grace() const override { return options_.grace.writes; }
  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return options_.enforce_min_threshold ? options_.min_threshold : 2;
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    std::vector<IcsRun> runs;
    bool has_busy = false;
    for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) {
        has_busy = has_busy || run.busy();
        if (!run.busy()) runs.push_back({level, &run, options_.sizes.of(run)});
      }
    }
    const std::vector<IcsBucket> buckets = buckets_of(tree, std::move(runs));
    const IcsBucket* fullest = fullest_of(buckets);
    if (fullest == nullptr) return std::nullopt;
    const std::size_t fewest = options_.enforce_min_threshold ? options_.min_threshold : 2;
    if (fullest->runs.size() >= fewest) {
      const std::size_t width = std::min<std::size_t>(fullest->runs.size(), options_.max_threshold);
      return merge_of(
          {fullest->runs.begin(), fullest->runs.begin() + static_cast<std::ptrdiff_t>(width)},
          PlanReason::kSizeRatio);
    }
    if (has_busy) return std::nullopt;
    if (std::optional<Plan> plan = drop_tombstones(tree, buckets)) return plan;
    return save_space(buckets);
  }

 private:
  // get_buckets
  [[nodiscard]] std::vector<IcsBucket> buckets_of(const TreeView& tree,
                                                  std::vector<IcsRun> runs) const {
    std::stable_sort(runs.begin(), runs.end(), [](const IcsRun& a, const IcsRun& b) {
      if (a.bytes != b.bytes) return a.bytes < b.bytes;
      return a.run->flushes.last < b.run->flushes.last;
    });
    const bool joins_small = !has_young_small_run(tree, runs);
    std::vector<IcsBucket> buckets;
    for (const IcsRun& run : runs) {
      if (buckets.empty() || !belongs(buckets.back(), run.bytes, joins_small)) {
        buckets.emplace_back();
      }
      buckets.back().runs.push_back(run);
      buckets.back().bytes += run.bytes;
    }
    return buckets;
  }

  // tiny_sstables_written_recently
  [[nodiscard]] bool has_young_small_run(const TreeView& tree,
                                         const std::vector<IcsRun>& runs) const {
    return std::any_of(runs.begin(), runs.end(), [&](const IcsRun& run) {
      return run.bytes < options_.min_sstable_size.value() &&
             tree.now().value() - written(run).value() < options_.min_sstable_age;
    });
  }

  // By the first fragment, as ScyllaDB does.
  [[nodiscard]] static Instant written(const IcsRun& run) { return run.run->files.front().created; }

  // Means are compared as bytes * count, in integers.
  [[nodiscard]] bool belongs(const IcsBucket& bucket, std::uint64_t bytes, bool joins_small) const {
    const std::uint64_t count = bucket.runs.size();
    const std::uint64_t small = options_.min_sstable_size.value();
    const bool is_small = joins_small && bytes < small;
    const bool is_similar = exceeds(Uint128{bytes} * count, options_.bucket_low, bucket.bytes) &&
                            Uint128{bytes} * count * options_.bucket_high.denominator() <
                                Uint128{bucket.bytes} * options_.bucket_high.numerator();
    if (!is_similar && !(is_small && Uint128{bucket.bytes} < Uint128{small} * count)) return false;
    return is_small || exceeds(Uint128{bucket.runs.front().bytes} * (count + 1),
                               options_.bucket_low, bucket.bytes + bytes);
  }

  [[nodiscard]] static bool exceeds(Uint128 bytes, const Decimal& times, std::uint64_t than) {
    return bytes * times.denominator() > Uint128{than} * times.numerator();
  }

  // most_interesting_bucket: runs beyond max_threshold do not count. Null if there are no runs.
  [[nodiscard]] const IcsBucket* fullest_of(const std::vector<IcsBucket>& buckets) const {
    const IcsBucket* fullest = nullptr;
    std::size_t most = 0;
    for (const IcsBucket& bucket : buckets) {
      const std::size_t count = std::min<std::size_t>(bucket.runs.size(), options_.max_threshold);
      if (count <= most) continue;
      most = count;
      fullest = &bucket;
    }
    return fullest;
  }

  // find_garbage_collection_job
  [[nodiscard]] std::optional<Plan> drop_tombstones(const TreeView& tree,
                                                    const std::vector<IcsBucket>& buckets) const {
    if (!options_.tombstone_threshold) return std::nullopt;
    std::size_t due = buckets.size();
    while (due > 0 && !is_due(tree, buckets[due - 1])) --due;
    if (due == 0) return std::nullopt;
    std::vector<IcsRun> runs = buckets[--due].runs;
    if (buckets.size() > 1) {
      const std::size_t partner = due + 1 == buckets.size() ? due - 1 : due + 1;
      append(runs, buckets[partner]);
    }
    return merge_of(std::move(runs), PlanReason::kTombstoneDensity);
  }

  static void append(std::vector<IcsRun>& runs, const IcsBucket& bucket) {
    runs.insert(runs.end(), bucket.runs.begin(), bucket.runs.end());
  }

  [[nodiscard]] bool is_due(const TreeView& tree, const IcsBucket& bucket) const {
    return std::any_of(bucket.runs.begin(), bucket.runs.end(),
                       [&](const IcsRun& run) { return is_worth_dropping(tree, run); });
  }

  // worth_dropping_tombstones. The memtable's data is newer than a run's.
  [[nodiscard]] bool is_worth_dropping(const TreeView& tree, const IcsRun& run) const {
    const std::uint64_t interval = *options_.tombstone_compaction_interval;
    const std::uint64_t hour = std::max<std::uint64_t>(1, interval / 24);
    const std::uint64_t age = tree.now().value() - written(run).value();
    if (age < hour) return false;
    if (options_.unchecked_tombstone_compaction) return true;
    const RunSums& sums = run.run->files.sums();
    if (sums.tombstones == 0 && sums.entries == 0) return false;
    const Decimal& threshold = *options_.tombstone_threshold;
    const std::uint64_t ripe = options_.grace.ripe(tree, *run.run);
    const Uint128 tombstones = Uint128{ripe} * threshold.denominator();
    if (age > interval) return tombstones >= Uint128{sums.entries} * threshold.numerator();
    const Uint128 twice = std::min(Uint128{sums.entries} * threshold.numerator() * 2,
                                   Uint128{sums.entries} * threshold.denominator());
    return tombstones >= twice && 2 * ripe >= sums.entries;
  }

  [[nodiscard]] std::optional<Plan> save_space(const std::vector<IcsBucket>& buckets) const {
    if (!options_.space_amplification_goal || buckets.size() < 2) return std::nullopt;
    const IcsBucket& largest = buckets.back();
    const IcsBucket& second = buckets[buckets.size() - 2];
    if (!exceeds(Uint128{largest.bytes} + second.bytes, *options_.space_amplification_goal,
                 largest.bytes)) {
      return std::nullopt;
    }
    std::vector<IcsRun> runs = largest.runs;
    append(runs, second);
    return merge_of(std::move(runs), PlanReason::kSpaceAmplification);
  }

  [[nodiscard]] Plan merge_of(std::vector<IcsRun> runs, PlanReason reason) const {
    std::stable_sort(runs.begin(), runs.end(), [](const IcsRun& a, const IcsRun& b) {
      return a.run->flushes.last > b.run->flushes.last;
    });
    MergePlan merge;
    for (const IcsRun& run : runs) {
      merge.inputs.push_back(input_of(run.level, *run.run, run.run->files));
    }
    merge.target = {0, std::nullopt};
    merge.cut.file_bytes = options_.sstable_size;
    if (options_.sizes.compresses()) merge.cut.measure = CutMeasure::kStoredBlocks;
    return {reason, std::move(merge), {}};
  }

  ScyllaIcsOptions options_;
};

}  // namespace

PolicyFamily scylla_ics_family() {
  const std::string file =
      "compaction/incremental_compaction_strategy.cc, scylladb f4a4091ca2 (2026-08)";
  PolicyFamily family = make_family<ScyllaIcsOptions, ScyllaIcs>(
      "scylla-ics",
      "ScyllaDB's incremental compaction: merges sorted runs of similar sizes, made of fragments",
      file);
  // ScyllaDB slows writers by the bytes of memtables alone.
  family.stalls = stalls_by_memory(1);
  family.sizes_suffice_with = "no tombstone_threshold and no gc_grace";
  family.file_options = {"sstable_size"};
  family.pre_remove = PreRemove::kFilters;
  family.memtable = MemtableKind::kInPlace;
  family.fidelity = {
      {"runs of similar sizes form buckets", Fidelity::kSimplified, file,
       "a size is that of data before compression, as in ScyllaDB; but index and filter count too, "
       "and in a store that compresses, all entries of a run count as alike"},
      {"the bucket with the most runs merges", Fidelity::kExact, file},
      {"pairs merge when nothing better is to do", Fidelity::kExact, file},
      {"small runs are one bucket, once none of them is young", Fidelity::kSimplified, file,
       "ages count operations; min_sstable_age is 0 by default"},
      {"two buckets merge for tombstones", Fidelity::kSimplified, file,
       "ages count operations, an hour is a 24th of the interval; the share of tombstones is that "
       "of the whole run, ScyllaDB takes the mean over its fragments; gc_grace counts writes"},
      {"the two largest buckets merge for space", Fidelity::kExact, file},
      {"a fragment ends at sstable_size_in_mb of data on disk", Fidelity::kExact,
       "sstables/mx/writer.cc, get_data_offset"},
      {"inputs go fragment by fragment while a merge runs", Fidelity::kNotModelled,
       "compaction/compaction.cc, maybe_replace_exhausted_sstables_by_sst",
       "a plan's inputs go together at its end: space_transient counts both sides of a whole "
       "merge, "
       "in ScyllaDB the inputs and about one fragment for each input run"},
      scylla_replacement_fidelity(),
      purge_fidelity("compaction/compaction.cc, get_max_purgeable_timestamp"),
      {"a merge keeps tombstones for gc_grace_seconds", Fidelity::kSimplified,
       "compaction/compaction.cc, get_gc_before_for_key",
       "gc_grace counts writes, and is 0 by default; the tree's newest write is the present"},
      {"SSTables that hold only expired data go unread", Fidelity::kNotModelled,
       "compaction/compaction.cc, get_fully_expired_sstables", "no entry has a time to live"},
      {"no two running merges of one size class (log4 of the bytes)", Fidelity::kNotModelled,
       "compaction/compaction_manager.cc, can_register_compaction",
       "merges of all sizes run at once; it matters only with several merge threads"},
      {"no merge begins with fewer runs than the largest running merge has, up to 32",
       Fidelity::kNotModelled,
       "compaction/compaction_manager.cc, current_compaction_fan_in_threshold",
       "merges of any number of runs run at once; it matters only with several merge threads"},
      {"shares of CPU and disk follow the backlog", Fidelity::kNotModelled,
       "compaction/incremental_backlog_tracker.cc", "merges and clients share the device evenly"},
  };
  return family;
}

}  // namespace lsmlab

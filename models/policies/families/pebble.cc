// Pebble, CockroachDB's storage engine, 2.1.7 (and, with `version`, older): leveled compaction over
// a level 0 of sublevels. Rules: models/policies/pebble/levels.h (targets and scores),
// models/policies/pebble/sublevels.h (level 0), models/policies/pebble/picker.h (files).
//
// A flush is cut into several files, which are one sorted run: at the split keys of level 0, where
// files of the base level begin, and where a file would overlap too much of the base level
// (newFlush, models/execution/output_cut.h: kGrandparentBegins, and before 1.0 kGrandparentLimit).
// Merges are cut by the same rule. A merge within level 0 keeps all tombstones
// (SetupTombstoneElision); one into a deeper level drops those whose key no deeper file has.
#include <algorithm>

#include "models/base/decimal.h"
#include "models/policies/pebble/picker.h"
#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct PebbleOptions {
  std::uint64_t l0_compaction_threshold = 4;
  std::uint64_t l0_compaction_file_threshold = 500;
  Bytes level_base{64 << 20};
  std::uint64_t size_ratio = 10;
  Bytes file_size{2 << 20};
  std::uint64_t file_size_multiplier = 2;
  std::optional<Bytes> flush_split_bytes;
  PebbleMultilevel multilevel = PebbleMultilevel::kOfVersion;
  Decimal multilevel_propensity{0, 1};
  PebbleVersion version = PebbleVersion::k2_1;
  Bytes memtable;  // the store's

  void declare(OptionTable& table) {
    constexpr CountRange kBytes{1, std::uint64_t{1} << 40};
    table.count("l0_compaction_threshold", l0_compaction_threshold, {1, 1 << 20}, "",
                "level 0 merges when twice its sublevels reach this; more: fewer rewrites, but "
                "more sorted runs for a read to visit");
    table.count("l0_compaction_file_threshold", l0_compaction_file_threshold, {1, 1 << 20}, "files",
                "level 0 also merges when it has this many files, however few sublevels they make");
    table.bytes("level_base", level_base, {1, std::uint64_t{1} << 62},
                "Pebble's lbase_max_bytes: what the first level below level 0 that is used may "
                "hold; more: fewer levels, but larger merges from level 0");
    table.count("size_ratio", size_ratio, {2, 1024}, "",
                "Pebble's level_multiplier: largest factor between the targets of levels; more: "
                "fewer levels, but more rewrites in each");
    table.bytes("file_size", file_size, kBytes,
                "target_file_size of level 0: a file there has half to twice as much; more: fewer "
                "and larger merges");
    table.count("file_size_multiplier", file_size_multiplier, {1, 1024}, "",
                "how much larger the files of the base level, and of each level below it, are than "
                "those of the level above");
    table.optional_bytes("flush_split_bytes", flush_split_bytes, {0, std::uint64_t{1} << 40},
                         "bytes of a sublevel between two keys at which flushes begin a new file; "
                         "0: a flush writes one file; default: 2 * file_size");
    table.choice<PebbleMultilevel>("multilevel", multilevel,
                                   {{"of-version", PebbleMultilevel::kOfVersion},
                                    {"none", PebbleMultilevel::kNone},
                                    {"write-amp", PebbleMultilevel::kBelowLevel0},
                                    {"write-amp-from-level0", PebbleMultilevel::kAll}},
                                   "merges that take the files of a third level if that lowers the "
                                   "bytes they write for each byte from above: none, those that "
                                   "start below level 0, or all; of-version: Pebble's default, "
                                   "write-amp since 1.1 and none before");
    table.decimal("multilevel_propensity", multilevel_propensity, "0", "1000",
                  "how much more a merge of three levels may write for each byte from above; more: "
                  "more such merges");
    table.choice<PebbleVersion>("version", version,
                                {{"2020-05", PebbleVersion::k2020_05},
                                 {"2023-01", PebbleVersion::k2023_01},
                                 {"1.1", PebbleVersion::k1_1},
                                 {"2.1", PebbleVersion::k2_1}},
                                "the version of Pebble whose targets, scores and limits count: "
                                "2.1; 1.1 (1.0 is nearest with multilevel=none); 2023-01, before "
                                "files ended where those two levels below begin; or 2020-05, "
                                "before targets followed all bytes and scores the next level's");
  }
  [[nodiscard]] PebbleMultilevel multilevel_of_version() const {
    if (multilevel != PebbleMultilevel::kOfVersion) return multilevel;
    return version >= PebbleVersion::k1_1 ? PebbleMultilevel::kBelowLevel0
                                          : PebbleMultilevel::kNone;
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults;
    if (multilevel_of_version() == PebbleMultilevel::kNone &&
        multilevel_propensity.numerator() != 0) {
      faults.emplace_back(multilevel == PebbleMultilevel::kNone
                              ? "multilevel_propensity does not apply with multilevel=none"
                              : "multilevel_propensity does not apply: before version 1.1, "
                                "multilevel is none");
    }
    return faults;
  }
  void resolve(const StoreOptions& store) {
    memtable = store.buffer;
    multilevel = multilevel_of_version();
    if (!flush_split_bytes) flush_split_bytes = Bytes(2 * file_size.value());
  }
};

class Pebble final : public Policy {
 public:
  explicit Pebble(const PebbleOptions& options) : options_(options) {
    shape_ = {options.level_base.value(),
              options.size_ratio,
              options.l0_compaction_threshold,
              options.l0_compaction_file_threshold,
              options.file_size,
              options.file_size_multiplier,
              options.version};
    picking_ = {options.multilevel, options.multilevel_propensity.as_double(), options.version};
  }

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] std::vector<FileOrdering> orderings() const override { return pebble_orderings(); }

  [[nodiscard]] std::uint64_t stalling_runs(const TreeView& tree) const override {
    return PebbleSublevels(tree, kPebbleLevels).depth();
  }
  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return (options_.l0_compaction_threshold + 1) / 2;
  }

  [[nodiscard]] std::vector<LevelCapacity> level_capacities(const TreeView& tree) const override {
    const PebbleLevels levels(tree, shape_);
    const std::uint64_t runs = *merge_trigger_runs();
    std::vector<LevelCapacity> capacities{{runs * options_.memtable.value(), runs}};
    for (std::uint32_t level = 1; level < kPebbleLevels; ++level) {
      const bool is_used = level >= levels.base_level();
      capacities.push_back({is_used ? levels.target(level) : 0, 1});
    }
    return capacities;
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    const PebbleLevels levels(tree, shape_);
    const PebbleSublevels level0(tree, levels.base_level());
    if (tree.pending_flush()) return flush(levels, level0);
    const PebblePicker picker(levels, level0, picking_);
    const std::optional<PebbleJob> job = picker.pick();
    if (!job) return std::nullopt;
    return plan_of(tree, levels, level0, *job);
  }

 private:
  [[nodiscard]] OutputCut cut_at(std::uint64_t file_bytes) const {
    OutputCut cut;
    cut.file_bytes = Bytes(file_bytes);
    cut.measure = CutMeasure::kStoredBlocks;
    const bool ends_at_begins = options_.version >= PebbleVersion::k1_1;
    cut.grandparents =
        ends_at_begins ? GrandparentRule::kGrandparentBegins : GrandparentRule::kGrandparentLimit;
    cut.grandparent_bytes_max = Bytes(10 * file_bytes);
    return cut;
  }

  [[nodiscard]] Plan flush(const PebbleLevels& levels, const PebbleSublevels& level0) const {
    FlushPlan plan{{0, std::nullopt}};
    if (options_.flush_split_bytes->value() > 0) {
      plan.cut = cut_at(options_.file_size.value());
      plan.cut.grandparent_level = levels.base_level();
      plan.cut.grandparent_bytes_max = flush_overlap_max(levels);
      plan.cut.limits = level0.flush_split_keys(options_.flush_split_bytes->value());
    }
    return Plan{PlanReason::kMemtableFull, std::move(plan), {}};
  }

  // adjustGrandparentOverlapBytesForFlush: the limit must not cut a flush into more than four times
  // the files that its size would make, if it takes a fifth of the memtable's bytes.
  [[nodiscard]] Bytes flush_overlap_max(const PebbleLevels& levels) const {
    const std::uint64_t file_bytes = options_.file_size.value();
    const std::uint64_t most = 10 * file_bytes;
    const std::uint64_t fifth = options_.memtable.value() / 5;
    const double files_max =
        4 * static_cast<double>(std::max<std::uint64_t>(1, (fifth + file_bytes - 1) / file_bytes));
    const KeyRange& keys = levels.tree().pending_flush()->keys;
    const std::uint64_t below = levels.overlapping(levels.base_level(), keys).sums().bytes;
    const double files = static_cast<double>(below) / static_cast<double>(most);
    if (files <= files_max) return Bytes(most);
    return Bytes(static_cast<std::uint64_t>(static_cast<double>(most) * (files / files_max)));
  }

  [[nodiscard]] Plan plan_of(const TreeView& tree, const PebbleLevels& levels,
                             const PebbleSublevels& level0, const PebbleJob& job) const {
    std::vector<PlanInput> inputs;
    if (job.level0) inputs = level0.inputs(*job.level0);
    for (const PebbleJob::LevelFiles& taken : job.levels) {
      if (taken.files.empty()) continue;
      inputs.push_back(input_of(taken.level, *levels.run(taken.level), taken.files));
    }
    const OutputTarget target = job.output_level == 0 ? OutputTarget{0, std::nullopt}
                                                      : leveled_target(tree, job.output_level);
    if (job.is_move) return Plan{job.reason, MovePlan{std::move(inputs), target}, {}};
    MergePlan merge;
    merge.inputs = std::move(inputs);
    merge.target = target;
    merge.cut = cut_at(levels.file_bytes(job.size_level));
    merge.drops_tombstones = job.output_level > 0;
    return Plan{job.reason, std::move(merge), {}};
  }

  PebbleOptions options_;
  PebbleShape shape_;
  PebblePicking picking_;
};

std::vector<RuleFidelity> pebble_fidelity() {
  using enum Fidelity;
  const std::string picker = "compaction_picker.go, 2.1.7 and 1.1.5";
  const std::string sublevels = "internal/manifest/l0_sublevels.go, 2.1.7";
  return {
      {"targets of levels, and the base level", kExact, picker + ": initLevelMaxBytes"},
      {"before June 2020: targets by the deepest level, plain scores", kExact,
       "compaction_picker.go, parent of 730159ff3: initLevelMaxBytes, calculateScores"},
      {"before June 2020: level 0 without sublevels", kNotModelled,
       "compaction_picker.go, parent of 730159ff3: calculateL0Score",
       "version=2020-05 has sublevels too, as that version had as an option, with half the score"},
      {"scores: fill factor over that of the next level", kExact,
       picker + ": calculateLevelScores"},
      {"bytes that running merges bring to a level and take from it", kSimplified,
       picker + ": calculateSizeAdjust",
       "a tree does not show which merge a busy file belongs to: a busy file that busy files of "
       "the level above overlap counts as staying"},
      {"sublevels of level 0, and which of its files go to the base level", kExact,
       sublevels + ": PickBaseCompaction, ExtendL0ForBaseCompactionTo"},
      {"merges within level 0", kExact, sublevels + ": PickIntraL0Compaction"},
      {"which of several equally deep intervals comes first", kSimplified, sublevels,
       "the first by key; Pebble's sort leaves it open where there are more than twelve"},
      {"files that flushes are cut into", kSimplified, "compaction.go: newFlush",
       "a memtable's bytes are its buffer where Pebble counts what it uses; and a file that begins "
       "after a full one counts the base level's file before it as overlapped, as merges do"},
      {"where outputs end, since 1.0", kSimplified,
       "internal/compact/splitting.go, run.go: TableSplitLimit",
       "an output's size is that of its finished data blocks; Pebble adds the open one and the "
       "index"},
      {"before February 2023: outputs end by their size or the limit below", kSimplified,
       "compaction.go, parent of 87ed4d3bc: fileSizeSplitter, findGrandparentLimit",
       "version=2020-05 too, where the limit was the largest key of a file below, not the "
       "smallest"},
      {"before August 2023 and 1.1: sizes with what tombstones free rank levels, too", kSimplified,
       "compaction_picker.go, parent of 87ed4d3bc: calculateScores",
       "version=2023-01 has the scores of 1.1; without deletes they are the same"},
      {"which file of a level goes down: least overlap", kExact,
       picker + ": pickCompactionSeedFile"},
      {"bytes that tombstones are expected to free", kSimplified,
       "table_stats.go: pointDeletionsBytesEstimate",
       "where over a tenth of a file's entries are tombstones, Pebble averages the values of all "
       "files below it; here, of its own values, or of the levels below if it has none"},
      {"growth of inputs, limits of their bytes", kExact, picker + ": setupInputs"},
      {"limit of inputs by the free bytes of the disk", kNotModelled,
       "compaction.go: expandedCompactionByteSizeLimit", "a tree has no disk"},
      {"merges of three levels", kExact, picker + ": WriteAmpHeuristic; options.go"},
      {"moves of single files", kExact, "compaction.go: maybeSwitchToMoveOrCopy"},
      {"rewrites of the last level's files with many tombstones", kExact,
       picker + ": pickElisionOnlyCompaction"},
      {"merges of files with dense blocks of tombstones", kNotModelled,
       "compaction_picker.go, 2.1.7: pickTombstoneDensityCompaction",
       "files do not show the tombstones of their blocks"},
      {"merges that reads cause", kNotModelled, picker + ": pickReadTriggeredCompaction",
       "Pebble samples iterators, lsmlab counts lookups"},
      {"delete-only merges, blob files, virtual tables, snapshots", kNotModelled, "compaction.go",
       "workloads have no range deletes, ingested files or snapshots"},
      {"how many merges run at a time", kNotModelled, picker + ": getCompactionConcurrency",
       "the run's number of threads; Pebble adds merges by sublevels and by bytes to be merged"},
      {"stalls by memtables and sublevels", kExact, "db.go: maybeInduceWriteStall"},
      {"the first memtables, which grow from 256 KiB", kNotModelled, "db.go: newMemTable",
       "every memtable has the size of buffer"},
  };
}

}  // namespace

PolicyFamily pebble_family() {
  PolicyFamily family = make_family<PebbleOptions, Pebble>(
      "pebble",
      "Pebble (CockroachDB): leveled compaction, with sublevels in level 0 and scores that look at "
      "the next level",
      "Pebble 2.1.7, compaction_picker.go, internal/manifest/l0_sublevels.go");
  // maybeInduceWriteStall: only a full memtable asks for room. Two memtables count with the one
  // that is full.
  family.stalls.full_memtables_max = 1;
  family.stalls.level0_slowdown_runs = 12;
  family.stalls.level0_stop_runs = 12;
  family.stalls.stops_only_when_full = true;
  family.stalls.slowdown_bytes_per_second = Bytes(std::uint64_t{1} << 44);  // no writer is slowed
  family.fidelity = pebble_fidelity();
  return family;
}

}  // namespace lsmlab

#include "models/policies/rocksdb/leveled.h"

#include <algorithm>

#include "models/policies/rocksdb/file_sizes.h"
#include "models/policies/rocksdb/stalls.h"
#include "models/policies/rocksdb/subcompactions.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// The cursor of the output level: a file begins there (constructor of RocksDB's Compaction).
std::optional<std::uint64_t> split_key(const RocksdbLevels& levels, const RocksdbJob& job) {
  const std::optional<std::uint64_t> cursor = levels.cursor(job.output_level);
  KeyRange keys = hull_of(job.start_files);
  if (!job.output_files.empty()) keys = hull_of(keys, hull_of(job.output_files));
  if (!cursor || *cursor <= keys.smallest || *cursor > keys.largest) return std::nullopt;
  return cursor;
}

bool is_bottommost(const RocksdbLevels& levels, const RocksdbJob& job) {
  if (job.output_level == 0) {
    if (job.start_files.back() != levels.level0().back()) return false;
    for (std::uint32_t level = 1; level < levels.level_count(); ++level) {
      if (levels.file_count(level) > 0) return false;
    }
    return true;
  }
  KeyRange keys = hull_of(job.start_files);
  if (!job.output_files.empty()) keys = hull_of(keys, hull_of(job.output_files));
  for (std::uint32_t level = job.output_level + 1; level < levels.level_count(); ++level) {
    if (!levels.overlapping(level, keys).empty()) return false;
  }
  return true;
}

}  // namespace

void RocksdbLeveledOptions::declare(OptionTable& table) {
  level.declare(table);
  table.choice<RocksdbPriority>(
      "priority", priority,
      {{"min-overlapping-ratio", RocksdbPriority::kMinOverlappingRatio},
       {"by-compensated-size", RocksdbPriority::kByCompensatedSize},
       {"oldest-largest-seq-first", RocksdbPriority::kOldestLargestSeqFirst},
       {"oldest-smallest-seq-first", RocksdbPriority::kOldestSmallestSeqFirst},
       {"round-robin", RocksdbPriority::kRoundRobin}},
      "which file of a level is merged first (RocksDB's compaction_pri); min-overlapping-ratio "
      "causes the fewest rewrites");
  table.flag("dynamic_levels", dynamic_levels,
             "RocksDB's level_compaction_dynamic_level_bytes: capacities follow the size of the "
             "largest level, and level 0 merges into the first level that is needed; less space "
             "amplification");
  table.optional_bytes("max_compaction_bytes", max_compaction_bytes, {1, std::uint64_t{1} << 62},
                       "limits the bytes of a move, of a round-robin merge, of a merge within "
                       "level 0, and of what an output file overlaps in the next deeper level; "
                       "default: 25 * file_size");
  declare_file_size_multiplier(table, file_size_multiplier);
  table.count("levels", levels, {2, kRocksdbLevelsMax}, "levels",
              "number of levels, including level 0");
  table.optional_flag("dynamic_file_size", dynamic_file_size,
                      "output files may end at file boundaries of the level below; later merges "
                      "rewrite less, and file sizes vary from half to twice file_size; default: "
                      "true from version=7.8 on, as RocksDB had it from 7.8 on");
  declare_rocksdb_version(
      table, version,
      "the version of RocksDB whose rules count, the newest one that is not newer than yours: 6.12 "
      "(and older: dynamic levels follow the size of level 0); 7.4 (from 6.13 on); 7.8 (from 7.5 "
      "on: files end at those below); 8.4 (a merge may have two parts, needless levels drain, "
      "moves grow to both sides); 8.7 (universal compaction only); 8.11 (more merges at a time, "
      "marked files come first, periodic compaction goes down); 9.0 (level 0 merges with itself "
      "while the base level is 10 times as large); 9.2 (limits how inputs grow); 9.6 (20 times as "
      "large); 9.8 and newer (fewer merges at a time in small stores). docs/fidelity.md has what "
      "is not modelled");
  declare_max_subcompactions(table, max_subcompactions);
  files.declare(table);
}

void RocksdbLeveledOptions::resolve(const StoreOptions& store) {
  level.resolve(store);
  memtable = store.buffer;
  compression = store.compression;
  if (!dynamic_file_size) dynamic_file_size = version >= RocksdbVersion::k7_8;
  if (!max_compaction_bytes) max_compaction_bytes = Bytes(level.file_size.value() * 25);
}

RocksdbLeveled::RocksdbLeveled(const RocksdbLeveledOptions& options)
    : options_(options), memtable_(options.memtable) {
  shape_.levels = static_cast<std::uint32_t>(options.levels);
  shape_.level_base = options.level.level_base->value();
  shape_.size_ratio = options.level.size_ratio;
  shape_.l0_trigger = options.level.l0_trigger;
  shape_.dynamic_levels = options.dynamic_levels;
  shape_.deletes = options.deletes;
  shape_.version = options.version;
  picking_ = {options.priority, options.level.l0_trigger, options.max_compaction_bytes->value()};
  picking_.compression = options.compression;
  picking_.version = options.version;
  picking_.size_ratio = options.level.size_ratio;
  if (options.files.mark())
    picking_.marked_files = rocksdb_orderings({options.priority, options.version}).size();
  picking_.ttl = options.files.ttl;
  picking_.periodic_age = options.files.periodic_age;
}

std::vector<FileOrdering> RocksdbLeveled::orderings() const {
  std::vector<FileOrdering> orderings = rocksdb_orderings({options_.priority, options_.version});
  for (FileOrdering& ordering : options_.files.orderings()) {
    orderings.push_back(std::move(ordering));
  }
  return orderings;
}

std::vector<LevelCapacity> RocksdbLeveled::level_capacities(const TreeView& tree) const {
  const RocksdbLevels levels(tree, shape_);
  std::vector<LevelCapacity> capacities{{shape_.l0_trigger * memtable_.value(), shape_.l0_trigger}};
  for (std::uint32_t level = 1; level < levels.level_count(); ++level) {
    const bool is_used = level >= levels.base_level();
    capacities.push_back({is_used ? levels.max_bytes(level) : 0, 1});
  }
  return capacities;
}

template <class Pick>
std::optional<Plan> RocksdbLeveled::plan_by(const TreeView& tree, const Pick& pick) const {
  const RocksdbLevels levels(tree, shape_);
  RocksdbLeveledPicker picker(levels, picking_);
  const std::optional<RocksdbJob> job = pick(picker);
  if (!job) return std::nullopt;
  return plan_of(tree, levels, *job);
}

std::optional<Plan> RocksdbLeveled::pick(const TreeView& tree) const {
  if (tree.pending_flush()) {
    return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
  }
  if (options_.disable_auto_compactions) return std::nullopt;
  return plan_by(tree, [](RocksdbLeveledPicker& picker) { return picker.pick(); });
}

std::optional<Plan> RocksdbLeveled::pick_level0(const TreeView& tree) const {
  if (options_.disable_auto_compactions) return std::nullopt;
  return plan_by(tree, [](RocksdbLeveledPicker& picker) { return picker.pick_level0(); });
}

std::optional<Plan> RocksdbLeveled::pick_manual(const TreeView& tree,
                                                const ManualCompaction& manual) const {
  return plan_by(tree, [&](RocksdbLeveledPicker& picker) { return picker.pick_manual(manual); });
}

MergeParts RocksdbLeveled::merge_parts(const TreeView& tree, const MergePlan& merge,
                                       std::uint64_t idle_threads) const {
  if (!merge.cut.file_bytes) return {};
  const RocksdbSubcompactions rules{options_.max_subcompactions, options_.version,
                                    options_.priority == RocksdbPriority::kRoundRobin};
  return rocksdb_parts(rules, tree, merge, *merge.cut.file_bytes, idle_threads);
}

Plan RocksdbLeveled::plan_of(const TreeView& tree, const RocksdbLevels& levels,
                             const RocksdbJob& job) const {
  Plan plan;
  plan.reason = job.reason;
  if (job.next_cursor) plan.cursors.push_back({job.start_level, *job.next_cursor});
  std::vector<PlanInput> inputs = levels.inputs_of(job.start_level, job.start_files);
  OutputTarget target = job.output_level == 0 ? OutputTarget{0, std::nullopt}
                                              : leveled_target(tree, job.output_level);
  // What is rewritten in level 0 keeps its place among the files there.
  const bool stays_in_place =
      job.output_level == job.start_level &&
      (job.reason == PlanReason::kPeriodic || job.reason == PlanReason::kManual);
  if (stays_in_place) target = {job.start_level, inputs.front().run};
  if (job.is_move) {
    plan.action = MovePlan{std::move(inputs), target};
    return plan;
  }
  if (!job.output_files.empty()) {
    inputs.push_back(levels.inputs_of(job.output_level, job.output_files).front());
  }
  MergePlan merge{false, std::move(inputs), target, cut_of(levels, job)};
  if (job.output_level == 0) merge.drops_tombstones = is_bottommost(levels, job);
  if (is_by_age(options_.priority)) merge.zeroes_sequences = is_bottommost(levels, job);
  plan.action = std::move(merge);
  return plan;
}

OutputCut RocksdbLeveled::cut_of(const RocksdbLevels& levels, const RocksdbJob& job) const {
  OutputCut cut;
  cut.measure = CutMeasure::kStoredBlocks;
  if (job.output_level == 0) return cut;  // a merge within level 0 writes one file
  const std::uint32_t base = options_.dynamic_levels ? levels.base_level() : 0;
  const std::uint32_t step = job.output_level < base ? job.output_level : job.output_level - base;
  cut.file_bytes = job.is_level_push ? options_.level.file_size
                                     : rocksdb_file_bytes(options_.level.file_size,
                                                          options_.file_size_multiplier, step);
  if (job.has_grandparents) {
    cut.grandparents = *options_.dynamic_file_size ? GrandparentRule::kDynamicFileSize
                                                   : GrandparentRule::kCompactionLimit;
    cut.grandparent_bytes_max = *options_.max_compaction_bytes;
  }
  if (options_.priority == RocksdbPriority::kRoundRobin) cut.split_key = split_key(levels, job);
  cut.set_apart = set_apart(levels, job);
  return cut;
}

// FillFilesToCutForTtl: old files of the output level keep to themselves, so that new data above
// and below them does not become as old.
std::vector<KeyRange> RocksdbLeveled::set_apart(const RocksdbLevels& levels,
                                                const RocksdbJob& job) const {
  std::vector<KeyRange> ranges;
  const std::optional<std::uint64_t>& ttl = options_.files.ttl;
  const bool is_due = ttl && options_.priority == RocksdbPriority::kMinOverlappingRatio;
  if (!is_due || job.output_files.empty()) return ranges;
  if (is_bottommost(levels, job)) return ranges;
  const std::uint64_t now = levels.tree().now().value();
  for (const File* file : job.output_files) {
    const bool is_old = file->oldest_ancestor.value() + *ttl / 2 < now;
    if (is_old && file->bytes.value() > options_.level.file_size.value() / 2) {
      ranges.push_back(file->keys);
    }
  }
  return ranges;
}

void add_rocksdb_leveled_stalls(PolicyFamily& family) {
  family.stalls = rocksdb_stalls();
  family.stalls.pending_slowdown_bytes = Bytes(std::uint64_t{64} << 30);
  family.stalls.pending_stop_bytes = Bytes(std::uint64_t{256} << 30);
  family.estimates_pending_bytes = true;
}

}  // namespace lsmlab

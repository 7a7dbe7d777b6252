// RocksDB's universal compaction as of 7.8.3 (db/compaction/compaction_picker_universal.cc). The
// sorted runs are the files of level 0 and each deeper level that is not empty, newest first. When
// there are l0_trigger of them, the first of these rules that applies makes a merge:
//
//  1. Space: if all runs but the oldest together hold at least max_size_amplification_percent of
//     the oldest run's bytes, all runs merge; from version 8.7 on without some of the newest ones
//     (universal_space.h).
//  2. Size ratio: starting from the newest idle run, the policy takes further runs while the taken
//     ones, enlarged by size_ratio_percent, are at least as large as the next one. (With
//     similar-size, it takes runs while adjacent ones differ by no more than that.) It merges them
//     if they are at least min_merge_width; otherwise it tries the next idle run.
//  3. Count: if more than l0_trigger runs are idle, the newest ones merge, so many that l0_trigger
//     runs remain.
//
// The count is that of max_read_amp (RocksDB 9.9.3) where that is given: a number of runs, or, with
// 0, as many as runs of growing sizes from a memtable to the largest run would be.
//
// The output goes to the last level if it contains the oldest run, otherwise to the level right
// above the next run. With allow_trivial_move, files move there without a merge if no two of them,
// and no two of level 0, share a key; within level 0 they never do. With incremental, rule 1 merges
// only a part of the second last run into the last one (universal_piece.h), if that run is no file
// of level 0 and the part does not rewrite far more than a merge of all would; files of the upper
// levels end at those of the next run. Before all rules, periodic compaction merges all runs, up to
// one that is busy, when a file was written too long ago; ages count operations, not seconds. With
// compression_size_percent, only some outputs are compressed (universal_runs.h). Not modelled:
// marked compaction, tiered storage.
//
// A merge drops a tombstone only if nothing older lies below its range
// (Compaction::KeyNotExistsBeyondOutputLevel, IsBottommostLevel).
#include <algorithm>
#include <limits>

#include "models/policies/policy.h"
#include "models/policies/rocksdb/file_sizes.h"
#include "models/policies/rocksdb/levels.h"
#include "models/policies/rocksdb/stalls.h"
#include "models/policies/rocksdb/subcompactions.h"
#include "models/policies/rocksdb/universal_piece.h"
#include "models/policies/rocksdb/universal_runs.h"
#include "models/policies/rocksdb/universal_space.h"
#include "models/theory/delete_aware_costs.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

enum class StopStyle { kTotalSize, kSimilarSize };

struct RocksdbUniversalOptions {
  std::uint64_t l0_trigger = 4;
  std::uint64_t size_ratio_percent = 1;
  std::uint64_t min_merge_width = 2;
  std::optional<std::uint64_t> max_merge_width;
  std::uint64_t max_size_amplification_percent = 200;
  std::uint64_t level0_stop_runs = 36;
  StopStyle stop_style = StopStyle::kTotalSize;
  std::optional<std::uint64_t> max_read_amp;  // 0: RocksDB's own estimate
  bool allow_trivial_move = false;
  bool incremental = false;
  std::optional<std::uint64_t> compression_size_percent;
  std::optional<Bytes> max_compaction_bytes;
  std::optional<std::uint64_t> periodic_age;  // operations
  std::optional<Bytes> file_size;
  std::uint64_t file_size_multiplier = 1;
  std::uint64_t levels = 7;
  std::uint64_t max_subcompactions = 1;
  RocksdbVersion version = RocksdbVersion::k7_8;
  bool disable_auto_compactions = false;
  Bytes memtable;  // the store's

  void declare(OptionTable& table) {
    table.count("l0_trigger", l0_trigger, {1, 1024}, "runs",
                "number of sorted runs at which merges begin; more: fewer rewrites, but more "
                "sorted runs for a read to visit");
    table.count("size_ratio_percent", size_ratio_percent, {0, 1'000'000}, "%",
                "a merge also takes the next run if that is at most this much larger than the "
                "runs taken so far; more: merges of more runs");
    table.count("min_merge_width", min_merge_width, {2, 1024}, "runs",
                "smallest number of sorted runs in a merge by size ratio or count");
    table.optional_count("max_merge_width", max_merge_width, {2, 1024}, "runs",
                         "largest number of sorted runs in a merge by size ratio or count; "
                         "default: unlimited");
    table.count("max_size_amplification_percent", max_size_amplification_percent, {0, 1'000'000},
                "%",
                "all runs merge when the bytes of the newer runs reach this share of the oldest "
                "run's bytes; less: less space, more rewrites");
    table.count("level0_stop_runs", level0_stop_runs, {1, 1'000'000}, "runs",
                "RocksDB's level0_stop_writes_trigger as the merge for space knows it from "
                "version=8.7 on: near it more of the newest files stay out of that merge. --stalls "
                "decides when writers wait");
    table.choice<StopStyle>(
        "stop_style", stop_style,
        {{"total-size", StopStyle::kTotalSize}, {"similar-size", StopStyle::kSimilarSize}},
        "total-size: compares the next run with all runs taken so far; similar-size: with the "
        "last one taken");
    table.optional_count(
        "max_read_amp", max_read_amp, {0, 1024}, "runs",
        "sorted runs that may stay when no merge by size ratio is due: more are merged by count; "
        "0: as many as the largest run's size makes likely; l0_trigger still begins merges; "
        "default: l0_trigger");
    table.flag("allow_trivial_move", allow_trivial_move,
               "files that share no keys move to a deeper level without a merge, which saves "
               "rewrites of keys that arrive in order");
    table.flag("incremental", incremental,
               "the merge for space takes the part of the second last sorted run that costs least, "
               "up to half of max_compaction_bytes, in place of all runs: smaller merges and less "
               "space for their outputs");
    table.optional_count(
        "compression_size_percent", compression_size_percent, {0, 1'000'000}, "%",
        "flushes are uncompressed, and so are merges by size ratio or count whose older runs hold "
        "at least this share of all bytes; less: less compression work, but larger new runs; "
        "default: compression decides alone");
    table.optional_bytes(
        "max_compaction_bytes", max_compaction_bytes, {1, std::uint64_t{1} << 62},
        "with incremental: twice the size at which such a part ends; default: 25 * "
        "file_size");
    table.optional_count("periodic_age", periodic_age, {1, std::uint64_t{1} << 62}, "operations",
                         "RocksDB's periodic compaction: all sorted runs merge when a file was "
                         "written more than this many operations ago, which drops tombstones; "
                         "lower: more rewrites; default: none");
    table.optional_bytes("file_size", file_size, {1, std::uint64_t{1} << 40},
                         "data block bytes at which a file below level 0 ends; default: 8 MiB");
    declare_file_size_multiplier(table, file_size_multiplier);
    table.count("levels", levels, {1, kRocksdbLevelsMax}, "levels",
                "number of levels, including level 0; 1: every sorted run is one file in level 0");
    declare_max_subcompactions(table, max_subcompactions);
    declare_rocksdb_version(
        table, version,
        "the version of RocksDB whose rules count: 6.12 and 7.4 up to 7.5 and 7.8 up to 8.3 (which "
        "merges are divided among threads); 8.4 up to 8.6; 8.7 and newer (the merge for space "
        "leaves out small new files, and merges what is idle). All other rules are those of 7.8");
    declare_disable_auto_compactions(table, disable_auto_compactions);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults;
    if (max_merge_width && *max_merge_width < min_merge_width) {
      faults.push_back("max_merge_width must be at least min_merge_width");
    }
    if (max_read_amp && *max_read_amp > 0 && *max_read_amp < l0_trigger) {
      faults.push_back("max_read_amp must be 0 or at least l0_trigger");
    }
    if (levels == 1 && file_size_multiplier != 1) {
      faults.push_back("file_size_multiplier does not apply with levels=1");
    }
    if (levels == 1 && max_subcompactions > 1) {
      faults.push_back("max_subcompactions does not apply with levels=1");
    }
    if (levels == 1 && incremental) {
      faults.push_back("incremental does not apply with levels=1");
    }
    if (max_compaction_bytes && !incremental) {
      faults.push_back("max_compaction_bytes needs incremental=true");
    }
    if (levels == 1 && file_size) {
      faults.push_back("file_size does not apply with levels=1: files of level 0 are not cut");
    }
    return faults;
  }
  void resolve(const StoreOptions& store) {
    memtable = store.buffer;
    if (levels > 1 && !file_size) file_size = Bytes(std::uint64_t{8} << 20);
    if (incremental && !max_compaction_bytes) {
      max_compaction_bytes = Bytes(file_size->value() * 25);
    }
  }
};

using Window = UniversalWindow;

class RocksdbUniversal final : public Policy {
 public:
  explicit RocksdbUniversal(const RocksdbUniversalOptions& options) : options_(options) {}

  [[nodiscard]] bool flush_takes_all_waiting() const override { return true; }
  // Without moves and parts of runs, only the sizes of runs matter.
  [[nodiscard]] PolicyNeeds needs() const override {
    const bool takes_files = options_.allow_trivial_move || options_.incremental;
    return takes_files ? PolicyNeeds::kKeys : PolicyNeeds::kSizes;
  }
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const override {
    std::vector<std::string> names;
    if (options_.allow_trivial_move) names.emplace_back("allow_trivial_move=true");
    if (options_.incremental) names.emplace_back("incremental=true");
    return names;
  }

  // Each deeper level that is not empty counts like one file of level 0 (l0_delay_trigger_count).
  [[nodiscard]] std::uint64_t stalling_runs(const TreeView& tree) const override {
    return options_.disable_auto_compactions ? 0 : tree.run_count();
  }

  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return options_.l0_trigger;
  }

  [[nodiscard]] std::uint64_t merge_parts_max() const override {
    return options_.max_subcompactions;
  }
  [[nodiscard]] MergeParts merge_parts(const TreeView& tree, const MergePlan& merge,
                                       std::uint64_t idle_threads) const override {
    const auto file_bytes = file_bytes_of(merge.target.level);
    if (!file_bytes) return {};
    const RocksdbSubcompactions rules{options_.max_subcompactions, options_.version, false, true};
    return rocksdb_parts(rules, tree, merge, *file_bytes, idle_threads);
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    if (options_.disable_auto_compactions) return std::nullopt;
    const std::vector<UniversalRun> runs = universal_runs(tree);
    const std::uint64_t idle_runs = static_cast<std::uint64_t>(
        std::count_if(runs.begin(), runs.end(), [](const UniversalRun& run) { return !run.busy; }));
    if (const auto window = pick_for_age(tree, runs)) {
      return plan_of(tree, runs, *window, PlanReason::kPeriodic);
    }
    // RocksDB's NeedsCompaction: the score of level 0 counts idle runs.
    if (runs.empty() || idle_runs < options_.l0_trigger) return std::nullopt;
    if (const auto window = pick_for_space(runs)) {
      if (std::optional<Plan> plan = plan_of_piece(tree, runs, *window)) return plan;
      return plan_of(tree, runs, *window, PlanReason::kSpaceAmplification);
    }
    if (const auto window =
            pick_by_size(runs, static_cast<double>(options_.size_ratio_percent), kUnlimited)) {
      return plan_of(tree, runs, *window, PlanReason::kSizeRatio);
    }
    const std::uint64_t runs_max = runs_that_may_stay(runs);
    if (idle_runs <= runs_max) return std::nullopt;
    const std::uint64_t width = idle_runs - runs_max + 1;
    if (const auto window = pick_by_size(runs, kAnyRatio, width)) {
      return plan_of(tree, runs, *window, PlanReason::kSortedRunCount);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool compresses(const TreeView& tree, const Plan& plan) const override {
    const auto& percent = options_.compression_size_percent;
    return !percent || universal_compresses(tree, plan, *percent);
  }

  [[nodiscard]] bool compacts(ManualScope /*scope*/) const override { return true; }

  // CompactRange of all keys: all runs merge into the last level, also a single one.
  [[nodiscard]] std::optional<Plan> pick_manual(const TreeView& tree,
                                                const ManualCompaction& manual) const override {
    const std::vector<UniversalRun> runs = universal_runs(tree);
    if (!flushes_first(manual.scope)) return plan_of_push(tree, runs, manual);
    const bool is_done = std::all_of(runs.begin(), runs.end(), [&](const UniversalRun& run) {
      return run.run->files.front().id >= manual.first_new;
    });
    const bool is_busy =
        std::any_of(runs.begin(), runs.end(), [](const UniversalRun& run) { return run.busy; });
    if (is_done || is_busy) return std::nullopt;
    return plan_of(tree, runs, {0, runs.size()}, PlanReason::kManual);
  }

 private:
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint32_t>::max();
  static constexpr double kAnyRatio = 4294967295.0;  // RocksDB's UINT_MAX

  // RocksDB: PickPeriodicCompaction, ComputeFilesMarkedForPeriodicCompaction.
  [[nodiscard]] std::optional<Window> pick_for_age(const TreeView& tree,
                                                   const std::vector<UniversalRun>& runs) const {
    if (!options_.periodic_age || tree.now().value() <= *options_.periodic_age) return std::nullopt;
    const std::uint64_t limit = tree.now().value() - *options_.periodic_age;
    const auto is_due = [&](const UniversalRun& run) {
      return !run.busy && run.run->files.sums().first_created.value < limit;
    };
    if (std::none_of(runs.begin(), runs.end(), is_due)) return std::nullopt;
    std::size_t first = runs.size();
    while (first > 0 && !runs[first - 1].busy) --first;
    if (first == runs.size()) return std::nullopt;
    if (first + 1 == runs.size() && !is_due(runs.back())) return std::nullopt;
    return Window{first, runs.size()};
  }

  // RocksDB 9.9.3: GetMaxNumFilesToCompactBasedOnMaxReadAmp.
  [[nodiscard]] std::uint64_t runs_that_may_stay(const std::vector<UniversalRun>& runs) const {
    if (!options_.max_read_amp) return options_.l0_trigger;
    if (*options_.max_read_amp > 0) return *options_.max_read_amp;
    if (options_.stop_style == StopStyle::kSimilarSize) return options_.l0_trigger;
    std::uint64_t largest = 0;
    for (const UniversalRun& run : runs) largest = std::max(largest, run.bytes);
    const double growth = (100.0 + static_cast<double>(options_.size_ratio_percent)) / 100.0;
    std::uint64_t count = 1;
    double bytes = static_cast<double>(options_.memtable.value());
    double sum = 0;
    while (bytes < static_cast<double>(largest)) {
      sum += bytes;
      bytes = growth * sum;
      ++count;
    }
    return count;
  }

  [[nodiscard]] std::optional<Window> pick_for_space(const std::vector<UniversalRun>& runs) const {
    return universal_window_for_space(
        runs, {options_.max_size_amplification_percent, options_.min_merge_width,
               options_.max_merge_width.value_or(kUnlimited),
               std::max(options_.level0_stop_runs, options_.l0_trigger), options_.version});
  }

  // RocksDB: PickIncrementalForReduceSizeAmp.
  [[nodiscard]] std::optional<Plan> plan_of_piece(const TreeView& tree,
                                                  const std::vector<UniversalRun>& runs,
                                                  const Window& window) const {
    if (!options_.incremental) return std::nullopt;
    std::uint64_t newer_bytes = 0;
    for (std::size_t i = window.first; i + 1 < runs.size(); ++i) {
      newer_bytes += runs[i].compensated_bytes;
    }
    std::vector<PieceRun> levels;
    for (std::size_t i = window.first; i < runs.size(); ++i) {
      if (runs[i].level > 0) levels.push_back({runs[i].level, runs[i].run});
    }
    const double fanout_max =
        static_cast<double>(runs.back().bytes) / static_cast<double>(newer_bytes) * 1.8;
    std::vector<PlanInput> inputs =
        universal_piece(levels, fanout_max, options_.max_compaction_bytes->value() / 2);
    if (inputs.empty()) return std::nullopt;
    MergePlan merge;
    merge.inputs = std::move(inputs);
    merge.target = leveled_target(tree, runs.back().level);
    merge.cut.measure = CutMeasure::kStoredBlocks;
    merge.cut.file_bytes = file_bytes_of(runs.back().level);
    return Plan{PlanReason::kSpaceAmplification, std::move(merge), {}};
  }

  // RocksDB: PickCompactionToReduceSortedRuns. Takes the newest idle runs in a row whose sizes
  // match.
  [[nodiscard]] std::optional<Window> pick_by_size(const std::vector<UniversalRun>& runs,
                                                   double ratio_percent,
                                                   std::uint64_t width_max) const {
    if (options_.max_merge_width) width_max = std::min(width_max, *options_.max_merge_width);
    for (std::size_t first = 0; first < runs.size(); ++first) {
      if (runs[first].busy) continue;
      const std::size_t end = end_of_window(runs, first, ratio_percent, width_max);
      if (end - first >= options_.min_merge_width) return Window{first, end};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t end_of_window(const std::vector<UniversalRun>& runs, std::size_t first,
                                          double ratio_percent, std::uint64_t width_max) const {
    std::uint64_t candidate_bytes = runs[first].compensated_bytes;
    std::size_t end = first + 1;
    for (; end < runs.size() && end - first < width_max && !runs[end].busy; ++end) {
      const double next_bytes = static_cast<double>(runs[end].bytes);
      const double candidate = static_cast<double>(candidate_bytes);
      if (candidate * (100.0 + ratio_percent) / 100.0 < next_bytes) break;
      if (options_.stop_style == StopStyle::kTotalSize) {
        candidate_bytes += runs[end].compensated_bytes;
        continue;
      }
      if (next_bytes * (100.0 + ratio_percent) / 100.0 < candidate) break;
      candidate_bytes = runs[end].compensated_bytes;
    }
    return end;
  }

  [[nodiscard]] std::uint32_t output_level(const std::vector<UniversalRun>& runs,
                                           const Window& window) const {
    if (window.end == runs.size()) return static_cast<std::uint32_t>(options_.levels - 1);
    const std::uint32_t next = runs[window.end].level;
    return next == 0 ? 0 : next - 1;
  }

  // RocksDB: IsInputFilesNonOverlapping, Compaction::IsTrivialMove. Files of the output level stay.
  [[nodiscard]] bool can_move(const TreeView& tree, const std::vector<UniversalRun>& runs,
                              const Window& window, std::uint32_t level) const {
    const std::uint32_t start_level = runs[window.first].level;
    if (!options_.allow_trivial_move || level == 0 || level == start_level) return false;
    if (start_level == 0 && !are_disjoint(level0_files(tree))) return false;
    FileList files;
    for (std::size_t i = window.first; i < window.end; ++i) {
      for (const File& file : runs[i].run->files) files.push_back(&file);
    }
    return are_disjoint(std::move(files));
  }

  [[nodiscard]] std::optional<Bytes> file_bytes_of(std::uint32_t level) const {
    if (level == 0) return std::nullopt;
    return rocksdb_file_bytes(*options_.file_size, options_.file_size_multiplier, level);
  }

  [[nodiscard]] Plan plan_of(const TreeView& tree, const std::vector<UniversalRun>& runs,
                             const Window& window, PlanReason reason) const {
    const std::uint32_t level = output_level(runs, window);
    const OutputTarget target =
        level == 0 ? OutputTarget{0, std::nullopt} : leveled_target(tree, level);
    const bool may_move = reason != PlanReason::kPeriodic && reason != PlanReason::kManual;
    if (may_move && can_move(tree, runs, window, level)) {
      MovePlan move{{}, target};
      for (std::size_t i = window.first; i < window.end; ++i) {
        if (runs[i].level == level) continue;
        move.inputs.push_back(input_of(runs[i].level, *runs[i].run, runs[i].run->files));
      }
      return Plan{reason, std::move(move), {}};
    }
    MergePlan merge;
    KeyRange keys = range_of(runs[window.first].run->files);
    for (std::size_t i = window.first; i < window.end; ++i) {
      keys = hull_of(keys, range_of(runs[i].run->files));
      merge.inputs.push_back(input_of(runs[i].level, *runs[i].run, runs[i].run->files));
    }
    merge.target = target;
    // RocksDB's MaxFileSizeForLevel: files of level 0 are not cut.
    merge.cut.measure = CutMeasure::kStoredBlocks;
    merge.cut.file_bytes = file_bytes_of(level);
    const bool has_grandparents =
        options_.incremental && level > 0 && window.end < runs.size() && runs[window.end].level > 1;
    if (has_grandparents) {
      // GetMaxOverlappingBytes; with grandparents, files may be twice as large.
      merge.cut.grandparents = GrandparentRule::kCompactionLimit;
      merge.cut.grandparent_bytes_max = Bytes(options_.file_size->value() / 2 * 3);
      merge.cut.file_bytes = Bytes(2 * merge.cut.file_bytes->value());
    }
    merge.drops_tombstones =
        std::none_of(runs.begin() + static_cast<std::ptrdiff_t>(window.end), runs.end(),
                     [&](const UniversalRun& older) {
                       // If the output is in level 0, RocksDB ignores the keys of older data.
                       return level == 0 || !overlapping_files(*older.run, keys).empty();
                     });
    return Plan{reason, std::move(merge), {}};
  }

  // CompactFiles of one level, as db_bench's compact0 and compact1 ask for it. Outputs end at
  // file_size in any level.
  [[nodiscard]] std::optional<Plan> plan_of_push(const TreeView& tree,
                                                 const std::vector<UniversalRun>& runs,
                                                 const ManualCompaction& manual) const {
    std::optional<LevelPush> push = universal_push(runs, manual);
    if (!push) return std::nullopt;
    MergePlan merge;
    merge.inputs = std::move(push->inputs);
    merge.target = leveled_target(tree, push->output_level);
    merge.cut.measure = CutMeasure::kStoredBlocks;
    merge.cut.file_bytes = options_.file_size;
    merge.drops_tombstones = push->is_bottommost;
    return Plan{PlanReason::kManual, std::move(merge), {}};
  }

  RocksdbUniversalOptions options_;
};

std::vector<RuleFidelity> rocksdb_universal_fidelity() {
  const char* const kPicker = "db/compaction/compaction_picker_universal.cc, RocksDB 7.8.3";
  return {
      {"sorted runs, and the order of the rules", Fidelity::kExact, kPicker},
      {"size ratio, number of runs, space amplification, stop style", Fidelity::kExact, kPicker},
      {"the merge for space, up to 8.6 and from 8.7 on", Fidelity::kExact,
       "db/compaction/compaction_picker_universal.cc, RocksDB 7.8.3 and 8.7.3 (PR 11749)"},
      {"max_read_amp and the trigger that follows from it", Fidelity::kExact,
       "db/compaction/compaction_picker_universal.cc, RocksDB 9.9.3"},
      {"moves without rewriting", Fidelity::kExact, kPicker},
      {"compression_size_percent", Fidelity::kExact, kPicker},
      {"incremental", Fidelity::kSimplified, kPicker,
       "does not take files that overlap the part outside of it"},
      {"periodic compaction", Fidelity::kSimplified, kPicker, "ages count operations, not seconds"},
      rocksdb_flush_fidelity(),
      rocksdb_arena_fidelity(),
      rocksdb_subcompactions_fidelity(),
      {"delete-marked files, several paths", Fidelity::kNotModelled, kPicker,
       "a store has one path"},
      {"merges after many reads, marked files of range deletes alone", Fidelity::kNotModelled,
       "db/compaction/compaction_picker_universal.cc, RocksDB 11.8.1",
       "reads change no plan here, and no workload has range deletes"},
  };
}

}  // namespace

PolicyFamily rocksdb_universal_family() {
  PolicyFamily family = make_family<RocksdbUniversalOptions, RocksdbUniversal>(
      "rocksdb-universal",
      "RocksDB's universal compaction: merges adjacent sorted runs of similar sizes",
      "RocksDB 7.8.3, db/compaction/compaction_picker_universal.cc");
  family.stalls = rocksdb_stalls();
  family.settle_store = settle_rocksdb_arena;
  family.cost_model = delete_aware_tiered_model;
  family.foreign = ForeignCompaction::kRocksdbUniversal;
  family.file_options = {"file_size", "file_size_multiplier"};
  family.sizes_suffice_with = "incremental=false,allow_trivial_move=false";
  family.fidelity = rocksdb_universal_fidelity();
  return family;
}

}  // namespace lsmlab

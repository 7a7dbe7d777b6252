// X-Engine (storage/xengine/core of polardbx-engine; newer than Huang et al., SIGMOD 2019). Level 0
// has layers, levels 1 and 2 are one sorted run each; all are cut into extents of 2 MiB, the files
// here.
//
//  - A flush becomes a layer of level 0. If level 0 is empty, nothing merges and no priority is as
//    much as 2, a memtable above flush_level1_size merges with level 1 at once; so does one with
//    many deletes.
//  - Tasks have priorities, and the highest above 1 runs. L0, L1, L2: extents of a level.
//      intra   layers / level0_layer_num_compaction_trigger, plus the layers above 200:
//              the 16 oldest layers become one
//      minor   L0 / level0_file_num_compaction_trigger, plus the extents above 1000:
//              the 15 oldest layers merge into level 1
//      major   L1 / trigger - L2 / L1 / 10, plus the extents above 5000: level 1 from the
//              extent at 40% on (at most the trigger-th) merges into level 2
//    Intra and minor tasks need as many extents in level 0 as the layers' trigger.
//  - After a layer with many deletes minor tasks have 200 until it is gone, and then extents of
//    level 1 with compaction_delete_percent of deletes merge into level 2, with 2000.
//  - Every auto_task_interval there are tasks within a level. If the extents of level 1 or 2 use
//    less than level2_usage_percent of their 2 MiB, the fifth of them in a row that uses least is
//    rewritten, with (level2_usage_percent + 10 - usage) / 10, plus 50 - usage. Extents of level 2
//    that have deletes are rewritten, with 1 and a 100th of their number.
//  - Reuse: in intra and minor tasks an extent that overlaps no other input stays as it is, in its
//    new place. In a major task it is rewritten, and with it all of level 2 between its ends; but
//    not if at most 16 extents leave level 1, or more than compaction_task_extents_limit overlap in
//    one piece: then it stays unless it has compaction_delete_percent of deletes.
//
// X-Engine does a task in one step. Here extents that stay as they are move in a plan of their own,
// at once after the merge. What is remembered in between: the cursor of level 0 is twice the newest
// flush of the layers taken, plus 1 in an intra task; the cursor of level 1 is twice (1 + the
// number of extents that stay in level 1), plus 1 if extents with deletes are to leave it; the
// cursor of level 2 is the number of writes when a task was last picked after the interval.
#include <algorithm>
#include <optional>
#include <vector>

#include "models/policies/policy.h"
#include "models/policies/unlimited_runs.h"
#include "models/policies/xengine/extents.h"
#include "models/policies/xengine/tasks.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kXIntraLayers = 16;  // ReuseBlockMergeIterator::MAX_CHILD_NUM
constexpr std::uint64_t kXMinorLayers = kXIntraLayers - 1;

std::uint64_t cursor_of(const TreeView& tree, std::uint32_t level) {
  return level < tree.levels().size() ? tree.levels()[level].cursor.value_or(0) : 0;
}
bool deletes_are_to_leave(const TreeView& tree) { return cursor_of(tree, 1) % 2 == 1; }

// About the writes so far, as the first and last extent of the newest run know them.
std::uint64_t newest_write(const TreeView& tree) {
  for (const Level& level : tree.levels()) {
    if (level.runs.empty()) continue;
    const RunFiles& files = level.runs.front().files;
    return std::max(files.front().sequences.last, files.back().sequences.last);
  }
  return 0;
}

class XEngine final : public Policy {
 public:
  explicit XEngine(const XEngineOptions& options) : options_(options), tasks_(options) {}

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    const bool is_busy = std::any_of(tree.levels().begin(), tree.levels().end(),
                                     [](const Level& l) { return l.sums.busy_files > 0; });
    if (tree.pending_flush()) return flush(tree, is_busy);
    if (is_busy) return std::nullopt;
    if (std::optional<Plan> rest = move_rest(tree)) return rest;
    const std::uint64_t writes = newest_write(tree);
    const bool is_due = writes > Uint128{cursor_of(tree, 2)} + options_.auto_task_interval;
    const std::optional<XTask> task = tasks_.next(tree, deletes_are_to_leave(tree), is_due);
    if (!task) return std::nullopt;
    std::optional<Plan> plan = plan_of(tree, *task);
    if (plan && is_due) plan->cursors.push_back({2, writes});
    return plan;
  }

 private:
  [[nodiscard]] std::optional<Plan> plan_of(const TreeView& tree, XTask task) const {
    switch (task) {
      case XTask::kIntra:
        return merge_layers(tree, kXIntraLayers, 0);
      case XTask::kMinor:
        return merge_layers(tree, kXMinorLayers, 1);
      case XTask::kMajor:
        return merge_level1(tree, false);
      case XTask::kDeleteMajor:
        return merge_level1(tree, true);
      case XTask::kPack1:
        return pack(tree, 1);
      case XTask::kPack2:
        return pack(tree, 2);
      case XTask::kPurge2:
        return purge(tree);
    }
    return std::nullopt;
  }

  // ColumnFamilyData::need_flush.
  [[nodiscard]] Plan flush(const TreeView& tree, bool is_busy) const {
    const PendingFlush& memtable = *tree.pending_flush();
    const bool has_deletes =
        tasks_.are_many_deletes(memtable.tombstones.value(), memtable.entries.value());
    const bool is_large = memtable.bytes > options_.flush_level1_size && tasks_.is_normal(tree);
    const bool goes_down =
        (has_deletes || is_large) && !is_busy && extents_of(tree, 0) == 0 && !move_rest(tree);
    OutputCut cut = extent_cut(options_.file_size);
    if (!goes_down) {
      return {PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}, std::move(cut)}, {}};
    }
    std::vector<CursorUpdate> cursors;
    if (has_deletes) cursors.push_back({1, cursor_of(tree, 1) | 1});
    const OutputTarget target = leveled_target(tree, 1);
    const SortedRun* const level1 = newest_run(tree, 1);
    const FileSpan met = level1 == nullptr ? FileSpan() : overlapping_files(*level1, memtable.keys);
    if (met.empty()) {
      return {PlanReason::kMemtableFull, FlushPlan{target, std::move(cut)}, std::move(cursors)};
    }
    MergePlan merge;
    merge.takes_memtable = true;
    merge.inputs.push_back(input_of(1, *level1, met));
    merge.target = target;
    merge.cut = std::move(cut);
    merge.drops_tombstones = false;
    return {PlanReason::kMemtableFull, std::move(merge), std::move(cursors)};
  }

  // What a task took but left as it is, and its new place.
  [[nodiscard]] static std::optional<Plan> move_rest(const TreeView& tree) {
    const std::uint64_t newest = cursor_of(tree, 0) / 2;
    const bool stays = cursor_of(tree, 0) % 2 == 1;
    const std::vector<SortedRun>& layers = layers_of(tree);
    const auto first = std::find_if(layers.begin(), layers.end(), [&](const SortedRun& layer) {
      return layer.flushes.last <= newest;
    });
    const auto last = stays && first != layers.end() ? layers.end() - 1 : layers.end();
    if (first != last) {
      MovePlan move;
      for (auto layer = first; layer != last; ++layer) {
        move.inputs.push_back(input_of(0, *layer, layer->files));
      }
      move.target = stays ? OutputTarget{0, last->id} : leveled_target(tree, 1);
      return Plan{PlanReason::kSortedRunCount, std::move(move), {}};
    }
    const std::uint64_t kept = cursor_of(tree, 1) / 2;
    const SortedRun* const level1 = newest_run(tree, 1);
    if (kept == 0 || level1 == nullptr || level1->files.size() < kept) return std::nullopt;
    MovePlan move;
    move.inputs.push_back(
        input_of(1, *level1, FileSpan(level1->files, kept - 1, level1->files.size())));
    move.target = leveled_target(tree, 2);
    return Plan{PlanReason::kLevelSaturated, std::move(move), {{1, cursor_of(tree, 1) % 2}}};
  }

  // CompactionJob::prepare_minor_task: the oldest layers, into level 1 with what they overlap there
  // or into a layer of their own.
  [[nodiscard]] Plan merge_layers(const TreeView& tree, std::uint64_t most,
                                  std::uint32_t target) const {
    const std::vector<SortedRun>& layers = layers_of(tree);
    const std::size_t newest = layers.size() - std::min<std::size_t>(most, layers.size());
    XExtents extents;
    for (std::size_t run = newest; run < layers.size(); ++run) {
      for (const File& file : layers[run].files) extents.push_back({&file, 0, run});
    }
    if (target == 1) add_overlapped(tree, 1, extents, extents);
    const SortedRun* const lower = target == 1 ? newest_run(tree, 1) : nullptr;
    ExtentRewrite rewrite(extents, options_.compaction_task_extents_limit);
    bool has_rest = false;
    bool is_apart = false;
    std::optional<std::uint64_t> reached;
    const std::vector<XBatch> batches = batches_of(extents);
    for (const XBatch& batch : batches) {
      if (batch.size() == 1) {
        has_rest = is_apart = true;
        continue;
      }
      is_apart = is_apart || (reached && lies_between(lower, *reached, batch.keys.smallest));
      rewrite.take(batch, is_apart);
      reached = batch.keys.largest;
      is_apart = false;
    }
    std::vector<CursorUpdate> cursors;
    const bool deletes_follow = target == 1 && tasks_.has_many_deletes(tree);
    if (deletes_follow) cursors.push_back({1, cursor_of(tree, 1) | 1});
    const std::uint64_t mark = layers[newest].flushes.last * 2 + (target == 0 ? 1 : 0);
    if (rewrite.empty()) {
      MovePlan move;
      const std::size_t last = layers.size() - (target == 0 ? 1 : 0);
      for (std::size_t run = newest; run < last; ++run) {
        move.inputs.push_back(input_of(0, layers[run], layers[run].files));
      }
      move.target = target == 0 ? OutputTarget{0, layers.back().id} : leveled_target(tree, 1);
      return {PlanReason::kSortedRunCount, std::move(move), std::move(cursors)};
    }
    MergePlan merge = rewrite.plan(tree, options_.file_size);
    merge.target = target == 0 ? OutputTarget{0, std::nullopt} : leveled_target(tree, 1);
    merge.drops_tombstones = false;
    if (has_rest) cursors.push_back({0, mark});
    return {PlanReason::kSortedRunCount, std::move(merge), std::move(cursors)};
  }

  // CompactionJob::prepare_major_task.
  [[nodiscard]] Plan merge_level1(const TreeView& tree, bool is_delete) const {
    const SortedRun& level1 = *newest_run(tree, 1);
    const std::uint64_t position = is_delete ? 0 : tasks_.pick_position(tree);
    const std::size_t first = position > 0 ? position - 1 : 0;
    XExtents upper;
    for (std::size_t i = first; i < level1.files.size(); ++i) {
      const File& file = level1.files[i];
      const bool is_skipped =
          is_delete && i > first && delete_percent(file) < options_.compaction_delete_percent;
      if (!is_skipped) upper.push_back({&file, 1, 0});
    }
    const KeyRange wide{level1.files[first].keys.smallest, level1.files.back().keys.largest};
    const bool is_small = level1.files.size() - position <= 16;
    XExtents extents;
    const bool reuses = gather_for_level2(tree, upper, wide, is_small, extents);
    const SortedRun* const level2 = newest_run(tree, 2);
    const std::vector<XBatch> batches = batches_of(extents);
    ExtentRewrite rewrite(extents, options_.compaction_task_extents_limit);
    bool has_rest = false;
    bool is_apart = false;
    std::optional<std::uint64_t> reached;
    for (const XBatch& batch : batches) {
      const XExtent& one = extents[batch.first];
      const bool stays = reuses && batch.size() == 1 && !(is_delete && one.level == 1) &&
                         delete_percent(*one.file) < options_.compaction_delete_percent;
      if (stays) {
        is_apart = true;
        has_rest = has_rest || one.level == 1;
        continue;
      }
      is_apart =
          is_apart || (reached && reuses && lies_between(level2, *reached, batch.keys.smallest));
      rewrite.take(batch, is_apart);
      reached = batch.keys.largest;
      is_apart = false;
    }
    const std::uint64_t flag = !is_delete && deletes_are_to_leave(tree) ? 1 : 0;
    if (rewrite.empty()) {
      MovePlan move;
      move.inputs.push_back(
          input_of(1, level1, FileSpan(level1.files, first, level1.files.size())));
      move.target = leveled_target(tree, 2);
      return {PlanReason::kLevelSaturated, std::move(move), {}};
    }
    MergePlan merge = rewrite.plan(tree, options_.file_size);
    merge.target = leveled_target(tree, 2);
    return {is_delete ? PlanReason::kTombstoneDensity : PlanReason::kLevelSaturated,
            std::move(merge),
            {{1, (has_rest ? (first + 1) * 2 : 0) + flag}}};
  }

  // The extents that a major task may rewrite: those of level 1, and of level 2 within `wide` the
  // overlapped ones and, if it reuses extents, those with many deletes, else all. Returns whether
  // it reuses extents.
  bool gather_for_level2(const TreeView& tree, const XExtents& upper, const KeyRange& wide,
                         bool is_small, XExtents& extents) const {
    extents = upper;
    const std::vector<std::size_t> met = add_overlapped(tree, 2, upper, extents);
    const std::vector<XBatch> batches = batches_of(extents);
    const bool reuses =
        is_small || std::any_of(batches.begin(), batches.end(), [&](const XBatch& batch) {
          return batch.size() > options_.compaction_task_extents_limit;
        });
    const SortedRun* const level2 = newest_run(tree, 2);
    if (level2 == nullptr) return reuses;
    const FileSpan within = overlapping_files(*level2, wide);
    const std::size_t end = within.first_index() + within.size();
    const auto may_be_taken = [&](const RunSums& sums) { return !reuses || sums.tombstones > 0; };
    std::size_t i = level2->files.find_first(within.first_index(), may_be_taken);
    for (; i < end; i = level2->files.find_first(i + 1, may_be_taken)) {
      const File& file = level2->files[i];
      const bool is_taken = !reuses || delete_percent(file) >= options_.compaction_delete_percent;
      if (is_taken && !std::binary_search(met.begin(), met.end(), i)) {
        extents.push_back({&file, 2, 0});
      }
    }
    return reuses;
  }

  // CompactionJob::pick_extents: the first window of those whose usage, in whole percent, is least.
  [[nodiscard]] Plan pack(const TreeView& tree, std::uint32_t level) const {
    const SortedRun& run = *newest_run(tree, level);
    const std::size_t count = run.files.size();
    const std::size_t window = std::min<std::size_t>(count / 5 + 1, 50'000);
    std::uint64_t bytes = run.files.sums(0, window).bytes;
    std::uint64_t least = tasks_.usage_percent(bytes, window);
    std::size_t first = 0;
    auto leaving = run.files.begin();
    auto coming = leaving + static_cast<std::ptrdiff_t>(window);
    for (std::size_t i = 1; i + window <= count; ++i, ++leaving, ++coming) {
      bytes = bytes - leaving->bytes.value() + coming->bytes.value();
      const std::uint64_t used = tasks_.usage_percent(bytes, window);
      if (used >= least) continue;
      least = used;
      first = i;
    }
    MergePlan merge;
    merge.inputs.push_back(input_of(level, run, FileSpan(run.files, first, first + window)));
    merge.target = leveled_target(tree, level);
    merge.cut = extent_cut(options_.file_size);
    merge.drops_tombstones = level == 2;
    return {PlanReason::kPeriodic, std::move(merge), {}};
  }

  // CompactionJob::build_delete_major_self_compaction.
  [[nodiscard]] Plan purge(const TreeView& tree) const {
    const SortedRun* const level2 = newest_run(tree, 2);
    XExtents extents = extents_with_deletes(tree);
    ExtentRewrite rewrite(extents, extents.size());
    std::optional<std::uint64_t> reached;
    for (const XBatch& batch : batches_of(extents)) {
      rewrite.take(batch, reached && lies_between(level2, *reached, batch.keys.smallest));
      reached = batch.keys.largest;
    }
    MergePlan merge = rewrite.plan(tree, options_.file_size);
    merge.target = leveled_target(tree, 2);
    return {PlanReason::kTombstoneDensity, std::move(merge), {}};
  }

  XEngineOptions options_;
  XEngineTasks tasks_;
};

std::vector<RuleFidelity> x_engine_fidelity() {
  const char* const kPicker =
      "compact/compaction_tasks_picker.cc, polardbx-engine/storage/xengine@3a0db6f";
  const char* const kJob = "compact/compaction_job.cc, polardbx-engine/storage/xengine@b7c5a15";
  const char* const kCompaction = "compact/compaction.cc, polardbx-engine/storage/xengine@b7c5a15";
  const char* const kFamily = "db/column_family.cc, polardbx-engine/storage/xengine@b7c5a15";
  return {
      {"priorities of tasks, and the triggers that follow the number of extents", Fidelity::kExact,
       kPicker},
      {"the layers of intra and minor tasks, and what they overlap in level 1", Fidelity::kExact,
       kJob},
      {"the extents of level 1 that a major task takes, and of level 2 all between its ends",
       Fidelity::kExact, kJob},
      {"extents that overlap nothing are reused; in major tasks only if few leave level 1, or many "
       "overlap in one piece",
       Fidelity::kSimplified, kCompaction,
       "by a plan of its own, at once after the merge; extents that overlap others but lie between "
       "two of their blocks are rewritten here"},
      {"blocks that overlap nothing are copied without being decoded", Fidelity::kNotModelled,
       kCompaction, "they are written again, so that it saves processor time and no bytes"},
      {"a task is cut into parts of compaction_task_extents_limit extents", Fidelity::kSimplified,
       kJob, "outputs end where a part ends, but all parts of a major task are one merge here"},
      {"extents of level 1 are split where a piece is too large", Fidelity::kNotModelled, kJob,
       "it rewrites one extent of level 1 in compaction_task_extents_limit, to merge in parallel"},
      {"a flush waits for two full memtables, and takes both (min_write_buffer_number_to_merge)",
       Fidelity::kSimplified,
       "db/memtable_list.cc, db/db_impl_compaction_flush.cc (SchedulePendingFlush), "
       "polardbx-engine/storage/xengine@b7c5a15",
       "one memtable, of the size of both in x-engine-defaults"},
      {"large memtables, and those with many deletes, merge with level 1 at once",
       Fidelity::kSimplified, kFamily,
       "one memtable at a time, not two or more; extents between two keys of the memtable are "
       "rewritten"},
      {"tasks after a layer with many deletes", Fidelity::kSimplified, kPicker,
       "a layer is known by what it holds, also after an intra task; a memtable does not become "
       "full because of its deletes"},
      {"tasks because of low usage and of deletes in level 2", Fidelity::kSimplified, kPicker,
       "the interval counts writes, and goes on until a task is picked"},
      {"deletes go in merges into level 2 and within it", Fidelity::kExact,
       "compact/new_compaction_iterator.cc, polardbx-engine/storage/xengine@b7c5a15"},
      {"runs never stall writers", Fidelity::kSimplified, kFamily,
       "two full memtables do; there, memtables of db_total_write_buffer_size"},
      {"tasks while the store is idle", Fidelity::kNotModelled, kPicker, "a run has no idle hours"},
  };
}

}  // namespace

PolicyFamily x_engine_family() {
  PolicyFamily family = make_family<XEngineOptions, XEngine>(
      "x-engine",
      "X-Engine: layers above two levels of extents; extents that overlap nothing are reused",
      "polardbx-engine, storage/xengine/core/compact (Huang et al., SIGMOD 2019)");
  lift_run_limits(family.stalls);
  family.fidelity = x_engine_fidelity();
  return family;
}

}  // namespace lsmlab

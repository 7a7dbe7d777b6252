#include "models/execution/forced_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "models/base/check.h"
#include "models/base/shortened.h"
#include "models/execution/log_tree.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// Null if no run of the level can be the one.
const SortedRun* run_like(const TreeView& tree, const RunPlace& place) {
  if (place.level >= tree.levels().size()) return nullptr;
  const std::vector<SortedRun>& runs = tree.levels()[place.level].runs;
  const auto same_age = std::find_if(runs.begin(), runs.end(), [&](const SortedRun& run) {
    return run.flushes.last == place.flushes.last;
  });
  if (same_age != runs.end()) return &*same_age;
  return place.index < runs.size() ? &runs[place.index] : nullptr;
}

std::uint64_t middle_key(const File& file) {
  return file.keys.smallest + (file.keys.largest - file.keys.smallest) / 2;
}

struct BySmallestKey {
  bool operator()(const File* a, const File* b) const {
    return a->keys.smallest < b->keys.smallest;
  }
};
// Files of one run.
using FilesByKey = std::set<const File*, BySmallestKey>;

// The files that a plan takes from the tree on which it is forced. It also takes further files
// where an older version of a key would otherwise lie above a newer one.
class Taking {
 public:
  explicit Taking(const TreeView& tree) {
    for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) runs_.push_back({level, &run, {}});
    }
  }

  void take_like(const TreeView& tree, const ForcedFiles& forced) {
    const SortedRun* like = run_like(tree, forced.run);
    for (Taken& taken : runs_) {
      if (taken.run != like) continue;
      for (const KeyRange& range : forced.ranges) {
        for (const File& file : overlapping_files(*taken.run, range)) {
          const std::uint64_t middle = middle_key(file);
          if (range.overlaps({middle, middle})) taken.files.insert(&file);
        }
      }
    }
  }

  /// Outputs go to the run, or, if it is null, to a new run of the level.
  void aim(const SortedRun* joined, std::uint32_t level) {
    while (aim_ < runs_.size() && runs_[aim_].level < level) ++aim_;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const bool is_newest_taken = joined == nullptr && !runs_[i].files.empty();
      if (runs_[i].run == joined || (is_newest_taken && runs_[i].level == level)) {
        aim_ = i;
        return;
      }
    }
  }

  /// Of the target run it takes every file that an output may overlap; where runs are in order of
  /// age, also the files between an input and the target run that overlap the input. A file of the
  /// target run stays if it lies between the inputs: outputs end before it.
  void take_overlapped(const SortedRun* joined, const std::optional<KeyRange>& memtable,
                       bool is_by_age) {
    const std::vector<Taken> wanted = runs_;
    if (memtable && is_by_age) take_between(0, aim_, *memtable);
    for (bool has_grown = true; has_grown;) {
      const std::size_t before = count();
      for (std::size_t i = 0; i < runs_.size() && is_by_age; ++i) {
        for (const File* file : FilesByKey(runs_[i].files)) {
          take_between(std::min(i, aim_) + 1, std::max(i, aim_), reach_of(*file));
        }
      }
      if (joined != nullptr) take_joined(memtable);
      has_grown = count() > before;
    }
    for (const File* file : joined != nullptr ? runs_[aim_].files : FilesByKey()) {
      if (!wanted[aim_].files.contains(file)) drawn_in_.push_back(file->keys.smallest);
    }
    if (joined == nullptr) return;
    const std::vector<KeyRange> pieces = pieces_of_inputs(memtable);
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const KeyRange gap{pieces[i - 1].largest + 1, pieces[i].smallest - 1};
      const bool has_gap = gap.smallest <= gap.largest;
      if (has_gap && !overlapping_files(*joined, gap).empty()) {
        behind_gaps_.push_back(pieces[i].smallest);
      }
    }
  }

  /// The keys at which output files begin, without the first file, which begins with the first
  /// entry. These are the log's keys, those where inputs go on behind a file that stays, and the
  /// smallest keys of the files that were taken in addition. Without the latter, such files would
  /// merge with their neighbours into ever larger files.
  [[nodiscard]] std::vector<std::uint64_t> file_begins(std::vector<std::uint64_t> begins) const {
    begins.insert(begins.end(), drawn_in_.begin(), drawn_in_.end());
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    if (!begins.empty()) begins.erase(begins.begin());
    begins.insert(begins.end(), behind_gaps_.begin(), behind_gaps_.end());
    std::sort(begins.begin(), begins.end());
    begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
    return begins;
  }

  [[nodiscard]] std::size_t count() const {
    std::size_t count = 0;
    for (const Taken& taken : runs_) count += taken.files.size();
    return count;
  }
  /// Null if there are several.
  [[nodiscard]] const File* only_file() const {
    if (count() != 1) return nullptr;
    for (const Taken& taken : runs_) {
      if (!taken.files.empty()) return *taken.files.begin();
    }
    return nullptr;
  }
  /// Of files with data of their own.
  [[nodiscard]] bool has_slices() const {
    return std::any_of(runs_.begin(), runs_.end(), [](const Taken& taken) {
      return std::any_of(taken.files.begin(), taken.files.end(), [](const File* file) {
        return !file->is_virtual && !file->slices.empty();
      });
    });
  }
  /// Whether files of different taken runs overlap, so that they cannot lie in one run.
  [[nodiscard]] bool overlaps_itself() const {
    std::vector<KeyRange> ranges;
    for (const Taken& taken : runs_) {
      for (const File* file : taken.files) ranges.push_back(file->keys);
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const KeyRange& a, const KeyRange& b) { return a.smallest < b.smallest; });
    return std::adjacent_find(ranges.begin(), ranges.end(),
                              [](const KeyRange& a, const KeyRange& b) {
                                return a.largest >= b.smallest;
                              }) != ranges.end();
  }
  [[nodiscard]] std::vector<PlanInput> inputs() const {
    std::vector<PlanInput> inputs;
    for (const Taken& taken : runs_) {
      if (taken.files.empty()) continue;
      PlanInput input{taken.level, taken.run->id, {}};
      for (const File* file : taken.files) input.files.push_back(file->id);
      inputs.push_back(std::move(input));
    }
    return inputs;
  }

 private:
  struct Taken {
    std::uint32_t level = 0;
    const SortedRun* run = nullptr;
    FilesByKey files;
  };

  // The range that the file's keys and those of its slices cover.
  [[nodiscard]] static KeyRange reach_of(const File& file) {
    KeyRange keys = file.keys;
    for (const Slice& slice : file.slices) keys = hull_of(keys, slice.keys);
    return keys;
  }

  void take_between(std::size_t first, std::size_t end, const KeyRange& keys) {
    for (std::size_t i = first; i < end; ++i) {
      for (const File& file : overlapping_files(*runs_[i].run, keys)) runs_[i].files.insert(&file);
    }
  }

  // The ranges that the inputs cover, by key.
  [[nodiscard]] std::vector<KeyRange> pieces_of_inputs(
      const std::optional<KeyRange>& memtable) const {
    std::vector<KeyRange> ranges;
    if (memtable) ranges.push_back(*memtable);
    for (const Taken& taken : runs_) {
      for (const File* file : taken.files) ranges.push_back(reach_of(*file));
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const KeyRange& a, const KeyRange& b) { return a.smallest < b.smallest; });
    std::vector<KeyRange> pieces;
    for (const KeyRange& range : ranges) {
      if (!pieces.empty() && range.smallest <= pieces.back().largest) {
        pieces.back() = hull_of(pieces.back(), range);
      } else {
        pieces.push_back(range);
      }
    }
    return pieces;
  }

  void take_joined(const std::optional<KeyRange>& memtable) {
    const std::vector<KeyRange> pieces = pieces_of_inputs(memtable);
    for (const File& file : runs_[aim_].run->files) {
      KeyRange reach = reach_of(file);
      // Only the last file of a run may have slices beyond its own largest key.
      if (reach.largest > file.keys.largest) reach.largest = KeyRange().largest;
      const auto piece =
          std::partition_point(pieces.begin(), pieces.end(),
                               [&](const KeyRange& one) { return one.largest < reach.smallest; });
      if (piece != pieces.end() && piece->overlaps(reach)) runs_[aim_].files.insert(&file);
    }
  }

  std::vector<Taken> runs_;  // from the newest to the oldest
  std::size_t aim_ = 0;      // index in runs_ of the outputs' position
  // smallest keys of files of the joined run that the log's plan did not take
  std::vector<std::uint64_t> drawn_in_;
  // where inputs go on behind a file of the joined run that stays
  std::vector<std::uint64_t> behind_gaps_;
};

class ForcedPlans final : public Policy {
 public:
  ForcedPlans(std::shared_ptr<const Policy> base, std::vector<ForcedPlan> plans, bool needs_keys)
      : base_(std::move(base)),
        plans_(std::move(plans)),
        needs_keys_(needs_keys),
        keeps_copies_(std::any_of(plans_.begin(), plans_.end(),
                                  [](const ForcedPlan& plan) { return plan.copies_max > 0; })) {}

  [[nodiscard]] std::vector<FileOrdering> orderings() const override { return base_->orderings(); }
  [[nodiscard]] std::optional<std::uint64_t> seeks_max(const File& file) const override {
    return base_->seeks_max(file);
  }
  [[nodiscard]] bool bounds_runs() const override { return base_->bounds_runs(); }
  [[nodiscard]] std::optional<DeletionMark> deletion_mark() const override {
    return base_->deletion_mark();
  }
  [[nodiscard]] std::uint64_t gc_grace() const override { return base_->gc_grace(); }
  [[nodiscard]] bool keeps_copies() const override { return keeps_copies_; }
  [[nodiscard]] std::uint64_t stalling_runs(const TreeView& tree) const override {
    return base_->stalling_runs(tree);
  }
  [[nodiscard]] std::uint64_t pending_bytes(const TreeView& tree) const override {
    return base_->pending_bytes(tree);
  }
  [[nodiscard]] std::uint64_t behind_bytes(const TreeView& tree) const override {
    return base_->behind_bytes(tree);
  }
  [[nodiscard]] std::vector<LevelCapacity> level_capacities(const TreeView& tree) const override {
    return base_->level_capacities(tree);
  }
  [[nodiscard]] bool compresses(const TreeView& tree, const Plan& plan) const override {
    return base_->compresses(tree, plan);
  }
  [[nodiscard]] bool keeps_age_order() const override { return base_->keeps_age_order(); }
  [[nodiscard]] bool flush_keeps_overwritten() const override {
    return base_->flush_keeps_overwritten();
  }
  [[nodiscard]] bool flush_takes_all_waiting() const override {
    return base_->flush_takes_all_waiting();
  }
  // The log's manual compactions are plans like others: pick() has returned them already.
  [[nodiscard]] bool compacts(ManualScope /*scope*/) const override { return true; }
  [[nodiscard]] PolicyNeeds needs() const override {
    return needs_keys_ ? PolicyNeeds::kKeys : base_->needs();
  }
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const override {
    return needs_keys_ ? std::vector<std::string>{kForcedPlansParameter}
                       : base_->options_that_need_keys();
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    const bool has_memtable = tree.pending_flush().has_value();
    std::size_t next = 0;
    if (!tree.levels().empty()) next = tree.levels().front().cursor.value_or(0);
    for (; next < plans_.size(); ++next) {
      if (plans_[next].takes_memtable && !has_memtable) return std::nullopt;
      if (has_memtable && !plans_[next].takes_memtable) continue;
      std::optional<Plan> plan = plan_like(tree, plans_[next]);
      if (!plan) continue;
      plan->cursors = {{0, next + 1}};
      if (has_memtable) plan->adaptation = plans_[next].adaptation;
      return plan;
    }
    if (!has_memtable) return std::nullopt;
    return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {{0, next}}};
  }

 private:
  [[nodiscard]] std::optional<Plan> plan_like(const TreeView& tree,
                                              const ForcedPlan& forced) const {
    OutputTarget target{forced.target_level, std::nullopt};
    const SortedRun* joined = forced.target_run ? run_like(tree, *forced.target_run) : nullptr;
    if (joined != nullptr) target.run = joined->id;
    std::optional<KeyRange> memtable;
    if (forced.takes_memtable) memtable = tree.pending_flush()->keys;
    if (forced.kind == PlanKind::kTrim) return trim_like(tree, forced);
    Taking taking(tree);
    for (const ForcedFiles& files : forced.inputs) taking.take_like(tree, files);
    taking.aim(joined, forced.target_level);
    const std::size_t wanted = taking.count();
    if (wanted == 0 && !memtable) return std::nullopt;
    if (forced.kind == PlanKind::kDrop) return Plan{forced.reason, DropPlan{taking.inputs()}, {}};
    if (forced.kind == PlanKind::kLink) joined = newest_run(tree, forced.target_level);
    if (keeps_age_order() || joined != nullptr) {
      taking.take_overlapped(forced.kind == PlanKind::kLink ? nullptr : joined, memtable,
                             keeps_age_order());
    }
    const bool is_as_wanted = taking.count() == wanted;
    if (forced.kind == PlanKind::kFlush) {
      if (!is_as_wanted) target = {0, std::nullopt};
      FlushPlan flush{target};
      if (forced.file_begins.size() > 1) {
        flush.cut.file_begins = taking.file_begins(forced.file_begins);
      }
      return Plan{forced.reason, std::move(flush), {}};
    }
    if (forced.kind == PlanKind::kLink) {
      const bool can_link =
          is_as_wanted && wanted == 1 && !taking.has_slices() && joined != nullptr;
      if (!can_link) return std::nullopt;
      return link_like(tree, forced.reason, taking.inputs().front(), *joined);
    }
    const bool can_move = is_as_wanted && !taking.has_slices() && !taking.overlaps_itself();
    if (forced.kind == PlanKind::kMove && can_move) {
      return Plan{forced.reason, MovePlan{taking.inputs(), target}, {}};
    }
    if (forced.kind == PlanKind::kRefer && !taking.has_slices()) {
      return Plan{forced.reason,
                  ReferPlan{taking.inputs(), target, taking.file_begins(forced.file_begins)},
                  {}};
    }
    MergePlan merge;
    merge.takes_memtable = forced.takes_memtable;
    merge.inputs = taking.inputs();
    merge.target = target;
    merge.drops_tombstones = forced.drops_tombstones;
    merge.copies_max = forced.copies_max;
    const File* const only = taking.only_file();
    if (forced.newest_slices && only != nullptr && !only->slices.empty() && only->is_virtual) {
      merge.newest_slices = std::min<std::uint64_t>(*forced.newest_slices, only->slices.size());
      merge.target = {merge.inputs.front().level, merge.inputs.front().run};
    } else {
      merge.cut.file_begins = taking.file_begins(forced.file_begins);
    }
    return Plan{forced.reason, std::move(merge), {}};
  }

  // Trims the copies that hold data of the same flushes, and begin within the copies of the log.
  [[nodiscard]] static Plan trim_like(const TreeView& tree, const ForcedPlan& forced) {
    TrimPlan trim;
    for (const FrozenFile& frozen : tree.frozen_files()) {
      const bool is_trimmed =
          std::any_of(forced.trimmed.begin(), forced.trimmed.end(), [&](const ForcedCopy& copy) {
            return copy.flushes == frozen.file.flushes &&
                   copy.keys.overlaps({frozen.file.keys.smallest, frozen.file.keys.smallest});
          });
      if (is_trimmed) trim.copies.push_back(frozen.file.id);
    }
    return {forced.reason, std::move(trim), {}};
  }

  [[nodiscard]] static std::optional<Plan> link_like(const TreeView& tree, PlanReason reason,
                                                     const PlanInput& upper,
                                                     const SortedRun& below) {
    if (upper.run == below.id) return std::nullopt;
    const KeyRange keys = tree.file_at(*tree.find_file(upper.files.front())).keys;
    LinkPlan link{upper, {}};
    for (std::size_t i = 0; i < below.files.size(); ++i) {
      if (responsible_range(below, i).overlaps(keys)) link.lower_files.push_back(below.files[i].id);
    }
    return Plan{reason, std::move(link), {}};
  }

  std::shared_ptr<const Policy> base_;
  std::vector<ForcedPlan> plans_;
  bool needs_keys_;
  bool keeps_copies_;
};

}  // namespace

Result<std::shared_ptr<const Policy>> force_plans(std::shared_ptr<const Policy> base,
                                                  const std::vector<PlanRecord>& records) {
  LogTree tree;
  std::vector<ForcedPlan> plans;
  for (const PlanRecord& record : records) {
    plans.push_back(BOOST_OUTCOME_TRYX(tree.add(record)));
  }
  const auto has_keys = [](const PlanRecord& record) {
    return record.plan == PlanKind::kLink || record.plan == PlanKind::kRefer ||
           std::any_of(record.outputs.begin(), record.outputs.end(),
                       [](const PlanRecord::Output& output) { return output.keys != KeyRange(); });
  };
  const bool needs_keys = std::any_of(records.begin(), records.end(), has_keys);
  return std::make_shared<const ForcedPlans>(std::move(base), std::move(plans), needs_keys);
}

}  // namespace lsmlab

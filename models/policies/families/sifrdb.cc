// SifrDB (Mei et al., SoCC 2018; db/version_set.cc, db/db_impl.cc of the authors' repository): a
// stepped merge of trees. A tree is a sorted run, cut into files of 2 MiB (its sub-trees).
//
//  - A flush becomes a tree of one file in level 0.
//  - Level i is merged if it has more than growth_factor trees, and level i + 1 at most 1.5 times
//    growth_factor. Level 1 is looked at first, then the deeper ones; level 0 comes last and asks
//    for no room below. A level merges only once at a time.
//  - A merge takes the level's growth_factor oldest trees, and makes them the newest tree of the
//    next level.
//  - Of these trees, a file that overlaps no file of the others becomes a file of the new tree
//    without being rewritten, whatever its size; outputs end where such a file begins.
//  - No merge drops a delete, only what is overwritten.
//
// SifrDB does that in one step. Here the files that overlap others are merged first; the others
// follow at once, in a plan that moves them. In between, the cursor of the level is the newest
// flush of the trees that are on their way.
#include <algorithm>
#include <optional>
#include <vector>

#include "models/policies/leveldb/flush_versions.h"
#include "models/policies/leveldb/rules.h"
#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint32_t kSifrLevels = 20;

struct SifrdbOptions {
  std::uint64_t growth_factor = 10;
  Bytes file_size{std::uint64_t{2} << 20};
  bool adopt_files = true;
  bool flush_keeps_overwritten = true;

  void declare(OptionTable& table) {
    table.count("growth_factor", growth_factor, {2, 1024}, "trees",
                "a level with more trees merges this many into a tree of the next level; more: "
                "fewer rewrites, but more trees for a read to visit");
    table.bytes("file_size", file_size, {1, std::uint64_t{1} << 40},
                "size at which a merge ends a file (sub-tree)");
    table.flag("adopt_files", adopt_files, "false: merges also rewrite files that overlap nothing");
    declare_flush_versions(table, flush_keeps_overwritten);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

// A file of the trees that merge, and the tree that it belongs to.
struct TreeFile {
  const File* file = nullptr;
  std::size_t tree = 0;  // 0: the newest
  bool is_free = false;  // it overlaps no file of another tree
};

class Sifrdb final : public Policy {
 public:
  explicit Sifrdb(const SifrdbOptions& options) : options_(options) {}

  [[nodiscard]] PolicyNeeds needs() const override {
    return options_.adopt_files ? PolicyNeeds::kKeys : PolicyNeeds::kSizes;
  }
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const override {
    return options_.adopt_files ? std::vector<std::string>{"adopt_files=true"}
                                : std::vector<std::string>{};
  }
  [[nodiscard]] bool flush_keeps_overwritten() const override {
    return options_.flush_keeps_overwritten;
  }
  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return options_.growth_factor + 1;
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    for (std::uint32_t level = 0; level + 1 < kSifrLevels; ++level) {
      if (std::optional<Plan> plan = adopt_rest(tree, level)) return plan;
    }
    // VersionSet::NeedsCompaction.
    for (std::uint32_t level = 1; level + 1 < kSifrLevels; ++level) {
      const bool has_room = trees_of(tree, level + 1).size() * 2 <= options_.growth_factor * 3;
      if (has_room && is_due(tree, level)) return merge_of(tree, level);
    }
    if (is_due(tree, 0)) return merge_of(tree, 0);
    return std::nullopt;
  }

 private:
  [[nodiscard]] static const std::vector<SortedRun>& trees_of(const TreeView& tree,
                                                              std::uint32_t level) {
    static const std::vector<SortedRun> kNone;
    return level < tree.levels().size() ? tree.levels()[level].runs : kNone;
  }
  [[nodiscard]] static bool is_locked(const TreeView& tree, std::uint32_t level) {
    return level < tree.levels().size() && tree.levels()[level].sums.busy_files > 0;
  }
  // Whether trees of the level have been merged except for the files that are to be moved.
  [[nodiscard]] static bool has_rest(const TreeView& tree, std::uint32_t level) {
    const std::vector<SortedRun>& trees = trees_of(tree, level);
    return !trees.empty() && tree.levels()[level].cursor &&
           trees.back().flushes.last <= *tree.levels()[level].cursor;
  }
  [[nodiscard]] bool is_due(const TreeView& tree, std::uint32_t level) const {
    return trees_of(tree, level).size() > options_.growth_factor && !is_locked(tree, level) &&
           !has_rest(tree, level);
  }

  [[nodiscard]] static std::optional<Plan> adopt_rest(const TreeView& tree, std::uint32_t level) {
    if (!has_rest(tree, level) || is_locked(tree, level)) return std::nullopt;
    const SortedRun* const target = newest_run(tree, level + 1);
    if (target == nullptr || target->busy()) return std::nullopt;
    MovePlan move;
    for (const SortedRun& run : trees_of(tree, level)) {
      if (run.flushes.last <= *tree.levels()[level].cursor) {
        move.inputs.push_back(input_of(level, run, run.files));
      }
    }
    move.target = {level + 1, target->id};
    return Plan{PlanReason::kSortedRunCount, std::move(move), {}};
  }

  // VersionSet::PickCompaction, DBImpl::ConcatenatingCompaction.
  [[nodiscard]] Plan merge_of(const TreeView& tree, std::uint32_t level) const {
    const std::vector<SortedRun>& trees = trees_of(tree, level);
    const std::size_t newest = trees.size() - options_.growth_factor;
    const std::vector<TreeFile> files = files_of(trees, newest);
    MergePlan merge;
    MovePlan move;
    merge.target = move.target = {level + 1, std::nullopt};
    merge.drops_tombstones = false;
    merge.cut.measure = CutMeasure::kStoredBlocks;
    merge.cut.file_bytes = options_.file_size;
    std::vector<PlanInput> free;
    std::vector<PlanInput> meeting;
    for (std::size_t i = newest; i < trees.size(); ++i) {
      free.push_back({level, trees[i].id, {}});
      meeting.push_back({level, trees[i].id, {}});
    }
    std::vector<std::uint64_t> begins;
    for (const TreeFile& one : files) {
      (one.is_free ? free : meeting)[one.tree].files.push_back(one.file->id);
      if (one.is_free) begins.push_back(one.file->keys.smallest);
    }
    const auto has_none = [](const PlanInput& input) { return input.files.empty(); };
    std::erase_if(free, has_none);
    std::erase_if(meeting, has_none);
    if (meeting.empty()) {
      move.inputs = std::move(free);
      return {PlanReason::kSortedRunCount, std::move(move), {}};
    }
    merge.inputs = std::move(meeting);
    std::vector<CursorUpdate> cursors;
    if (!begins.empty()) {
      merge.cut.file_begins = std::move(begins);
      cursors.push_back({level, trees[newest].flushes.last});
    }
    return {PlanReason::kSortedRunCount, std::move(merge), std::move(cursors)};
  }

  // By smallest key.
  [[nodiscard]] std::vector<TreeFile> files_of(const std::vector<SortedRun>& trees,
                                               std::size_t newest) const {
    std::vector<TreeFile> files;
    for (std::size_t i = newest; i < trees.size(); ++i) {
      for (const File& file : trees[i].files) files.push_back({&file, i - newest});
    }
    if (!options_.adopt_files) return files;
    std::sort(files.begin(), files.end(), [](const TreeFile& a, const TreeFile& b) {
      const std::uint64_t key_a = a.file->keys.smallest;
      const std::uint64_t key_b = b.file->keys.smallest;
      return key_a != key_b ? key_a < key_b : a.tree < b.tree;
    });
    std::optional<std::uint64_t> reached;  // by the files before
    for (std::size_t i = 0; i < files.size(); ++i) {
      const KeyRange& keys = files[i].file->keys;
      const bool is_met_before = reached && *reached >= keys.smallest;
      const bool is_met_behind =
          i + 1 < files.size() && files[i + 1].file->keys.smallest <= keys.largest;
      files[i].is_free = !is_met_before && !is_met_behind;
      reached = std::max(reached.value_or(0), keys.largest);
    }
    return files;
  }

  SifrdbOptions options_;
};

std::vector<RuleFidelity> sifrdb_fidelity() {
  const char* const kVersionSet = "db/version_set.cc, sifrdb@f744114";
  const char* const kDb = "db/db_impl.cc, sifrdb@f744114";
  return {
      {"which level merges, and which trees of it", Fidelity::kExact, kVersionSet},
      {"files that overlap nothing become part of the new tree as they are", Fidelity::kSimplified,
       "db/db_impl.cc, table/merger.cc, sifrdb@f744114",
       "by a plan of its own, at once after the merge; files that share a key overlap here, also "
       "where SifrDB sees that its newest version ends the one before the other begins"},
      {"where outputs end", Fidelity::kExact, kDb},
      {"a flush keeps entries that were overwritten in the memtable", Fidelity::kExact,
       "db/builder.cc, sifrdb@f744114"},
      {"no delete is ever dropped", Fidelity::kExact, kVersionSet},
      {"early cleaning: sub-trees that have been merged are deleted during the merge",
       Fidelity::kNotModelled, "Mei et al., SoCC 2018; db/db_impl.cc, sifrdb@f744114",
       "a stub in the code"},
      {"trees are searched in parallel", Fidelity::kNotModelled,
       "Mei et al., SoCC 2018; db/version_set.cc, sifrdb@f744114", "lookups visit run after run"},
      {"writers are slowed at 2 times growth_factor trees of level 0, and stopped at 4 times",
       Fidelity::kSimplified, kDb, "at 20 and 40, which --stalls changes"},
  };
}

StallRules sifrdb_stalls() {
  StallRules rules = leveldb_stalls();
  rules.level0_slowdown_runs = 20;
  rules.level0_stop_runs = 40;
  return rules;
}

}  // namespace

PolicyFamily sifrdb_family() {
  PolicyFamily family = make_family<SifrdbOptions, Sifrdb>(
      "sifrdb",
      "SifrDB's stepped merge: the oldest trees of a level become one tree of the next; files that "
      "overlap nothing are not rewritten",
      "Mei et al., SoCC 2018, and its code (sifrdb@f744114)");
  family.sizes_suffice_with = "adopt_files=false";
  family.file_options = {"file_size"};
  family.stalls = sifrdb_stalls();
  family.fidelity = sifrdb_fidelity();
  return family;
}

}  // namespace lsmlab

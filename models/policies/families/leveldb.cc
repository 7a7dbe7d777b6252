// LevelDB 1.23 (db/version_set.cc: Finalize, PickCompaction, SetupOtherInputs); the LDC paper calls
// it UDC. The file that leaves an upper level decides what is merged:
//
// 1. A pending memtable is flushed (models/policies/leveldb/rules.h).
// 2. If the highest score of a level is at least 1, that level gives up its next file by key (round
//    robin). In level 0 the merge also takes every file of level 0 that overlaps it, directly or
//    through other files. All files of the next level that overlap these are merged with them.
// 3. If no level is too full, the policy takes a file that too many lookups searched in vain, and
//    merges it in the same way. LevelDB remembers the first file that used up its budget, until its
//    tree changes. Here, of all such files, it is the one in the shallowest level with the smallest
//    key (in level 0, the newer one if keys are equal), so that nothing must be remembered.
// 4. The upper inputs grow to all files of their level that overlap the merge, if that adds no
//    further file of the next level and the inputs stay below 25 times file_size.
// 5. A single file moves without being rewritten if it overlaps nothing in the next level, and at
//    most 10 times file_size in the level after that.
//
// The cursor of the level becomes the largest key of the upper inputs, also after moves and seeks.
#include <algorithm>
#include <utility>

#include "models/policies/leveldb/inputs.h"
#include "models/policies/leveldb/rules.h"
#include "models/policies/policy.h"
#include "models/theory/ldc_costs.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct LeveldbPolicyOptions : LeveldbOptions {
  bool seek_compaction = true;

  void declare(OptionTable& table) {
    LeveldbOptions::declare(table);
    table.flag("seek_compaction", seek_compaction,
               "merges a file after too many useless seeks: one per 16 KiB of the file, at least "
               "100; fewer files for lookups to search, but more merges");
  }
};

class Leveldb final : public Policy {
 public:
  explicit Leveldb(const LeveldbPolicyOptions& options) : options_(options) {}

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] bool flush_keeps_overwritten() const override {
    return options_.flush_keeps_overwritten;
  }

  [[nodiscard]] std::optional<std::uint64_t> seeks_max(const File& file) const override {
    if (!options_.seek_compaction) return std::nullopt;
    return std::max<std::uint64_t>(100, file.bytes.value() / (16 << 10));
  }

  // Files that lookups searched in vain too often, by key.
  [[nodiscard]] std::vector<FileOrdering> orderings() const override {
    return {files_worn_by_seeks(*this, "too many useless seeks")};
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) return leveldb_flush(tree, options_);
    if (has_busy_file(tree)) return std::nullopt;
    const std::vector<std::uint32_t> saturated = saturated_levels(tree, options_);
    if (!saturated.empty()) {
      const std::uint32_t level = saturated.front();
      return push_down(tree, level, next_by_cursor(tree, level).keys, PlanReason::kLevelSaturated);
    }
    for (std::uint32_t level = 0; level + 1 < options_.levels && level < tree.levels().size();
         ++level) {
      const FileOrder& worn = tree.order(0, level);
      if (worn.empty()) continue;
      return push_down(tree, level, tree.file_at(tree.location_of(level, worn[0])).keys,
                       PlanReason::kSeeks);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool compacts(ManualScope scope) const override { return flushes_first(scope); }

  // DBImpl::CompactRange of all keys, and VersionSet::CompactRange: level after level, until only
  // the deepest has files. Level 0 goes as a whole, and to level 1 even if nothing is deeper; files
  // of other levels up to the size of one. Nothing moves.
  [[nodiscard]] std::optional<Plan> pick_manual(const TreeView& tree,
                                                const ManualCompaction& /*manual*/) const override {
    if (has_busy_file(tree)) return std::nullopt;
    std::uint32_t first = 0;
    while (first < tree.levels().size() && tree.levels()[first].runs.empty()) ++first;
    std::uint32_t deepest = first;
    for (std::uint32_t level = first; level < tree.levels().size(); ++level) {
      if (!tree.levels()[level].runs.empty()) deepest = level;
    }
    if (first == tree.levels().size() || (first == deepest && first > 0)) return std::nullopt;
    KeyRange keys;
    if (first > 0) {
      const RunFiles& files = tree.levels()[first].runs.front().files;
      keys = files.front().keys;
      std::uint64_t bytes = files.front().bytes.value();
      for (std::size_t i = 1; i < files.size() && bytes < options_.file_size.value(); ++i) {
        bytes += files[i].bytes.value();
        keys.largest = files[i].keys.largest;
      }
    }
    return push_down(tree, first, keys, PlanReason::kManual);
  }

 private:
  [[nodiscard]] Plan push_down(const TreeView& tree, std::uint32_t level, const KeyRange& keys,
                               PlanReason reason) const {
    LeveldbInputs inputs = leveldb_inputs(tree, level, keys, options_);
    const std::vector<CursorUpdate> cursors{{level, inputs.upper.keys.largest}};
    const OutputTarget target = leveled_target(tree, level + 1);
    if (reason != PlanReason::kManual && inputs.may_move(tree, options_)) {
      return {reason, MovePlan{std::move(inputs.upper.inputs), target}, cursors};
    }
    MergePlan merge;
    merge.inputs = inputs.all();
    merge.target = target;
    merge.cut = leveldb_cut(options_);
    return {reason, std::move(merge), cursors};
  }

  LeveldbPolicyOptions options_;
};

std::vector<RuleFidelity> leveldb_fidelity() {
  const char* const kVersion = "db/version_set.cc, LevelDB 1.23";
  return {
      {"scores of levels and the file in turn", Fidelity::kExact, kVersion},
      {"the inputs of a merge and how they grow", Fidelity::kExact, kVersion},
      {"moves without rewriting, and where outputs end", Fidelity::kExact, kVersion},
      {"the level of a flush", Fidelity::kSimplified, "db/version_set.cc, LevelDB 1.23",
       "one level higher while a merge writes to it"},
      {"merges after useless seeks", Fidelity::kSimplified, kVersion, "iterators sample no keys"},
      {"slowed and stopped writers", Fidelity::kExact, "db/db_impl.cc, LevelDB 1.23"},
      {"files of a level that share a user key", Fidelity::kNotModelled, kVersion,
       "a level holds each key once"},
      {"a flush keeps entries that were overwritten in the memtable", Fidelity::kExact,
       "db/builder.cc, LevelDB 1.23"},
  };
}

}  // namespace

PolicyFamily leveldb_family() {
  PolicyFamily family = make_family<LeveldbPolicyOptions, Leveldb>(
      "leveldb",
      "leveling: merges one file at a time, in turn by key; also merges files after too many "
      "useless seeks",
      "LevelDB 1.23, db/version_set.cc (the LDC paper's UDC)");
  family.stalls = leveldb_stalls();
  family.cost_model = udc_model;
  family.foreign = ForeignCompaction::kLeveldb;
  family.fidelity = leveldb_fidelity();
  return family;
}

}  // namespace lsmlab

// dCompaction (Pan, Yue and Xiong, JCST 2017), with LevelDB's rules (models/policies/leveldb/): a
// merge is first done virtually. A virtual merge writes one virtual SSTable, which only refers to
// the real SSTables of its inputs. It is merged for real together with the merges that follow.
//
// 1. A pending memtable is flushed by LevelDB's rules.
// 2. LevelDB chooses a level, a file and the inputs of the merge. A virtual SSTable counts as many
//    bytes as the SSTables that it refers to.
// 3. A single file moves as in LevelDB, virtual or not.
// 4. Inputs of fewer than merge_threshold real SSTables become one virtual SSTable of the next
//    level. Others are merged for real, and their outputs end where LevelDB's do.
// 5. A virtual SSTable of at least read_threshold real SSTables is merged for real in its own level
//    after a lookup has searched it in vain.
//
// The policy settles: moves, virtual and real merges bring data one level down, and merges after
// lookups leave no virtual SSTable behind.
//
// No public text gives the thresholds' values. With leveling's size ratio of 10, a file that leaves
// a level meets about 10 files: a threshold of twice the ratio delays the merge until about as many
// files have come down as lie below.
#include <algorithm>
#include <utility>

#include "models/base/check.h"
#include "models/policies/leveldb/inputs.h"
#include "models/policies/leveldb/rules.h"
#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct DcompactionOptions : LeveldbOptions {
  std::optional<std::uint64_t> merge_threshold;
  std::optional<std::uint64_t> read_threshold;

  void declare(OptionTable& table) {
    LeveldbOptions::declare(table);
    table.optional_count("merge_threshold", merge_threshold, {1, 4096}, "SSTables",
                         "real SSTables from which on inputs are merged for real, with fewer the "
                         "merge is virtual; more: fewer rewrites, but more SSTables to search and "
                         "more obsolete data; default: 2 * size_ratio");
    table.optional_count("read_threshold", read_threshold, {2, 4096}, "SSTables",
                         "a virtual SSTable of at least so many real ones is merged for real after "
                         "a lookup searched it in vain; more: slower lookups, but fewer rewrites; "
                         "default: size_ratio");
  }
  [[nodiscard]] std::vector<std::string> validate() const { return LeveldbOptions::validate(); }
  void resolve(const StoreOptions& store) {
    LeveldbOptions::resolve(store);
    if (!merge_threshold) merge_threshold = 2 * size_ratio;
    if (!read_threshold) read_threshold = std::max<std::uint64_t>(2, size_ratio);
  }
};

class Dcompaction final : public Policy {
 public:
  explicit Dcompaction(const DcompactionOptions& options) : options_(options) {
    CHECK(options_.merge_threshold && options_.read_threshold);
  }

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] bool flush_keeps_overwritten() const override {
    return options_.flush_keeps_overwritten;
  }

  [[nodiscard]] std::optional<std::uint64_t> seeks_max(const File& file) const override {
    if (!file.is_virtual || file.slices.size() < *options_.read_threshold) return std::nullopt;
    return 1;
  }

  // Virtual SSTables that lookups searched in vain, by key.
  [[nodiscard]] std::vector<FileOrdering> orderings() const override {
    return {files_worn_by_seeks(*this, "virtual and searched in vain")};
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) return leveldb_flush(tree, options_);
    if (has_busy_file(tree)) return std::nullopt;
    const std::vector<std::uint32_t> saturated = saturated_levels(tree, options_);
    if (!saturated.empty()) {
      const std::uint32_t level = saturated.front();
      return push_down(tree, level, next_by_cursor(tree, level));
    }
    for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
      const FileOrder& worn = tree.order(0, level);
      if (!worn.empty()) return merge_in_place(tree, tree.location_of(level, worn[0]));
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] static std::uint64_t sstables_of(const TreeView& tree,
                                                 const std::vector<PlanInput>& inputs) {
    std::uint64_t count = 0;
    FileFinder finder(tree);
    for (const PlanInput& input : inputs) {
      for (const FileId id : input.files) {
        const File& file = finder.at(id);
        count += file.is_virtual ? file.slices.size() : 1;
      }
    }
    return count;
  }

  [[nodiscard]] Plan push_down(const TreeView& tree, std::uint32_t level, const File& file) const {
    LeveldbInputs inputs = leveldb_inputs(tree, level, file.keys, options_);
    const std::vector<CursorUpdate> cursors{{level, inputs.upper.keys.largest}};
    const OutputTarget target = leveled_target(tree, level + 1);
    if (inputs.may_move(tree, options_)) {
      return {PlanReason::kLevelSaturated, MovePlan{std::move(inputs.upper.inputs), target},
              cursors};
    }
    std::vector<PlanInput> all = inputs.all();
    if (sstables_of(tree, all) < *options_.merge_threshold) {
      return {PlanReason::kLevelSaturated, ReferPlan{std::move(all), target}, cursors};
    }
    MergePlan merge;
    merge.inputs = std::move(all);
    merge.target = target;
    merge.cut = leveldb_cut(options_);
    return {PlanReason::kLevelSaturated, std::move(merge), cursors};
  }

  [[nodiscard]] Plan merge_in_place(const TreeView& tree, const FileLocation& at) const {
    const auto level = static_cast<std::uint32_t>(at.level);
    const RunId run = tree.levels()[at.level].runs[at.run].id;
    MergePlan merge;
    merge.inputs = {{level, run, {tree.file_at(at).id}}};
    merge.target = {level, run};
    merge.cut = leveldb_cut(options_);
    return {PlanReason::kSeeks, std::move(merge), {}};
  }

  DcompactionOptions options_;
};

std::vector<RuleFidelity> dcompaction_fidelity() {
  const char* const kPaper = "Pan et al., JCST 32(1), 2017, as cited by Luo and Carey's survey";
  return {
      {"a virtual merge only refers to the SSTables of its inputs", Fidelity::kSimplified, kPaper,
       "as others describe it; of the paper only the abstract is public"},
      {"a threshold of real SSTables from which on merges are real", Fidelity::kSimplified, kPaper,
       "its value and what exactly it counts are in no public text: here the real SSTables of a "
       "merge's inputs, at 2 * size_ratio"},
      {"lookups that meet a virtual SSTable of too many real ones start a real merge",
       Fidelity::kSimplified, kPaper,
       "only lookups that go on to another file; in its own level; the value is in no public text"},
      {"which files merge, and when", Fidelity::kSimplified, "db/version_set.cc, LevelDB 1.23",
       "LevelDB's rules; the paper's code is built on RocksDB"},
      {"where a virtual SSTable ends", Fidelity::kSimplified, kPaper,
       "one for each virtual merge, over all keys of its inputs; no public text says"},
      {"the thresholds that the paper names VSMT and VCT", Fidelity::kNotModelled, kPaper,
       "no public text tells their rules apart"},
      {"slowed and stopped writers", Fidelity::kSimplified, "db/db_impl.cc, LevelDB 1.23",
       "LevelDB's"},
  };
}

}  // namespace

PolicyFamily dcompaction_family() {
  PolicyFamily family = make_family<DcompactionOptions, Dcompaction>(
      "dcompaction",
      "dCompaction: LevelDB's merges, done virtually until they refer to enough SSTables",
      "Pan et al., JCST 2017, as far as public; other rules: LevelDB 1.23");
  family.stalls = leveldb_stalls();
  family.fidelity = dcompaction_fidelity();
  return family;
}

}  // namespace lsmlab

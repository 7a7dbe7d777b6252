// Leveled (merge-policies paper, Section 2; Fig. 1g). All SSTables have the same size. Level i >= 1
// is one sorted run of at most B^i SSTables. If a level has one SSTable too many, the policy takes
// the one that overlaps the fewest SSTables of the next level, and merges it with those, or moves
// it if it overlaps none. Ties: the smallest key. Level 0 buffers whole flushes, which may overlap;
// the oldest leaves first. Figure 1 has no level 0: there a flush is merged with level 1 at once.
//
// The level sizes B, B^2, ... are inferred from the paper. With them, the mean number of levels
// over n flushes, plus one for level 0, equals its 6.25 (B=9) and 7.33 (B=6) for n = 100,000. Its
// 10.53 for n = 1,000,000 results with B=4.
#include <algorithm>

#include "models/policies/leveldb/rules.h"
#include "models/policies/policy.h"
#include "models/theory/merge_policy_costs.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct LeveledOptions {
  std::uint64_t size_ratio = 10;
  std::uint64_t level0_sstables = 2;
  std::optional<Bytes> file_size;
  void declare(OptionTable& table) {
    table.count(
        "size_ratio", size_ratio, {2, 1024}, "",
        "B: number of SSTables of a level divided by that of the level above; more: fewer levels, "
        "but more rewrites in each");
    table.count("level0_sstables", level0_sstables, {0, 1024}, "SSTables",
                "flushes that level 0 buffers before the oldest is merged; 0: each flush is "
                "merged with level 1 at once");
    table.optional_bytes("file_size", file_size, {1, std::uint64_t{1} << 40},
                         "entry bytes at which an SSTable ends; default: the size of the buffer, "
                         "so that all SSTables are of one size");
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
  void resolve(const StoreOptions& store) {
    if (!file_size) file_size = store.buffer;
  }
};

class Leveled final : public Policy {
 public:
  explicit Leveled(const LeveledOptions& options) : options_(options) {}

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }

  [[nodiscard]] std::vector<FileOrdering> orderings() const override {
    FileOrdering least{"fewest overlapping SSTables in the next level", [](const File& file) {
                         return FileRanks{FileRank{file.overlaps[0].files}};
                       }};
    least.levels_below = 1;
    return {std::move(least)};
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush() && options_.level0_sstables > 0) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    // One plan at a time, as in LevelDB: a plan's outputs may lie anywhere between its inputs.
    if (has_busy_file(tree)) return std::nullopt;
    if (tree.pending_flush()) return take_memtable(tree);
    if (tree.levels().empty()) return std::nullopt;
    std::uint64_t sstables_max = 1;
    for (std::uint32_t level = 1; level < tree.levels().size(); ++level) {
      sstables_max = std::min(sstables_max * options_.size_ratio, kSstablesMax);
      const std::vector<SortedRun>& runs = tree.levels()[level].runs;
      if (runs.empty() || runs.front().files.size() <= sstables_max) continue;
      return push_down(tree, level, runs.front(),
                       tree.file_at(tree.location_of(level, tree.order(0, level)[0])));
    }
    // Last: if merges fall behind (with a clock), level 1 would grow to hold all data, and each
    // flush would rewrite it.
    const std::vector<SortedRun>& level0 = tree.levels()[0].runs;
    if (level0.size() > options_.level0_sstables) {
      return push_down(tree, 0, level0.back(), level0.back().files.front());
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint64_t kSstablesMax = std::uint64_t{1} << 50;

  [[nodiscard]] static PlanInput overlapping(const TreeView& tree, std::uint32_t level,
                                             const KeyRange& keys) {
    const SortedRun* run = newest_run(tree, level);
    if (run == nullptr) return {level, RunId(), {}};
    return input_of(level, *run, overlapping_files(*run, keys));
  }

  [[nodiscard]] OutputCut cut() const {
    OutputCut cut;
    cut.file_bytes = options_.file_size;
    return cut;
  }

  [[nodiscard]] std::optional<Plan> take_memtable(const TreeView& tree) const {
    PlanInput below = overlapping(tree, 1, tree.pending_flush()->keys);
    if (below.files.empty())
      return Plan{PlanReason::kMemtableFull, FlushPlan{leveled_target(tree, 1)}, {}};
    return Plan{PlanReason::kMemtableFull,
                MergePlan{true, {std::move(below)}, leveled_target(tree, 1), cut()},
                {}};
  }

  [[nodiscard]] std::optional<Plan> push_down(const TreeView& tree, std::uint32_t level,
                                              const SortedRun& run, const File& file) const {
    PlanInput upper{level, run.id, {file.id}};
    PlanInput below = overlapping(tree, level + 1, file.keys);
    const OutputTarget target = leveled_target(tree, level + 1);
    if (below.files.empty()) {
      return Plan{PlanReason::kLevelSaturated, MovePlan{{std::move(upper)}, target}, {}};
    }
    return Plan{PlanReason::kLevelSaturated,
                MergePlan{false, {std::move(upper), std::move(below)}, target, cut()},
                {}};
  }

  LeveledOptions options_;
};

std::vector<RuleFidelity> leveled_fidelity() {
  const char* const kPaper = "Mao et al., VLDB Journal 2021 (merge-policies paper), Section 2";
  return {
      {"the SSTable that overlaps the fewest of the next level merges with those, or moves",
       Fidelity::kExact, kPaper},
      {"all SSTables have one size", Fidelity::kExact, kPaper},
      {"level 0 buffers flushes", Fidelity::kExact, kPaper},
      {"level i has at most B^i SSTables", Fidelity::kSimplified, kPaper,
       "the paper does not give the first level's size; this one gives its mean number of levels"},
      {"LevelDB's own rules", Fidelity::kNotModelled, kPaper, "leveldb has them"},
  };
}

}  // namespace

PolicyFamily leveled_family() {
  PolicyFamily family = make_family<LeveledOptions, Leveled>(
      "leveled",
      "leveling: merges one SSTable at a time, the one with the least overlap in the next level",
      "Mao et al., VLDB Journal 2021 (merge-policies paper), Section 2 (LevelDB's default, "
      "idealised)");
  family.cost_model = leveled_model;
  family.fidelity = leveled_fidelity();
  family.is_idealised = true;
  return family;
}

}  // namespace lsmlab

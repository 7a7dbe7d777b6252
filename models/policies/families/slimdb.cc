// SlimDB (Ren, Zheng, Arulraj and Gibson, VLDB 2017), as far as public sources tell: a stepped
// merge (Jagadish et al., VLDB 1997) in the small levels, leveling in the large ones (Luo and
// Carey's survey of LSM-trees, VLDB Journal 2020).
//
//  - A flush becomes a run (sub-level) of level 0.
//  - Above level leveled_from, a level whose runs are sub_levels merges its oldest sub_levels into
//    one run of the next level.
//  - From there on, a level is one run, with which what arrives is merged. When it holds sub_levels
//    arrivals, it goes to the next level: it is merged with that level's run, or moves if there is
//    none. Sizes are rounded to whole arrivals; an arrival at level i is sub_levels^i memtables.
//
// Each step of a cascade writes its output.
#include <algorithm>
#include <optional>
#include <vector>

#include "models/policies/fluid/levels.h"
#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct SlimdbOptions {
  std::uint64_t sub_levels = 10;
  std::uint64_t leveled_from = 2;
  std::optional<Bytes> level_base;

  void declare(OptionTable& table) {
    table.count("sub_levels", sub_levels, {2, 1024}, "runs",
                "r: so many runs of a level, or arrivals at a leveled one, go to the next level; "
                "more: fewer levels, but more runs for a read to visit");
    table.count("leveled_from", leveled_from, {1, 64}, "level",
                "first level that is one run; deeper: fewer rewrites, but more runs; 64: none is");
    table.optional_bytes("level_base", level_base, {1, kFluidUnitMax},
                         "size of one arrival at level 0; default: buffer; on a workload of flush "
                         "sizes, their mean");
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
  void resolve(const StoreOptions& store) {
    if (!level_base) level_base = store.buffer;
  }
};

class Slimdb final : public Policy {
 public:
  explicit Slimdb(const SlimdbOptions& options) : options_(options) {}

  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return options_.sub_levels;
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
      if (std::optional<Plan> plan = push_down(tree, level)) return plan;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] static const std::vector<SortedRun>& runs_of(const TreeView& tree,
                                                             std::uint32_t level) {
    static const std::vector<SortedRun> kNone;
    return level < tree.levels().size() ? tree.levels()[level].runs : kNone;
  }
  [[nodiscard]] bool is_leveled(std::uint32_t level) const {
    return level >= options_.leveled_from;
  }

  // How many of the oldest runs of a level go down; 0 if none do.
  [[nodiscard]] std::size_t runs_due(const TreeView& tree, std::uint32_t level) const {
    const std::vector<SortedRun>& runs = runs_of(tree, level);
    if (!is_leveled(level)) {
      return runs.size() < options_.sub_levels ? 0 : options_.sub_levels;
    }
    std::uint64_t unit = options_.level_base->value();
    for (std::uint32_t i = 0; i < level; ++i) unit = fluid_product(unit, options_.sub_levels);
    const Uint128 held = tree.levels()[level].sums.bytes;
    return (held + unit / 2) / unit < options_.sub_levels ? 0 : runs.size();
  }

  [[nodiscard]] std::optional<Plan> push_down(const TreeView& tree, std::uint32_t level) const {
    const std::vector<SortedRun>& runs = runs_of(tree, level);
    const std::size_t due = runs_due(tree, level);
    if (due == 0) return std::nullopt;
    std::vector<PlanInput> inputs;
    bool is_busy = false;
    const auto take = [&](std::uint32_t from, const SortedRun& run) {
      inputs.push_back(input_of(from, run, run.files));
      is_busy = is_busy || run.busy();
    };
    for (std::size_t i = runs.size() - due; i < runs.size(); ++i) take(level, runs[i]);
    if (is_leveled(level + 1)) {
      for (const SortedRun& run : runs_of(tree, level + 1)) take(level + 1, run);
    }
    if (is_busy) return std::nullopt;
    const PlanReason reason =
        is_leveled(level) ? PlanReason::kLevelSaturated : PlanReason::kSortedRunCount;
    const OutputTarget target{level + 1, std::nullopt};
    if (inputs.size() == 1) return Plan{reason, MovePlan{std::move(inputs), target}, {}};
    MergePlan merge;
    merge.inputs = std::move(inputs);
    merge.target = target;
    return Plan{reason, std::move(merge), {}};
  }

  SlimdbOptions options_;
};

std::vector<RuleFidelity> slimdb_fidelity() {
  const char* const kPaper = "Ren et al., VLDB 2017";
  const char* const kSurvey = "Luo and Carey, VLDB Journal 2020 (survey)";
  return {
      {"sub-levels of a level merge into one of the next", Fidelity::kSimplified, kPaper,
       "there is no public code; how many they are (sub_levels) is not taken from SlimDB"},
      {"small levels are tiered, large ones leveled", Fidelity::kSimplified, kSurvey,
       "the level of the change (leveled_from) is not taken from SlimDB"},
      {"which files of a level merge", Fidelity::kSimplified,
       "compaction-design-space paper, Table 1", "whole runs do, and a run is one file"},
      {"multi-level cuckoo filters name the newest run that may have a key", Fidelity::kNotModelled,
       kPaper, "each run has a Bloom filter"},
      {"compact indexes of semi-sorted keys (three-level block index)", Fidelity::kNotModelled,
       kPaper, "indexes are those of the table format"},
      {"each level gets the filter and index that fit its share of reads and the memory",
       Fidelity::kNotModelled, kPaper, "filter_split divides bits between levels by their sizes"},
  };
}

}  // namespace

PolicyFamily slimdb_family() {
  PolicyFamily family = make_family<SlimdbOptions, Slimdb>(
      "slimdb",
      "SlimDB's stepped merge: small levels of several runs, large levels of one; merges whole "
      "runs",
      "Ren et al., VLDB 2017, and Luo and Carey's survey; SlimDB's code is not public");
  family.fidelity = slimdb_fidelity();
  return family;
}

}  // namespace lsmlab

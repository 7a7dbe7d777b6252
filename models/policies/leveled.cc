// Leveled (merge-policies paper, Section 2; Fig. 1g): SSTables of equal size; level i >= 1 is one
// sorted run of at most B^i SSTables; one SSTable too many and the one that overlaps the fewest
// SSTables of the next level is merged with those, or moved where it overlaps none. Level 0 buffers
// whole flushes, which may overlap; the oldest leaves first. Figure 1 has no level 0: there a flush
// is merged with level 1 at once. Ties: the smallest key.
//
// The level sizes B, B^2, ... are read off the paper: with them the mean number of levels over n
// flushes, plus one for level 0, is its 6.25 (B=9) and 7.33 (B=6) for n = 100,000; its 10.53 for n
// = 1,000,000 comes out with B=4.
#include <algorithm>

#include "models/policy.h"

namespace lsmlab {
namespace {

struct LeveledOptions {
  std::uint64_t size_ratio = 10;
  std::uint64_t level0_sstables = 2;
  void declare(OptionTable& table) {
    table.count(
        "size_ratio", size_ratio, {2, 1024}, "",
        "B: SSTables of a level over those of the one above; more: fewer levels, more rewrites");
    table.count("level0_sstables", level0_sstables, {0, 1024}, "SSTables",
                "flushes that level 0 buffers; 0: a flush is merged with level 1 at once");
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

class Leveled final : public Policy {
 public:
  explicit Leveled(const LeveledOptions& options) : options_(options) {}

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) return take_memtable(tree);
    if (tree.levels().empty()) return std::nullopt;
    const std::vector<SortedRun>& level0 = tree.levels()[0].runs;
    if (level0.size() > options_.level0_sstables) {
      return push_down(tree, 0, level0.back(), level0.back().files.front());
    }
    std::uint64_t sstables_max = 1;
    for (std::uint32_t level = 1; level < tree.levels().size(); ++level) {
      sstables_max = std::min(sstables_max * options_.size_ratio, kSstablesMax);
      const std::vector<SortedRun>& runs = tree.levels()[level].runs;
      if (runs.empty() || runs.front().files.size() <= sstables_max) continue;
      return push_down(tree, level, runs.front(), least_overlapping(tree, level, runs.front()));
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint64_t kSstablesMax = std::uint64_t{1} << 50;

  [[nodiscard]] static const SortedRun* run_of(const TreeView& tree, std::uint32_t level) {
    if (level >= tree.levels().size() || tree.levels()[level].runs.empty()) return nullptr;
    return &tree.levels()[level].runs.front();
  }

  [[nodiscard]] static PlanInput overlapping(const TreeView& tree, std::uint32_t level,
                                             const KeyRange& keys) {
    const SortedRun* run = run_of(tree, level);
    PlanInput input{level, run != nullptr ? run->id : RunId(), {}};
    if (run == nullptr) return input;
    for (const File& file : run->files) {
      if (file.keys.overlaps(keys)) input.files.push_back(file.id);
    }
    return input;
  }

  [[nodiscard]] static OutputTarget target_of(const TreeView& tree, std::uint32_t level) {
    const SortedRun* run = run_of(tree, level);
    return {level, run != nullptr ? std::optional(run->id) : std::nullopt};
  }

  [[nodiscard]] std::optional<Plan> take_memtable(const TreeView& tree) const {
    if (options_.level0_sstables > 0) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    PlanInput below = overlapping(tree, 1, tree.pending_flush()->keys);
    if (below.files.empty())
      return Plan{PlanReason::kMemtableFull, FlushPlan{target_of(tree, 1)}, {}};
    return Plan{
        PlanReason::kMemtableFull, MergePlan{true, {std::move(below)}, target_of(tree, 1)}, {}};
  }

  [[nodiscard]] static const File& least_overlapping(const TreeView& tree, std::uint32_t level,
                                                     const SortedRun& run) {
    const auto overlap = [&](const File& file) {
      return overlapping(tree, level + 1, file.keys).files.size();
    };
    return *std::min_element(run.files.begin(), run.files.end(),
                             [&](const File& a, const File& b) { return overlap(a) < overlap(b); });
  }

  [[nodiscard]] static std::optional<Plan> push_down(const TreeView& tree, std::uint32_t level,
                                                     const SortedRun& run, const File& file) {
    PlanInput upper{level, run.id, {file.id}};
    PlanInput below = overlapping(tree, level + 1, file.keys);
    const OutputTarget target = target_of(tree, level + 1);
    if (below.files.empty()) {
      return Plan{PlanReason::kLevelSaturated, MovePlan{{std::move(upper)}, target}, {}};
    }
    return Plan{PlanReason::kLevelSaturated,
                MergePlan{false, {std::move(upper), std::move(below)}, target},
                {}};
  }

  LeveledOptions options_;
};

}  // namespace

PolicyFamily leveled_family() {
  return make_family<LeveledOptions, Leveled>(
      "leveled", "leveling, one SSTable at a time, the one with the least overlap below",
      "merge-policies paper, Section 2 (LevelDB's default, idealised)");
}

}  // namespace lsmlab

// The LSM-bush (Dayan and Idreos, "The Log-Structured Merge-Bush & the Wacky Continuum", SIGMOD
// 2019). In a tree of L levels, counted from 1, r_i = T^(2^(L-i-1)) runs come together in level i
// before they merge into one run of the next level: T in level L - 1, T^2 above it, then T^4, ...
// Small levels so merge seldom. The deepest level is one run, of up to C times what arrives at it.
// Levels and merges are those of models/policies/fluid/levels.h. Level 1 of the paper is level 0
// here.
//
// T follows from the data, as in the paper: it is the least whole number, at least t_min, with
// which the deepest run is at most C * T^(2^(L-1) - 1) memtables. It only changes when the deepest
// run does, and all other levels are empty then.
//
// With flushes of one size, each byte is written at most once in every level above the deepest. If
// the data keeps its size, it is written up to C times in the deepest. If the data grows, so does
// what arrives there.
#include <algorithm>

#include "models/policies/fluid/levels.h"
#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kRunsMax = std::uint64_t{1} << 31;
constexpr std::uint64_t kRatioMax = std::uint64_t{1} << 20;

struct LsmBushOptions {
  std::uint64_t t_min = 2;
  std::uint64_t c = 2;
  std::uint64_t levels = 4;
  std::optional<Bytes> level_base;

  void declare(OptionTable& table) {
    table.count("t_min", t_min, {2, 1024}, "runs",
                "least T: so many runs of the level above the deepest merge; the level above that "
                "has T^2, then T^4, ...; more: fewer merges in small trees, but more runs for a "
                "read to visit");
    table.count("c", c, {1, 1024}, "",
                "C: size of the deepest level divided by what arrives at it; more: less space and "
                "fewer runs, but more rewrites");
    table.count("levels", levels, {3, 8}, "levels",
                "L: number of levels; more: each byte is written once more, and less is in small "
                "runs");
    table.optional_bytes("level_base", level_base, {1, kFluidUnitMax},
                         "size of one run of level 0; default: buffer; on a workload of flush "
                         "sizes, their mean");
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
  void resolve(const StoreOptions& store) {
    if (!level_base) level_base = store.buffer;
  }
};

class LsmBush final : public Policy {
 public:
  explicit LsmBush(const LsmBushOptions& options) : options_(options) {}

  [[nodiscard]] bool bounds_runs() const override { return true; }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    const std::uint64_t ratio = ratio_of(tree);
    return pick_fluid(
        tree, [&](std::uint32_t level, std::uint32_t /*deepest*/) { return shape(level, ratio); },
        deepest());
  }

  [[nodiscard]] std::vector<LevelCapacity> level_capacities(const TreeView& tree) const override {
    const std::uint64_t ratio = ratio_of(tree);
    std::vector<LevelCapacity> capacities;
    for (std::uint32_t level = 0; level < deepest(); ++level) {
      const FluidLevel rule = shape(level, ratio);
      capacities.push_back({fluid_product(rule.unit_bytes, rule.runs_max), rule.runs_max});
    }
    capacities.push_back({capacity(ratio), 1});
    return capacities;
  }

 private:
  [[nodiscard]] std::uint32_t deepest() const {
    return static_cast<std::uint32_t>(options_.levels - 1);
  }

  /// T for the tree as it is.
  [[nodiscard]] std::uint64_t ratio_of(const TreeView& tree) const {
    const std::uint64_t bytes = level_bytes(tree, deepest()).value();
    std::uint64_t ratio = options_.t_min;
    while (ratio < kRatioMax && capacity(ratio) < bytes) ++ratio;
    return ratio;
  }

  // Of the deepest level.
  [[nodiscard]] std::uint64_t capacity(std::uint64_t ratio) const {
    return fluid_product(shape(deepest(), ratio).unit_bytes, options_.c);
  }

  // r_i of a level above the deepest.
  [[nodiscard]] std::uint64_t arrivals(std::uint32_t level, std::uint64_t ratio) const {
    std::uint64_t runs = ratio;
    for (std::uint32_t i = level + 1; i < deepest() && runs < kRunsMax; ++i) {
      runs = std::min(runs * runs, kRunsMax);
    }
    return runs;
  }

  [[nodiscard]] FluidLevel shape(std::uint32_t level, std::uint64_t ratio) const {
    FluidLevel rule;
    rule.unit_bytes = options_.level_base->value();
    for (std::uint32_t i = 0; i < level; ++i) {
      rule.unit_bytes = fluid_product(rule.unit_bytes, arrivals(i, ratio));
    }
    if (level < deepest()) {
      rule.runs_max = arrivals(level, ratio) - 1;
      rule.run_units_max = 0;  // what arrives is a run
    }
    return rule;
  }

  LsmBushOptions options_;
};

}  // namespace

PolicyFamily lsm_bush_family() {
  PolicyFamily family = make_family<LsmBushOptions, LsmBush>(
      "lsm-bush",
      "LSM-bush: levels above the deepest gather T, T^2, T^4, ... runs before they merge",
      "Dayan and Idreos, SIGMOD 2019 (the Log-Structured Merge-Bush)");
  const std::string paper = "The Log-Structured Merge-Bush, SIGMOD 2019";
  family.fidelity = {
      {"level i gathers T^(2^(L-i-1)) runs", Fidelity::kExact, paper},
      {"the deepest level is one run of C times what arrives", Fidelity::kExact, paper},
      {"T follows from the number of entries", Fidelity::kSimplified, paper,
       "from the bytes of the deepest run, in whole numbers; L stays as given"},
      {"filters by level", Fidelity::kSimplified, paper,
       "with filter_split=monkey, which minimises the same sum over the runs that there are"},
      {"hash tables in place of filters in small levels", Fidelity::kNotModelled, paper,
       "they change no merge"},
  };
  return family;
}

}  // namespace lsmlab

// The Fluid LSM-tree of Dostoevsky (Dayan and Idreos, SIGMOD 2018, Sections 4.1 and 4.3). Level i,
// counted from 1, holds size_ratio (T) times as much as the one above: T^i memtables arrive at it
// before it is full. While nothing arrives it so holds up to T - 1 units of T^(i-1) memtables, in
// at most K runs, or Z runs in the deepest level. The arrival that would be the T-th goes down with
// all runs of the level (models/policies/fluid/levels.h). An active run is sealed when it holds the
// K-th (Z-th) part of the level.
//
//   K = Z = 1          leveling
//   K = Z = T - 1      tiering
//   K = T - 1, Z = 1   lazy leveling, the default
//
// A new deepest level begins when the deepest one is full. Level 1 of the paper is level 0 here.
//
// What a byte is written on average, from these rules, for flushes of one size in a full tree of L
// levels, with U = T - 1: (L - 1) * (U/K + 1) * U / 2T + (U/Z + 1) * U / 2T if U is a multiple of K
// and Z. For K and Z of 1 and U that is the paper's U / (K+1) * (L - 1) + U / (Z+1); between them
// the paper's approximation exceeds it.
//
// Bloom filters by the paper's formula are those of filter_split=monkey: both minimise the sum of
// the rates of false positives over all runs. For the lazy tree the rates are p_L = R (T-1) / T and
// p_i = R / T^(L-i+1), where R is their sum.
#include <fmt/format.h>

#include "models/policies/fluid/levels.h"
#include "models/policies/policy.h"

namespace lsmlab {
namespace {

struct DostoevskyOptions {
  std::uint64_t size_ratio = 10;
  std::optional<std::uint64_t> k;
  std::optional<std::uint64_t> z;
  std::optional<Bytes> level_base;

  void declare(OptionTable& table) {
    table.count("size_ratio", size_ratio, {2, 1024}, "",
                "T: capacity of a level divided by that of the level above; more: fewer levels, "
                "but more rewrites in each, or more runs");
    table.optional_count("k", k, {1, 1023}, "runs",
                         "K: most sorted runs of a level above the deepest; more: fewer rewrites, "
                         "but more runs for a scan to visit; default: size_ratio - 1");
    table.optional_count("z", z, {1, 1023}, "runs",
                         "Z: most sorted runs of the deepest level; more: fewer rewrites, but more "
                         "space and more runs for every read; default: 1");
    table.optional_bytes("level_base", level_base, {1, kFluidUnitMax},
                         "capacity of level 0; default: size_ratio * buffer; on a workload of "
                         "flush sizes, size_ratio * their mean");
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults;
    const auto check = [&](const char* name, const std::optional<std::uint64_t>& runs) {
      if (!runs || *runs < size_ratio) return;
      faults.push_back(fmt::format("{}={} is not below size_ratio={}", name, *runs, size_ratio));
    };
    check("k", k);
    check("z", z);
    if (level_base && level_base->value() < size_ratio) {
      faults.push_back(fmt::format("level_base is below size_ratio={} bytes", size_ratio));
    }
    return faults;
  }
  void resolve(const StoreOptions& store) {
    if (!k) k = size_ratio - 1;
    if (!z) z = 1;
    if (!level_base) level_base = Bytes(fluid_product(store.buffer.value(), size_ratio));
  }
};

class Dostoevsky final : public Policy {
 public:
  explicit Dostoevsky(const DostoevskyOptions& options) : options_(options) {}

  [[nodiscard]] bool bounds_runs() const override { return true; }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    return pick_fluid(
        tree, [this](std::uint32_t level, std::uint32_t deepest) { return shape(level, deepest); },
        0);
  }

  [[nodiscard]] std::vector<LevelCapacity> level_capacities(const TreeView& tree) const override {
    std::vector<LevelCapacity> capacities;
    const std::uint32_t deepest = fluid_deepest(tree, 0);
    for (std::uint32_t level = 0; level <= deepest; ++level) {
      const FluidLevel rule = shape(level, deepest);
      capacities.push_back({fluid_product(rule.unit_bytes, *rule.units_max), rule.runs_max});
    }
    return capacities;
  }

 private:
  [[nodiscard]] FluidLevel shape(std::uint32_t level, std::uint32_t deepest) const {
    FluidLevel rule;
    rule.unit_bytes = options_.level_base->value() / options_.size_ratio;
    for (std::uint32_t i = 0; i < level; ++i) {
      rule.unit_bytes = fluid_product(rule.unit_bytes, options_.size_ratio);
    }
    const std::uint64_t units = options_.size_ratio - 1;
    rule.units_max = units;
    rule.runs_max = level < deepest ? *options_.k : *options_.z;
    rule.run_units_max = (units + rule.runs_max - 1) / rule.runs_max;
    return rule;
  }

  DostoevskyOptions options_;
};

}  // namespace

PolicyFamily dostoevsky_family() {
  PolicyFamily family = make_family<DostoevskyOptions, Dostoevsky>(
      "dostoevsky",
      "Dostoevsky's Fluid LSM-tree: at most K runs in each level, Z in the deepest; lazy leveling "
      "by default",
      "Dayan and Idreos, SIGMOD 2018, Sections 4.1 and 4.3");
  const std::string paper = "Dostoevsky, SIGMOD 2018, ";
  family.fidelity = {
      {"levels of at most K runs, Z in the deepest", Fidelity::kExact, paper + "Section 4.3"},
      {"an active run is sealed at the K-th part of its level", Fidelity::kSimplified,
       paper + "Section 4.3",
       "the paper leaves open whether the arrival counts that makes a level full; here the part is "
       "that of the T - 1 units that stay, so that K = T - 1 is tiering; sizes count in whole "
       "units"},
      {"a full level goes into the active run of the next one", Fidelity::kExact,
       paper + "Section 4.3"},
      {"filters by level (filter_split=monkey)", Fidelity::kExact,
       paper + "Section 4.1, Equation 6"},
      {"the system chooses K, Z and T for a workload", Fidelity::kNotModelled, paper + "Section 5",
       "they are options; lsmlab advise and sweep compare them"},
      {"the deepest level merges file by file in RocksDB", Fidelity::kNotModelled,
       paper + "Section 6", "the paper's rule and cost model merge whole runs"},
  };
  return family;
}

}  // namespace lsmlab

// Levels of sorted runs in which one run is active, as the Fluid LSM-tree has them (Dayan and
// Idreos, "Dostoevsky", SIGMOD 2018, Section 4.3) and the LSM-bush (the same, SIGMOD 2019).
//
// Data arrives at a level as a unit: the memtable at level 0, at deeper levels what the level above
// gives up. The newest run of a level is active: what arrives is merged with it, until it is full;
// then it is sealed, and the next arrival begins a run. A level is full when it has its number of
// sealed runs, or when the arrival would not fit. Then all of its runs and the arrival go to the
// next level together. One merge takes an arrival through all full levels, the memtable included.
//
// Sizes are rounded to whole units of a level, so that half a unit more or less decides nothing: a
// run of a few units is never exactly as large as those units.
//
// If the memtable must not wait for a busy run, it becomes a run of level 0 by itself. Later, a
// level with more units than it may hold goes down, and one with more runs merges the newest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "models/base/units.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// What a level may hold while nothing arrives.
struct FluidLevel {
  std::uint64_t unit_bytes = 1;            // size of one arrival; above 0
  std::optional<std::uint64_t> units_max;  // none: the number of runs alone is bounded
  std::uint64_t runs_max = 1;
  std::optional<std::uint64_t> run_units_max;  // a run of so many units is sealed; none: never

  [[nodiscard]] std::uint64_t units(Uint128 bytes) const {
    return static_cast<std::uint64_t>((bytes + unit_bytes / 2) / unit_bytes);
  }
};

/// The rules of a level in a tree whose deepest level is `deepest`.
using FluidShape = std::function<FluidLevel(std::uint32_t level, std::uint32_t deepest)>;

/// The largest unit; larger products count as this.
inline constexpr std::uint64_t kFluidUnitMax = std::uint64_t{1} << 62;
/// a * b, at most kFluidUnitMax.
[[nodiscard]] std::uint64_t fluid_product(std::uint64_t a, std::uint64_t b);

/// The next plan. Levels up to `deepest_min` count as the tree's even while they are empty. Takes
/// O(levels), and O(runs) of each level whose units are bounded.
[[nodiscard]] std::optional<Plan> pick_fluid(const TreeView& tree, const FluidShape& shape,
                                             std::uint32_t deepest_min);

/// The deepest level that holds a run; at least `deepest_min`.
[[nodiscard]] std::uint32_t fluid_deepest(const TreeView& tree, std::uint32_t deepest_min);

}  // namespace lsmlab

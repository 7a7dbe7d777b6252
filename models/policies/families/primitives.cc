// Any combination of the four primitives of the compaction design space (design-space paper,
// Sections 3.1 and 3.2; presets: its Tables 1 and 2). This file asks the triggers in their order.
// models/policies/primitives/push.h makes the plan, and models/policies/primitives/file_choice.h
// chooses the file. The triggers:
//
//   - sorted-runs: a level has reached its number of runs; upper levels first. Level 0, whose runs
//     are the flushes, is always asked: it comes first if this trigger is not given.
//   - level-saturation: a leveled level i >= 1 (with layout=tiering every level i >= 1) holds more
//     than level_base * size_ratio^(i-1) bytes. The level that is fullest relative to its capacity
//     comes first, then the upper one.
//   - staleness: a file has been in a level above the last one for too long. For this and the
//     following triggers upper levels come first, and only files that fired the trigger can be
//     chosen.
//   - tombstone-ttl: a file's oldest tombstone has exceeded its time
//     (models/policies/delete_persistence.h).
//   - tombstone-density: too large a share of a file's entries are tombstones.
//   - space-amplification: 100 * bytes of all runs but the oldest >= percent * bytes of the oldest,
//     as RocksDB's universal style estimates it.
#include <algorithm>

#include "models/policies/policy.h"
#include "models/policies/primitives/options.h"
#include "models/policies/primitives/push.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

class Picker {
 public:
  Picker(const Primitives& primitives, const FileChooser& chooser, const TreeView& tree)
      : primitives_(primitives), chooser_(chooser), tree_(tree), push_(primitives, chooser, tree) {}

  [[nodiscard]] std::optional<Plan> pick() const {
    if (tree_.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    if (!deepest_level(tree_)) return std::nullopt;
    if (!primitives_.has(Trigger::kSortedRuns)) {
      if (auto plan = full_of_runs(0)) return plan;
    }
    for (const Trigger trigger : primitives_.triggers) {
      if (auto plan = ask(trigger)) return plan;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<Plan> ask(Trigger trigger) const {
    switch (trigger) {
      case Trigger::kLevelSaturation:
        return saturated();
      case Trigger::kSortedRuns:
        for (std::uint32_t level = 0; level <= push_.deepest(); ++level) {
          if (auto plan = full_of_runs(level)) return plan;
        }
        return std::nullopt;
      case Trigger::kStaleness:
        return stale();
      case Trigger::kSpaceAmplification:
        return amplified();
      case Trigger::kTombstoneTtl:
        return expired();
      case Trigger::kTombstoneDensity:
        return dense();
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Plan> full_of_runs(std::uint32_t level) const {
    const std::size_t runs = tree_.levels()[level].runs.size();
    const std::uint64_t limit = push_.run_limit(level);
    // A leveled level with two or more runs is full. Another policy left these runs there.
    const bool is_leveled = level > 0 && limit == 1;
    if (runs == 0 || runs < (is_leveled ? 2 : limit)) return std::nullopt;
    return push_.push_level(level, PlanReason::kSortedRunCount);
  }

  [[nodiscard]] std::optional<Plan> saturated() const {
    struct Fullness {
      std::uint32_t level;
      std::uint64_t bytes;
      std::uint64_t capacity;
    };
    std::vector<Fullness> levels;
    for (std::uint32_t level = 1; level <= push_.deepest(); ++level) {
      if (push_.run_limit(level) > 1 && primitives_.layout != DataLayout::kTiering) continue;
      const Fullness fullness{level, level_bytes(tree_, level).value(),
                              primitives_.levels.capacity(level).value()};
      if (fullness.bytes > fullness.capacity) levels.push_back(fullness);
    }
    std::stable_sort(levels.begin(), levels.end(), [](const Fullness& a, const Fullness& b) {
      return Uint128{a.bytes} * b.capacity > Uint128{b.bytes} * a.capacity;
    });
    for (const Fullness& full : levels) {
      if (auto plan = push_.push_level(full.level, PlanReason::kLevelSaturated)) return plan;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Plan> stale() const {
    const std::uint64_t now = tree_.now().value();
    for (std::uint32_t level = 0; level < push_.deepest(); ++level) {
      const auto is_stale = [&](const File& file) {
        return file.level_since.value() < now &&
               now - file.level_since.value() > primitives_.staleness;
      };
      auto plan = push_.push_marked(level, PlanReason::kStaleFile,
                                    chooser_.by_level_time(tree_, level), is_stale);
      if (plan) return plan;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Plan> expired() const {
    for (std::uint32_t level = 0; level <= push_.deepest(); ++level) {
      const auto is_expired = [&](const File& file) {
        return primitives_.delete_persistence->is_expired(file, tree_.now(), level,
                                                          push_.deepest());
      };
      auto plan = push_.push_marked(level, PlanReason::kTombstoneAge,
                                    chooser_.by_tombstone_time(tree_, level), is_expired);
      if (plan) return plan;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Plan> dense() const {
    for (std::uint32_t level = 0; level <= push_.deepest(); ++level) {
      if (auto plan = push_.push_dense(level, PlanReason::kTombstoneDensity)) return plan;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Plan> amplified() const {
    if (tree_.run_count() < 2) return std::nullopt;
    Bytes all;
    for (std::uint32_t level = 0; level <= push_.deepest(); ++level) {
      all += level_bytes(tree_, level);
    }
    const Bytes oldest = tree_.levels()[push_.deepest()].runs.back().bytes();
    if (Uint128{(all - oldest).value()} * 100 <
        Uint128{oldest.value()} * primitives_.space_amplification_percent) {
      return std::nullopt;
    }
    return push_.merge_all(PlanReason::kSpaceAmplification);
  }

  const Primitives& primitives_;
  const FileChooser& chooser_;
  const TreeView& tree_;
  PrimitivesPush push_;
};

class PrimitivesPolicy final : public Policy {
 public:
  explicit PrimitivesPolicy(const PrimitivesOptions& options) : primitives_(options.primitives()) {}

  [[nodiscard]] PolicyNeeds needs() const override {
    return primitives_.options_by_files().empty() ? PolicyNeeds::kSizes : PolicyNeeds::kKeys;
  }
  [[nodiscard]] std::vector<std::string> options_that_need_keys() const override {
    return primitives_.options_by_files();
  }
  [[nodiscard]] std::vector<FileOrdering> orderings() const override {
    return chooser_.orderings();
  }
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    return Picker(primitives_, chooser_, tree).pick();
  }

 private:
  const Primitives primitives_;
  const FileChooser chooser_{primitives_};
};

std::vector<RuleFidelity> primitives_fidelity() {
  const std::string paper = "Sarkar et al., VLDB 2021 (design-space paper), Section ";
  return {
      {"triggers: level saturation, number of runs, staleness, space amplification, age of "
       "tombstones",
       Fidelity::kExact, paper + "3.1"},
      {"layouts: leveling, tiering, 1-leveling, L-leveling, hybrid", Fidelity::kExact,
       paper + "3.1"},
      {"granularity: level, sorted runs, file, several files", Fidelity::kExact, paper + "3.1"},
      {"data movement: round-robin, least overlap, coldest, oldest, most tombstones, expired "
       "tombstones",
       Fidelity::kExact, paper + "3.1"},
      {"space amplification", Fidelity::kSimplified, paper + "3.1",
       "estimated as RocksDB's universal style does: all runs but the oldest, compared with it"},
      {"which trigger comes first", Fidelity::kSimplified, paper + "3.2",
       "in the order in which they are given; the paper's Table 1 has no order"},
      {"level 0", Fidelity::kSimplified, paper + "3.1",
       "it merges at l0_trigger flushes under every layout, as in the paper's engine"},
      {"presets NAME-table1: a system's row of Table 1", Fidelity::kSimplified,
       paper + "4, Table 1",
       "a row says nothing of sizes, of ties and of what else a system does; NAME and "
       "NAME-defaults follow its code"},
      {"presets lethe...: FADE's time to live for each level", Fidelity::kSimplified,
       "Sarkar et al., SIGMOD 2020 (Lethe), Section 4.1",
       "a file's age is compared with the sum of the times of the levels that it passed"},
      {"Lethe: deletes by a second key (KiWi)", Fidelity::kNotModelled,
       "Sarkar et al., SIGMOD 2020 (Lethe), Section 4.2", "entries have one key"},
  };
}

}  // namespace

PolicyFamily primitives_family() {
  PolicyFamily family = make_family<PrimitivesOptions, PrimitivesPolicy>(
      "primitives",
      "any combination of the four primitives: trigger, data layout, granularity and data "
      "movement",
      "Sarkar et al., VLDB 2021 (design-space paper), Sections 3 and 4");
  family.sizes_suffice_with =
      "granularity=level or sorted-runs, without the triggers staleness, tombstone-ttl and "
      "tombstone-density";
  family.file_options = {"file_size", "grandparent_limit"};
  family.fidelity = primitives_fidelity();
  family.is_idealised = true;
  return family;
}

}  // namespace lsmlab

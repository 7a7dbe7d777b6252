// bLSM (Sears and Ramakrishnan, SIGMOD 2012; mergeScheduler.cpp of the authors' repository):
// leveling in three components. C0 is the memtable. C1 and C2 are sorted runs that are merged as a
// whole.
//
//  - Each full memtable is merged with C1, in one step: it is never written on its own.
//  - After that, C1 is handed over if 1.05 * |C1| / mean > R, where mean is that of the bytes of
//  all
//    memtables so far, and R = max(min_ratio, sqrt(|C2| / mean)). It is merged with C2, and the
//    next memtable begins a new C1.
//  - If C1 is to be handed over while its predecessor is still being merged, memtables wait.
//
// C1, and a predecessor that was handed over, are in level 0 here, C2 in level 1. The cursor of
// level 0 is the sum of the bytes of all memtables. R is computed when it is asked for, and
// compared without roots and fractions.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct BlsmOptions {
  std::uint64_t min_ratio = 3;

  void declare(OptionTable& table) {
    table.count(
        "min_ratio", min_ratio, {1, 1024}, "",
        "least R, of memtables that a C1 holds when it is handed over; more: fewer rewrites "
        "of C2 while it is small, but more of C1");
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

class Blsm final : public Policy {
 public:
  explicit Blsm(const BlsmOptions& options) : options_(options) {}

  [[nodiscard]] bool bounds_runs() const override { return true; }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) return take_memtable(tree);
    const std::vector<SortedRun>& first = runs_of(tree, 0);
    if (first.empty() || (first.size() == 1 && !is_ripe(tree, first.front()))) return std::nullopt;
    MergePlan merge;
    merge.inputs.push_back(input_of(0, first.back(), first.back().files));
    bool is_busy = first.back().busy();
    for (const SortedRun& run : runs_of(tree, 1)) {
      merge.inputs.push_back(input_of(1, run, run.files));
      is_busy = is_busy || run.busy();
    }
    if (is_busy) return std::nullopt;
    merge.target = {1, std::nullopt};
    return Plan{PlanReason::kSizeRatio, std::move(merge), {}};
  }

 private:
  [[nodiscard]] static const std::vector<SortedRun>& runs_of(const TreeView& tree,
                                                             std::uint32_t level) {
    static const std::vector<SortedRun> kNone;
    return level < tree.levels().size() ? tree.levels()[level].runs : kNone;
  }

  [[nodiscard]] std::optional<Plan> take_memtable(const TreeView& tree) const {
    const std::vector<CursorUpdate> cursors{{0, bytes_with_pending(tree)}};
    const std::vector<SortedRun>& first = runs_of(tree, 0);
    const bool begins_c1 = first.empty() || (first.size() == 1 && is_ripe(tree, first.front()));
    if (begins_c1) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, cursors};
    }
    const SortedRun& c1 = first.front();
    if (c1.busy()) return std::nullopt;
    // A predecessor whose merge has not begun would not begin it while a memtable waits.
    const bool waits = first.size() > 1 && first.back().busy() && is_ripe(tree, c1);
    if (waits) return std::nullopt;
    MergePlan merge;
    merge.takes_memtable = true;
    merge.inputs.push_back(input_of(0, c1, c1.files));
    merge.target = {0, std::nullopt};
    return Plan{PlanReason::kSortedRunCount, std::move(merge), cursors};
  }

  // Of a tree that another policy made, all memtables are taken to have been like this one.
  [[nodiscard]] static std::uint64_t bytes_with_pending(const TreeView& tree) {
    const Uint128 bytes = tree.pending_flush()->bytes.value();
    const bool is_known = !tree.levels().empty() && tree.levels()[0].cursor;
    const Uint128 before = is_known ? *tree.levels()[0].cursor : bytes * tree.flush_count();
    constexpr Uint128 kMax = std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(std::min(before + bytes, kMax));
  }

  // 1.05 * |C1| / mean > R.
  [[nodiscard]] bool is_ripe(const TreeView& tree, const SortedRun& c1) const {
    const std::uint64_t flushes = std::max<std::uint64_t>(tree.flush_count(), 1);
    const std::uint64_t sum = tree.levels()[0].cursor.value_or(0);
    const Uint128 mean = std::max<std::uint64_t>(sum / flushes, 1);
    // Its square fits 128 bits.
    const Uint128 held = Uint128{std::min(c1.bytes().value(), std::uint64_t{1} << 58)} * 21;
    if (held <= mean * options_.min_ratio * 20) return false;
    const Uint128 c2 = level_bytes_of(tree, 1);
    return (held * held - 1) / 400 >= c2 * mean;  // held / 20 > sqrt(c2 * mean)
  }
  [[nodiscard]] static std::uint64_t level_bytes_of(const TreeView& tree, std::uint32_t level) {
    return level < tree.levels().size() ? tree.levels()[level].sums.bytes : 0;
  }

  BlsmOptions options_;
};

std::vector<RuleFidelity> blsm_fidelity() {
  const char* const kScheduler = "mergeScheduler.cpp, bLSM@fc49c4e";
  const char* const kManager = "mergeManager.cpp, bLSM@fc49c4e";
  return {
      {"memtables merge with C1, C1 with C2, as a whole", Fidelity::kExact, kScheduler},
      {"when C1 is handed over", Fidelity::kSimplified, kScheduler,
       "sizes are those of files, not of tuples; R follows the mean memtable at once, not only "
       "when "
       "C2 was written; the mean does not begin again when the store is opened"},
      {"C1 waits for its predecessor", Fidelity::kExact, kScheduler},
      {"snowshoveling: a merge also takes what arrives ahead of it", Fidelity::kSimplified,
       "memTreeComponent.h, mergeScheduler.cpp, mergeManager.cpp, bLSM@fc49c4e",
       "a memtable takes no more writes once it is full; buffer is the mean run that C0 gives: "
       "with "
       "random keys, as in blsm-defaults, twice what C0 holds, and that is 80% (where the merge "
       "waits) to 100% of it"},
      replacement_fidelity("bLSM.cpp, insertTupleHelper; mergeManager.cpp, bLSM@fc49c4e"),
      {"deletes that no older component may have are dropped", Fidelity::kSimplified,
       "bLSM.h, mergeScheduler.cpp, bLSM@fc49c4e", "by key ranges, not by Bloom filters"},
      {"gear scheduler: the merge into C1 sleeps while that into C2 is behind",
       Fidelity::kNotModelled, kManager, "it changes only times; merges run at full speed"},
      {"spring: writers sleep the longer, the fuller C0 is above 95%", Fidelity::kNotModelled,
       kManager, "it changes only times; writers wait when a second memtable is full"},
      {"expiry of tuples by timestamp", Fidelity::kNotModelled, kScheduler, "off by default"},
  };
}

}  // namespace

PolicyFamily blsm_family() {
  PolicyFamily family = make_family<BlsmOptions, Blsm>(
      "blsm",
      "bLSM: memtables merge with C1, and C1 with C2 when it holds as many memtables as the root "
      "of "
      "C2's",
      "Sears and Ramakrishnan, SIGMOD 2012, and its code (bLSM@fc49c4e)");
  family.stalls.full_memtables_max = 1;
  family.memtable = MemtableKind::kInPlace;
  family.fidelity = blsm_fidelity();
  return family;
}

}  // namespace lsmlab

// AsterixDB's concurrent merge policy (ConcurrentMergePolicy.java), and with max_component_size its
// size-bounded form, the default since 2024-05 (SizeBoundedConcurrentMergePolicy.java). A component
// is a sorted run, a flush at first.
//
// Only the newest components in a row that are idle can merge, so that merges of older ones may run
// at the same time. They are tried as the oldest of a merge, from the oldest on. The merge takes up
// to max_merge_component_count components that end with it. It must be at least
// min_merge_component_count components, and the oldest at most component_size_ratio times as large
// as the others together. The first that fits merges, into one component in its place.
//
// With max_component_size, fewer components merge if otherwise their sum reached that size. Up to
// one more than max_merge_component_count merge, as in AsterixDB.
//
// Without max_component_size, everything merges when there are max_component_count components,
// nothing is busy and nothing fits. In AsterixDB the next flush brings that about; with
// max_component_size nothing does.
//
// While flushes go on during merges, AsterixDB stops them at max_component_count components, or
// with max_component_size at that many components that could merge: the stall rules.
#include <algorithm>

#include "models/policies/policy.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

struct AsterixdbConcurrentOptions {
  std::uint64_t min_merge_component_count = 3;
  std::uint64_t max_merge_component_count = 10;
  std::uint64_t max_component_count = 30;
  Decimal component_size_ratio{6, 5};
  std::optional<Bytes> max_component_size;

  void declare(OptionTable& table) {
    table.count("min_merge_component_count", min_merge_component_count, {2, 1024}, "components",
                "smallest number of components in a merge; more: fewer rewrites, but more sorted "
                "runs for a read to visit");
    table.count("max_merge_component_count", max_merge_component_count, {2, 1024}, "components",
                "largest number of components in a merge; with max_component_size one more");
    table.count("max_component_count", max_component_count, {2, 4096}, "components",
                "number of components at which all merge, if nothing else can");
    table.decimal("component_size_ratio", component_size_ratio, "0", "1000",
                  "AsterixDB's size-ratio: the oldest component of a merge is at most this many "
                  "times as large as the "
                  "others together; more: larger and fewer runs, more rewrites");
    table.optional_bytes(
        "max_component_size", max_component_size, {1, std::uint64_t{1} << 62},
        "inputs of a merge together stay below this; AsterixDB's default since 2024-05 is 1 TB; "
        "default here: no bound, as before");
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults;
    if (max_merge_component_count < min_merge_component_count) {
      faults.emplace_back("max_merge_component_count must be at least min_merge_component_count");
    }
    return faults;
  }
};

// Components, the newest first: a place in the list of those that may merge.
struct ComponentRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

class AsterixdbConcurrent final : public Policy {
 public:
  explicit AsterixdbConcurrent(const AsterixdbConcurrentOptions& options) : options_(options) {}

  // Of the bounded form: what could merge (isMergeLagging).
  [[nodiscard]] std::uint64_t stalling_runs(const TreeView& tree) const override {
    if (!options_.max_component_size) return tree.run_count();
    const std::vector<std::uint64_t> bytes = idle_bytes(tree);
    std::uint64_t count = 0;
    std::size_t end = bytes.size();
    while (end >= options_.min_merge_component_count) {
      const std::optional<ComponentRange> range = bounded_range(bytes, end - 1);
      if (range) count += range->last - range->first + 1;
      end = range ? range->first : end - 1;
    }
    return count;
  }
  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return options_.min_merge_component_count;
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    const std::vector<std::uint64_t> bytes = idle_bytes(tree);
    if (const std::optional<ComponentRange> range = range_to_merge(bytes)) {
      return merge_of(tree, *range, PlanReason::kSizeRatio);
    }
    const std::size_t runs = tree.run_count();
    const bool must_merge = !options_.max_component_size && bytes.size() == runs && runs > 1 &&
                            runs >= options_.max_component_count;
    if (!must_merge) return std::nullopt;
    return merge_of(tree, {0, runs - 1}, PlanReason::kDepthBound);
  }

 private:
  [[nodiscard]] static std::vector<std::uint64_t> idle_bytes(const TreeView& tree) {
    std::vector<std::uint64_t> bytes;
    for (const Level& level : tree.levels()) {
      for (const SortedRun& run : level.runs) {
        if (run.busy()) return bytes;
        bytes.push_back(run.bytes().value());
      }
    }
    return bytes;
  }

  [[nodiscard]] std::optional<ComponentRange> range_to_merge(
      const std::vector<std::uint64_t>& bytes) const {
    for (std::size_t end = bytes.size(); end >= options_.min_merge_component_count; --end) {
      const std::optional<ComponentRange> range =
          options_.max_component_size ? bounded_range(bytes, end - 1) : free_range(bytes, end - 1);
      if (range) return range;
    }
    return std::nullopt;
  }

  // getMergableComponentsIndex, for one oldest component.
  [[nodiscard]] std::optional<ComponentRange> free_range(const std::vector<std::uint64_t>& bytes,
                                                         std::size_t last) const {
    const std::size_t width = std::min<std::size_t>(last + 1, options_.max_merge_component_count);
    return if_fits(bytes, {last + 1 - width, last});
  }

  // getMergableIndexesRange, for one oldest component.
  [[nodiscard]] std::optional<ComponentRange> bounded_range(const std::vector<std::uint64_t>& bytes,
                                                            std::size_t last) const {
    const std::size_t newest =
        last - std::min<std::size_t>(last, options_.max_merge_component_count);
    std::size_t first = last;
    Uint128 sum = bytes[last];
    while (first > newest) {
      sum += bytes[first - 1];
      if (sum >= options_.max_component_size->value()) break;
      --first;
    }
    return if_fits(bytes, {first, last});
  }

  [[nodiscard]] std::optional<ComponentRange> if_fits(const std::vector<std::uint64_t>& bytes,
                                                      const ComponentRange& range) const {
    if (range.last - range.first + 1 < options_.min_merge_component_count) return std::nullopt;
    std::uint64_t newer_bytes = 0;
    for (std::size_t i = range.first; i < range.last; ++i) newer_bytes += bytes[i];
    if (!options_.component_size_ratio.times_is_at_least(newer_bytes, bytes[range.last])) {
      return std::nullopt;
    }
    return range;
  }

  [[nodiscard]] static Plan merge_of(const TreeView& tree, const ComponentRange& range,
                                     PlanReason reason) {
    MergePlan merge;
    std::size_t position = 0;
    for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) {
        if (position >= range.first && position <= range.last) {
          merge.inputs.push_back(input_of(level, run, run.files));
        }
        ++position;
      }
    }
    merge.target = {0, std::nullopt};
    merge.drops_tombstones = range.last + 1 == position;
    return {reason, std::move(merge), {}};
  }

  AsterixdbConcurrentOptions options_;
};

}  // namespace

PolicyFamily asterixdb_concurrent_family() {
  PolicyFamily family = make_family<AsterixdbConcurrentOptions, AsterixdbConcurrent>(
      "asterixdb-concurrent",
      "AsterixDB's concurrent policy: merges the newest components in a row whose sizes fit",
      "AsterixDB 02c3eb9f86 (2026-07), ConcurrentMergePolicy.java, "
      "SizeBoundedConcurrentMergePolicy.java");
  family.stalls.level0_slowdown_runs = family.stalls.level0_stop_runs = 30;
  family.memtable = MemtableKind::kInPlace;
  const std::string plain = "ConcurrentMergePolicy.java, 02c3eb9f86";
  const std::string bounded = "SizeBoundedConcurrentMergePolicy.java, 02c3eb9f86";
  family.fidelity = {
      {"which components merge", Fidelity::kExact, plain},
      {"the size of a merge's inputs is bounded (max_component_size)", Fidelity::kExact, bounded},
      {"everything merges when nothing else can and there are too many", Fidelity::kSimplified,
       plain, "before the flush that would ask for it, not at it"},
      {"flushes wait while there are too many components", Fidelity::kSimplified,
       "isMergeLagging of both",
       "the stall rules stop writers at 30 components, not flushes at max_component_count"},
      {"a delete goes when its merge takes the oldest component", Fidelity::kExact,
       "LSMBTree.java and others, 02c3eb9f86"},
      {"memory components are flushed when they take 90% of a quarter of the heap, in pages",
       Fidelity::kSimplified, "GlobalVirtualBufferCache.java, StorageProperties.java, 02c3eb9f86",
       "buffer counts entries: with pages that are partly empty, flushes are smaller in AsterixDB"},
      replacement_fidelity("LSMBTree.java, modify; TreeIndexNSMFrame.java, update, 02c3eb9f86",
                           "entry by entry; in AsterixDB pages stay used, and their free space is "
                           "for later entries"),
      {"components of all datasets and their indexes share the memory, and take turns in flushes",
       Fidelity::kNotModelled, "GlobalVirtualBufferCache.java, 02c3eb9f86",
       "one index is simulated: the more others are written to, the smaller its flushes"},
  };
  return family;
}

}  // namespace lsmlab

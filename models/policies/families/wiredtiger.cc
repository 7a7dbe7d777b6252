// WiredTiger's LSM trees, which the system had until 2024-12 (src/lsm/lsm_merge.c). A chunk is a
// sorted run; here a chunk of generation g is in level g. A flush has generation 0, the output of a
// merge one more than its newest generation.
//
// The window of a merge begins with the newest idle chunk and is extended to older ones. It ends
//   - before a busy chunk, and before a generation above the worker's (worker + aggressiveness; 0
//     while merges lag behind, that is, from 2 * merge_min idle chunks of generation 0 and
//     merge_max chunks on);
//   - with merge_min chunks, before a generation above the youngest + gap, where gap is
//     (aggressiveness + 4) / 5;
//   - where its sum would exceed chunk_max, if it has fewer than merge_min chunks, or if the next
//     chunk is of an older generation and would exceed it even without the newest one;
//   - with merge_max chunks.
// If the sum exceeds chunk_max with the last chunk, or the window is full and the next chunk is of
// the same generation, the search begins again without the newest chunk. It does so too if the
// generations differ by more than the gap. A merge needs merge_min chunks. With an aggressiveness
// above 2, a merge takes 2 to 100 chunks.
//
// WiredTiger raises the aggressiveness with the time since the last merge. While writes go on it is
// 0; here it is an option.
//
// Deletes go only in a merge with the oldest chunk.
#include <fmt/format.h>

#include <algorithm>

#include "models/policies/policy.h"
#include "models/policies/unlimited_runs.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kAggressiveThreshold = 2;

struct WiredtigerOptions {
  std::uint64_t merge_max = 15;
  std::optional<std::uint64_t> merge_min;
  Bytes chunk_max{std::uint64_t{5} << 30};
  std::uint64_t worker = 2;
  std::uint64_t aggressiveness = 0;

  void declare(OptionTable& table) {
    table.count("merge_max", merge_max, {2, 100}, "chunks", "largest number of chunks in a merge");
    table.optional_count("merge_min", merge_min, {2, 100}, "chunks",
                         "smallest number of chunks in a merge; more: fewer rewrites, but more "
                         "sorted runs for a read to visit; default: half of merge_max, at least 2");
    table.bytes("chunk_max", chunk_max, {1, std::uint64_t{1} << 62},
                "a merge's inputs stay within this; more: fewer runs, more rewrites");
    table.count(
        "worker", worker, {0, 20}, "",
        "highest generation that merges: the number of the worker thread, which is 2 with "
        "WiredTiger's 4 threads (worker_thread_max), 2 and 4 with 5 or 6; more: fewer runs");
    table.count("aggressiveness", aggressiveness, {0, 100}, "",
                "how far the generations of a merge may differ, and how much older ones merge; "
                "above 2, any 2 chunks do; WiredTiger raises it while no merge is found");
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults;
    if (merge_min && *merge_min > merge_max) {
      faults.push_back(fmt::format("merge_min={} is above merge_max={}", *merge_min, merge_max));
    }
    return faults;
  }
  void resolve() {
    if (!merge_min) merge_min = std::max<std::uint64_t>(2, merge_max / 2);
  }
};

struct Chunk {
  std::uint32_t generation = 0;
  const SortedRun* run = nullptr;
  std::uint64_t bytes = 0;
};

// [newest, end) of the chunks, which are numbered from the newest on.
struct Span {
  std::size_t newest = 0;
  std::size_t end = 0;
  bool is_exhausted = false;  // the search begins again without the newest chunk
  std::uint64_t gap = 0;      // between the generations that it has seen
  [[nodiscard]] std::size_t count() const { return end - newest; }
};

class Wiredtiger final : public Policy {
 public:
  explicit Wiredtiger(const WiredtigerOptions& options)
      : options_(options),
        is_aggressive_(options.aggressiveness > kAggressiveThreshold),
        merge_min_(is_aggressive_ ? 2 : *options.merge_min),
        merge_max_(is_aggressive_ ? 100 : options.merge_max),
        gap_max_((options.aggressiveness + 4) / 5) {}

  // Generations may come to fall with age once they differ within a merge.
  [[nodiscard]] bool keeps_age_order() const override { return gap_max_ == 0; }
  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return merge_min_;
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    const std::uint32_t generation_max = generation_max_of(tree);
    const std::vector<Chunk> chunks = chunks_of(tree, generation_max);
    std::size_t newest = 0;
    while (newest < chunks.size() && chunks[newest].run->busy()) ++newest;
    for (; newest < chunks.size(); ++newest) {
      if (older_than(tree, newest) + 1 < merge_min_) return std::nullopt;
      const Span span = span_from(tree, chunks, newest, generation_max);
      if (span.is_exhausted) continue;
      const bool is_too_mixed = span.gap > gap_max_;
      if (span.count() >= merge_min_ && !is_too_mixed) return merge_of(tree, chunks, span);
      if (!is_too_mixed || older_than(tree, newest) <= *options_.merge_min) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // The newest first. If ages rise with generations, all up to the first that is too old to be
  // looked at, and that one.
  [[nodiscard]] std::vector<Chunk> chunks_of(const TreeView& tree,
                                             std::uint32_t generation_max) const {
    std::vector<Chunk> chunks;
    for (std::uint32_t level = 0; level < tree.levels().size(); ++level) {
      for (const SortedRun& run : tree.levels()[level].runs) {
        chunks.push_back({level, &run, run.bytes().value()});
        if (level > generation_max && keeps_age_order()) return chunks;
      }
    }
    std::stable_sort(chunks.begin(), chunks.end(), [](const Chunk& a, const Chunk& b) {
      return a.run->flushes.last > b.run->flushes.last;
    });
    return chunks;
  }
  /// WiredTiger's index of a chunk, which counts from the oldest.
  [[nodiscard]] static std::size_t older_than(const TreeView& tree, std::size_t chunk) {
    return tree.run_count() - 1 - chunk;
  }

  // With merge_throttle 0.
  [[nodiscard]] std::uint32_t generation_max_of(const TreeView& tree) const {
    std::size_t idle = 0;
    if (!tree.levels().empty()) {
      for (const SortedRun& run : tree.levels()[0].runs) {
        if (!run.busy()) ++idle;
      }
    }
    const bool is_throttled =
        idle >= 2 * *options_.merge_min && tree.run_count() >= options_.merge_max;
    return is_throttled ? 0 : static_cast<std::uint32_t>(options_.worker + options_.aggressiveness);
  }

  [[nodiscard]] Span span_from(const TreeView& tree, const std::vector<Chunk>& chunks,
                               std::size_t newest, std::uint32_t generation_max) const {
    Span span{newest, newest};
    std::uint32_t youngest_generation = chunks[newest].generation;
    std::uint32_t oldest_generation = youngest_generation;
    const Uint128 limit = options_.chunk_max.value();
    Uint128 bytes = 0;
    while (span.end < chunks.size()) {
      const Chunk& chunk = chunks[span.end];
      if (chunk.run->busy() || chunk.generation > generation_max) break;
      if (span.count() >= merge_min_ && chunk.generation > youngest_generation + gap_max_) break;
      bytes += chunk.bytes;
      if (bytes > limit) {
        const bool is_older = chunk.generation > chunks[newest].generation;
        if (span.count() < merge_min_ || (is_older && bytes - chunks[newest].bytes > limit)) break;
      }
      youngest_generation = std::min(youngest_generation, chunk.generation);
      oldest_generation = std::max(oldest_generation, chunk.generation);
      span.gap = oldest_generation - youngest_generation;
      if (span.gap > gap_max_) break;
      ++span.end;
      const bool is_full = span.count() == merge_max_;
      const bool has_equal_next = older_than(tree, span.end - 1) > 0 && span.end < chunks.size() &&
                                  chunks[span.end].generation == chunk.generation;
      span.is_exhausted = bytes > limit || (is_full && has_equal_next);
      if (span.is_exhausted || is_full) break;
    }
    return span;
  }

  [[nodiscard]] static Plan merge_of(const TreeView& tree, const std::vector<Chunk>& chunks,
                                     const Span& span) {
    MergePlan merge;
    std::uint32_t generation = 0;
    for (std::size_t i = span.newest; i < span.end; ++i) {
      merge.inputs.push_back(input_of(chunks[i].generation, *chunks[i].run, chunks[i].run->files));
      generation = std::max(generation, chunks[i].generation + 1);
    }
    merge.target = {generation, std::nullopt};
    merge.drops_tombstones = older_than(tree, span.end - 1) == 0;
    return {PlanReason::kSortedRunCount, std::move(merge), {}};
  }

  WiredtigerOptions options_;
  bool is_aggressive_;
  std::uint64_t merge_min_;
  std::uint64_t merge_max_;
  std::uint64_t gap_max_;
};

}  // namespace

PolicyFamily wiredtiger_family() {
  const std::string file = "src/lsm/lsm_merge.c, parent of a281848431 (2024-12)";
  PolicyFamily family = make_family<WiredtigerOptions, Wiredtiger>(
      "wiredtiger",
      "WiredTiger's LSM trees: merges 7 to 15 chunks of one generation into one of the next", file);
  // WiredTiger throttles writers, but does not stop them.
  lift_run_limits(family.stalls);
  family.memtable = MemtableKind::kInPlace;
  family.fidelity = {
      {"which chunks merge (__lsm_merge_span)", Fidelity::kExact, file},
      {"generations above the worker's number do not merge", Fidelity::kSimplified, file,
       "one worker's number counts for all merge threads"},
      {"merges lag behind: only generation 0 merges", Fidelity::kSimplified,
       "src/lsm/lsm_tree.c, __wti_lsm_tree_throttle",
       "at once from 2 * merge_min chunks of generation 0; WiredTiger's throttle needs some "
       "flushes to fall again"},
      {"aggressiveness rises with the time since the last merge", Fidelity::kSimplified, file,
       "an option; so an idle tree does not merge further by itself"},
      replacement_fidelity("src/btree/row_modify.c, __wt_update_obsolete_check",
                           "WiredTiger also keeps the version before the newest, and versions that "
                           "a transaction may read"),
      {"deletes go only with the oldest chunk", Fidelity::kExact, "src/lsm/lsm_cursor.c"},
      {"inserts sleep while flushes or merges lag behind (auto_throttle)", Fidelity::kNotModelled,
       "src/lsm/lsm_tree.c, __wti_lsm_tree_throttle", "the stall rules have no such sleep"},
      {"the oldest chunk has no Bloom filter (bloom_oldest=false)", Fidelity::kNotModelled,
       "src/lsm/lsm_merge.c", "filters are set by level, not by age"},
      {"a chunk merges only once its Bloom filter is written", Fidelity::kNotModelled, file,
       "filters are written with their SSTable"},
  };
  return family;
}

}  // namespace lsmlab

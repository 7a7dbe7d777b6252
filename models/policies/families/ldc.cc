// LDC, lower-level driven compaction (Chai et al., Section III, Algorithm 1), with LevelDB's rules
// (models/policies/leveldb/rules.h), on which the paper's implementation is built. A file that an
// upper level gives up is not merged but linked to files of the next level. A file merges with its
// slices, within its own level, when it has T_s of them.
//
// 1. A pending memtable is flushed by LevelDB's rules.
// 2. A file with at least T_s slices is merged with them in its level; the shallowest level first,
//    then the smallest key.
// 3. Otherwise the level with the highest score, if that is at least 1, gives up a file: level 0
//    its oldest one (of two versions of a key the older one is linked first), another level the
//    next one by key. A file that has slices cannot be linked (Section III-D) and is skipped. If a
//    level has only such files, the level with the next highest score is tried.
// 4. If no level that is too full can give up a file, the policy takes the level with the highest
//    score, and merges its file with the most slices (ties: the smallest key). The outputs have no
//    slices.
//
// How a file is given up: if the next level is empty, the file moves there without being rewritten.
// It also moves if it fits between the files there and overlaps at most 10 times file_size in the
// level after that, as in LevelDB. Otherwise it is linked to every file whose responsible range it
// overlaps.
//
// The policy always settles, that is, plans come to an end. Let an entry's place be twice its
// level, plus one if it is in a file rather than in a slice. Links and moves increase the place of
// a file's entries by at least one. Merges decrease no place, and they lower the number of slices.
// Places end with the last level, which gives up nothing. So the pair (sum of places left to go,
// number of slices) falls with every plan. The policy also does not stop early: a level that is too
// full has a file, with slices or without, and files of level 0 have none. So after settling no
// level has a score of 1 or more, and no file has T_s slices.
//
// Which data counts for a level's size: the paper excludes linked data from the upper level. Here
// linked data counts for the lower level only after its merge, because LevelDB sums the files of a
// level. If it counted from the link on, a level at its capacity would be too full with the first
// slice on every file. Rule 4 would then merge each file with one slice, which costs as much as
// UDC. Frozen data is bounded nevertheless: fewer than T_s slices per file.
//
// Output files end where LevelDB's do. The paper changes nothing here, and the limit on
// grandparents is useful for LDC too: an output is later linked to its grandparents. The limit
// allows about 11 slices per frozen file, so that few merges must end before the frozen file can be
// deleted.
//
// Useless seeks start no merge, because a link does not reduce the number of files that a lookup
// searches.
//
// Adaptive T_s (Section III-B-4 states the direction but no rule). Every T_s slices of 1/k file
// each cause one rewrite of a file, so a merge writes 1 + k / T_s bytes for each byte that it
// brings down. A lookup in a file searches T_s / 2 slices on average. The cost of w writes and l
// lookups, w * k / T_s * a + l * T_s / 2 * b, is smallest at T_s = sqrt(w / l) times a constant.
// Section IV-F measures that constant: with as many writes as lookups the best T_s is the fan-out.
// So
//     T_s = floor(slice_threshold * sqrt(w / l)), at least 2, at most twice the fan-out.
// w and l are counted while the last flushed memtable was filled; this window has a fixed number of
// written bytes. Without lookups T_s is the upper bound. Before the first flush, and if nothing was
// counted, T_s is slice_threshold. The upper bound is twice the fan-out because beyond it a merge
// already rewrites less than half a byte per byte, so further slices only cost (Fig. 12 a). The
// lower bound is 2 because with 1 every link would cause merges at once.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/base/check.h"
#include "models/policies/leveldb/rules.h"
#include "models/policies/policy.h"
#include "models/theory/ldc_costs.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kAdaptedMin = 2;

struct LdcOptions : LeveldbOptions {
  std::optional<std::uint64_t> slice_threshold;
  bool adaptive = false;

  void declare(OptionTable& table) {
    LeveldbOptions::declare(table);
    table.optional_count("slice_threshold", slice_threshold, {1, 4096}, "slices",
                         "T_s: number of linked slices at which a file is merged; more: fewer "
                         "rewrites, but more slices to read and more frozen data; default: "
                         "size_ratio");
    table.flag("adaptive", adaptive,
               "adapts T_s to the share of lookups: slice_threshold * sqrt(writes / lookups), "
               "from 2 to 2 * size_ratio, counted while the last memtable was filled");
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    std::vector<std::string> faults = LeveldbOptions::validate();
    if (adaptive && slice_threshold &&
        (*slice_threshold < kAdaptedMin || *slice_threshold > adapted_max())) {
      faults.push_back(
          fmt::format("slice_threshold: {} is not between {} and 2 * size_ratio = {}, which "
                      "adaptive=true requires",
                      *slice_threshold, kAdaptedMin, adapted_max()));
    }
    return faults;
  }
  void resolve(const StoreOptions& store) {
    LeveldbOptions::resolve(store);
    if (!slice_threshold) slice_threshold = size_ratio;
  }
  [[nodiscard]] std::uint64_t adapted_max() const { return 2 * size_ratio; }
};

class Ldc final : public Policy {
 public:
  explicit Ldc(const LdcOptions& options) : options_(options) { CHECK(options_.slice_threshold); }

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] bool flush_keeps_overwritten() const override {
    return options_.flush_keeps_overwritten;
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) return leveldb_flush(tree, options_);
    if (has_busy_file(tree)) return std::nullopt;
    const std::uint64_t threshold = threshold_for(tree.traffic());
    for (std::uint32_t level = 1; level < tree.levels().size(); ++level) {
      const File* file = first_with_slices(tree, level, threshold);
      if (file != nullptr) return merge_in_place(tree, level, *file, PlanReason::kSliceCount);
    }
    const std::vector<std::uint32_t> saturated = saturated_levels(tree, options_);
    for (const std::uint32_t level : saturated) {
      const File* file = next_to_link(tree, level);
      if (file != nullptr) return push_down(tree, level, *file);
    }
    if (saturated.empty()) return std::nullopt;
    const std::uint32_t level = saturated.front();
    return merge_in_place(tree, level, most_sliced(tree, level), PlanReason::kLevelSaturated);
  }

 private:
  [[nodiscard]] std::uint64_t threshold_for(const Traffic& traffic) const {
    const std::uint64_t even = *options_.slice_threshold;
    if (!options_.adaptive || (traffic.writes == 0 && traffic.lookups == 0)) return even;
    // The largest T with T^2 * lookups <= even^2 * writes.
    const Uint128 limit = Uint128{even * even} * traffic.writes;
    std::uint64_t threshold = options_.adapted_max();
    while (threshold > kAdaptedMin && Uint128{threshold * threshold} * traffic.lookups > limit) {
      --threshold;
    }
    return threshold;
  }

  /// The first file by key that has at least `count` slices; null if none has.
  [[nodiscard]] static const File* first_with_slices(const TreeView& tree, std::uint32_t level,
                                                     std::uint64_t count) {
    const SortedRun* run = newest_run(tree, level);
    if (run == nullptr) return nullptr;
    const std::size_t found = run->files.find_first(
        0, [&](const RunSums& sums) { return sums.slices_max.value >= count; });
    return found == run->files.size() ? nullptr : &run->files[found];
  }

  /// The file with the most slices; ties: the smallest key. REQUIRES: the level holds files.
  [[nodiscard]] static const File& most_sliced(const TreeView& tree, std::uint32_t level) {
    const SortedRun* run = newest_run(tree, level);
    CHECK(run != nullptr);
    const std::uint64_t most = run->files.sums().slices_max.value;
    return run->files[run->files.find_first(
        0, [&](const RunSums& sums) { return sums.slices_max.value >= most; })];
  }

  [[nodiscard]] static const File* next_to_link(const TreeView& tree, std::uint32_t level) {
    if (level == 0) return &tree.levels()[0].runs.back().files.front();
    const SortedRun* run = newest_run(tree, level);
    CHECK(run != nullptr);
    const auto is_unsliced = [](const RunSums& sums) { return sums.unsliced_files > 0; };
    const std::size_t from = first_beyond_cursor(*run, tree.levels()[level].cursor);
    std::size_t next = run->files.find_first(from, is_unsliced);
    if (next == run->files.size()) next = run->files.find_first(0, is_unsliced);
    return next == run->files.size() ? nullptr : &run->files[next];
  }

  [[nodiscard]] Plan merge_in_place(const TreeView& tree, std::uint32_t level, const File& file,
                                    PlanReason reason) const {
    const SortedRun* run = newest_run(tree, level);
    CHECK(run != nullptr);
    MergePlan merge;
    merge.inputs = {{level, run->id, {file.id}}};
    merge.target = {level, run->id};
    merge.cut = leveldb_cut(options_);
    return {reason, std::move(merge), {}};
  }

  [[nodiscard]] Plan push_down(const TreeView& tree, std::uint32_t level, const File& file) const {
    const SortedRun& run =
        level == 0 ? tree.levels()[0].runs.back() : tree.levels()[level].runs.front();
    PlanInput upper{level, run.id, {file.id}};
    std::vector<CursorUpdate> cursors;
    if (level > 0) cursors.push_back({level, file.keys.largest});
    const SortedRun* below = newest_run(tree, level + 1);
    if (below == nullptr ||
        (can_arrive(tree, level + 1, file.keys) &&
         overlapped_bytes(tree, level + 2, file.keys) <= options_.grandparent_bytes_max())) {
      return {PlanReason::kLevelSaturated,
              MovePlan{{std::move(upper)}, leveled_target(tree, level + 1)}, std::move(cursors)};
    }
    LinkPlan link{std::move(upper), {}};
    // The files whose responsible ranges meet the file's keys.
    const RunFiles& files = below->files;
    std::size_t i = std::min(files.first_ending_from(file.keys.smallest), files.size() - 1);
    do {
      link.lower_files.push_back(files[i].id);
    } while (++i < files.size() && files[i - 1].keys.largest < file.keys.largest);
    return {PlanReason::kLevelSaturated, std::move(link), std::move(cursors)};
  }

  LdcOptions options_;
};

std::vector<RuleFidelity> ldc_fidelity() {
  const std::string paper = "Chai et al., ICDE 2019 (LDC paper), ";
  return {
      {"an upper level that is too large links a file, chosen round-robin, to the next level",
       Fidelity::kExact, paper + "Algorithm 1"},
      {"slices are cut at the responsible ranges of the files below", Fidelity::kExact,
       paper + "Section III-B"},
      {"a file with T_s slices merges with them, in its own level", Fidelity::kExact,
       paper + "Algorithm 1"},
      {"a frozen file is deleted with its last slice", Fidelity::kExact, paper + "Section III-B"},
      {"files that hold slices are not linked", Fidelity::kExact, paper + "Section III-D"},
      {"what a full level does whose files all hold slices", Fidelity::kSimplified,
       paper + "Section III-D", "its file with the most slices merges; the paper does not say"},
      {"which level linked data counts for", Fidelity::kSimplified, paper + "Section III-B",
       "for the lower level, after its merge; the paper only takes it out of the upper level"},
      {"T_s adapts itself to the share of lookups", Fidelity::kSimplified,
       paper + "Section III-B-4",
       "adaptive=true: slice_threshold * sqrt(writes / lookups); the paper gives no rule, only the "
       "directions"},
      {"files without slices below them move, as in LevelDB", Fidelity::kSimplified,
       "LevelDB 1.23, db/version_set.cc", "the paper does not mention moves"},
      {"flushes, sizes of levels, where outputs end", Fidelity::kExact,
       "LevelDB 1.23, db/version_set.cc, db/db_impl.cc, db/builder.cc"},
      {"useless seeks merge files", Fidelity::kNotModelled, "LevelDB 1.23, db/version_set.cc",
       "a link does not lower the number of files that a lookup searches"},
  };
}

}  // namespace

PolicyFamily ldc_family() {
  PolicyFamily family = make_family<LdcOptions, Ldc>(
      "ldc",
      "LDC: links files to files of the next level without I/O; each of those merges after T_s "
      "links",
      "Chai et al., ICDE 2019 (LDC paper), Section III, Algorithm 1; other rules: LevelDB 1.23");
  family.stalls = leveldb_stalls();
  family.cost_model = ldc_model;
  family.fidelity = ldc_fidelity();
  return family;
}

}  // namespace lsmlab

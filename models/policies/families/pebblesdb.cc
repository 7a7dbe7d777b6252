// PebblesDB's fragmented LSM-tree (Raju et al., SOSP 2017; db/version_set.cc, db/db_impl.cc,
// db/write_batch.cc of the authors' repository).
//
// A level is partitioned by guards, keys that become more from level to level: 1 of 2^(27 - 2i)
// keys is a guard of level i and of all deeper ones. The files of a guard may overlap. A merge
// takes whole guards, cuts what they hold at the next level's guards, and adds it there, without
// rewriting what that level has; only the deepest of the 7 levels merges into itself.
//
//  - Score of a guard: its files / 3, or its bytes / guard_bytes of the level, if that is more; in
//    level 0: its files / l0_trigger. A level has the score of its highest guard. What lies before
//    the first guard counts as a guard.
//  - Level: the first of 1 to 5 whose score is at least 1 and the next level's, and which no merge
//    uses; if there is none, level 6 with a score of at least 1; but level 0 goes first if its
//    score is at least 1 and that of level 1 at most 1.
//  - Inputs: the guards of the level whose score is at least 1, and those with a file that reaches
//    into a guard which is newer than the file; of the next level only the latter.
//  - Level 6, and level 5 if level 6 is more than 25 times larger, merges into itself: of a guard
//    only the files up to three quarters of its bytes.
//
// PebblesDB finds guards by a hash of each key that is written. Here as many guards as that gives
// on average (entries of the tree / 2^(27 - 2i), rounded down) lie at pseudo-random places of the
// space of all 2^64 keys, so that a workload should spread its keys (insert_distribution=uniform).
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "models/base/random.h"
#include "models/policies/files_of_runs.h"
#include "models/policies/leveldb/flush_versions.h"
#include "models/policies/leveldb/hyper_levels.h"
#include "models/policies/policy.h"
#include "models/policies/run_room.h"
#include "models/policies/unlimited_runs.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint32_t kLevels = kHyperLevels;
constexpr std::uint32_t kDeepest = kLevels - 1;
// Of file_size, by level.
constexpr std::array<std::uint64_t, kLevels> kFileSizes{1, 1, 1, 1, 2, 4, 8};
constexpr std::array<std::uint64_t, kLevels> kGuardSizes{1, 2, 4, 8, 8, 16, 32};

struct PebblesdbOptions {
  Bytes file_size{std::uint64_t{64} << 20};
  std::uint64_t guard_files = 2;
  std::uint64_t guard_bits = 27;
  std::uint64_t guard_bits_step = 2;
  std::uint64_t l0_trigger = 2;
  bool flush_keeps_overwritten = true;

  void declare(OptionTable& table) {
    table.bytes("file_size", file_size, {1, std::uint64_t{1} << 40},
                "largest file of levels 0 to 3, and largest guard of level 0; deeper levels have "
                "multiples of it (files 2, 4, 8; guards 2, 4, 8, 8, 16, 32); more: fewer, larger "
                "merges");
    table.count("guard_files", guard_files, {1, 1024}, "files",
                "a guard with more files is merged down; more: fewer rewrites, but more files for "
                "a read to visit");
    table.count("guard_bits", guard_bits, {1, 60}, "bits",
                "one of 2^this keys is a guard of level 0 (of a workload of flush sizes, each byte "
                "counts as a key); fewer: smaller guards");
    table.count("guard_bits_step", guard_bits_step, {0, 10}, "bits",
                "so many fewer bits are asked for in each next level");
    table.count("l0_trigger", l0_trigger, {1, 1024}, "files",
                "number of files at which level 0 is merged down");
    declare_flush_versions(table, flush_keeps_overwritten);
  }
  [[nodiscard]] std::vector<std::string> validate() const {
    if (guard_bits > guard_bits_step * kDeepest) return {};
    return {
        "guard_bits must be more than 6 times guard_bits_step, which the deepest of 7 levels "
        "lacks"};
  }
};

// A guard of a level, with its files.
struct Guard {
  KeyRange keys;
  std::uint64_t bytes = 0;
  bool has_straddler = false;  // a file that reaches into the next guard
  std::vector<FileOfRun> files;
  FileRank score{0, 1};
};

class Pebblesdb final : public Policy {
 public:
  explicit Pebblesdb(const PebblesdbOptions& options) : options_(options) {}

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] bool flush_keeps_overwritten() const override {
    return options_.flush_keeps_overwritten;
  }
  // A merge of a level into itself may leave out files that lie between others in age.
  [[nodiscard]] bool keeps_age_order() const override { return false; }
  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return options_.l0_trigger;
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    std::array<std::vector<Guard>, kLevels> levels;
    HyperScores scores;
    for (std::uint32_t level = 0; level < kLevels; ++level) {
      levels[level] = guards_of(tree, level);
      for (const Guard& guard : levels[level]) {
        scores[level] = std::max(scores[level], guard.score);
      }
    }
    const std::optional<std::uint32_t> level = choose_level(tree, scores);
    if (!level) return std::nullopt;
    return merge_of(tree, *level, levels);
  }

 private:
  static constexpr FileRank kOne{1, 1};

  // Where guards of a level begin, rising.
  [[nodiscard]] std::vector<std::uint64_t> guard_keys(const TreeView& tree,
                                                      std::uint32_t level) const {
    std::uint64_t entries = 0;
    for (const Level& one : tree.levels()) entries += one.sums.entries;
    std::vector<std::uint64_t> keys;
    std::uint64_t shallower = 0;
    for (std::uint32_t i = 0; i <= level; ++i) {
      const std::uint64_t all = entries >> (options_.guard_bits - options_.guard_bits_step * i);
      for (std::uint64_t k = 0; k < all - shallower; ++k) keys.push_back(derive_seed(i, k));
      shallower = all;
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  // The guards of a level that have files, by key. O(files and guards of the level).
  [[nodiscard]] std::vector<Guard> guards_of(const TreeView& tree, std::uint32_t level) const {
    if (level >= tree.levels().size() || tree.levels()[level].runs.empty()) return {};
    const std::vector<std::uint64_t> begins = guard_keys(tree, level);
    std::vector<Guard> guards(begins.size() + 1);
    for (std::size_t i = 0; i < guards.size(); ++i) {
      if (i > 0) guards[i].keys.smallest = begins[i - 1];
      if (i < begins.size()) guards[i].keys.largest = begins[i] - 1;
    }
    for (const SortedRun& run : tree.levels()[level].runs) {
      for (const File& file : run.files) {
        const auto at = std::upper_bound(begins.begin(), begins.end(), file.keys.smallest);
        Guard& guard = guards[static_cast<std::size_t>(at - begins.begin())];
        guard.files.push_back({level, &run, &file});
        guard.bytes += file.bytes.value();
        guard.has_straddler = guard.has_straddler || file.keys.largest > guard.keys.largest;
      }
    }
    std::erase_if(guards, [](const Guard& guard) { return guard.files.empty(); });
    for (Guard& guard : guards) guard.score = score_of(level, guard);
    return guards;
  }
  // VersionSet::Finalize.
  [[nodiscard]] FileRank score_of(std::uint32_t level, const Guard& guard) const {
    if (level == 0) return {guard.files.size(), options_.l0_trigger};
    return std::max(FileRank{guard.files.size(), options_.guard_files + 1},
                    FileRank{guard.bytes, options_.file_size.value() * kGuardSizes[level]});
  }

  // VersionSet::PickCompactionLevel.
  [[nodiscard]] static std::optional<std::uint32_t> choose_level(const TreeView& tree,
                                                                 const HyperScores& scores) {
    if (const auto level = hyper_level(tree, scores)) return level;
    if (scores[kDeepest] >= kOne && !is_hyper_locked(tree, kDeepest)) return kDeepest;
    return std::nullopt;
  }

  [[nodiscard]] static bool merges_into_itself(const TreeView& tree, std::uint32_t level) {
    if (level == kDeepest) return true;
    if (level + 1 < kDeepest) return false;
    return level_bytes(tree, level + 1).value() / level_bytes(tree, level).value() > 25;
  }

  // VersionSet::PickCompactionForGuards.
  [[nodiscard]] std::optional<Plan> merge_of(
      const TreeView& tree, std::uint32_t level,
      const std::array<std::vector<Guard>, kLevels>& levels) const {
    const bool in_place = merges_into_itself(tree, level);
    std::vector<FileOfRun> files;
    for (const Guard& guard : levels[level]) {
      if (!guard.has_straddler && guard.score < kOne) continue;
      const std::vector<FileOfRun> taken =
          in_place && !guard.has_straddler ? small_files(guard) : guard.files;
      files.insert(files.end(), taken.begin(), taken.end());
    }
    if (files.empty()) return std::nullopt;
    const std::uint32_t target = in_place ? level : level + 1;
    if (!in_place) {
      for (const Guard& guard : levels[target]) {
        if (guard.has_straddler) files.insert(files.end(), guard.files.begin(), guard.files.end());
      }
    }
    sort_as_inputs(files);
    return plan_of(tree, level, target, files);
  }

  // Those up to three quarters of the guard's bytes, if some of them overlap: otherwise a merge
  // would change nothing, and follow itself for ever.
  [[nodiscard]] static std::vector<FileOfRun> small_files(const Guard& guard) {
    std::vector<FileOfRun> files;
    for (const FileOfRun& one : guard.files) {
      if (Uint128{one.file->bytes.value()} * 2 <= Uint128{guard.bytes / 2} * 3) {
        files.push_back(one);
      }
    }
    std::vector<KeyRange> ranges;
    for (const FileOfRun& one : files) ranges.push_back(one.file->keys);
    std::sort(ranges.begin(), ranges.end(),
              [](const KeyRange& a, const KeyRange& b) { return a.smallest < b.smallest; });
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].smallest <= ranges[i - 1].largest) return files;
    }
    return {};
  }

  [[nodiscard]] Plan plan_of(const TreeView& tree, std::uint32_t level, std::uint32_t target,
                             const std::vector<FileOfRun>& files) const {
    const std::vector<std::uint64_t> begins = guard_keys(tree, target);
    std::vector<KeyRange> places;  // the guards that outputs may lie in
    std::vector<FileId> leaving;
    KeyRange hull = files.front().file->keys;
    for (const FileOfRun& one : files) {
      const KeyRange& keys = one.file->keys;
      leaving.push_back(one.file->id);
      hull = hull_of(hull, keys);
      const auto first = std::upper_bound(begins.begin(), begins.end(), keys.smallest);
      const auto next = std::upper_bound(begins.begin(), begins.end(), keys.largest);
      places.push_back({first == begins.begin() ? 0 : *(first - 1),
                        next == begins.end() ? KeyRange().largest : *next - 1});
    }
    MergePlan merge;
    merge.inputs = inputs_of(files);
    merge.target = {target, run_with_room(tree, target, joined(std::move(places)), leaving)};
    merge.cut.measure = CutMeasure::kStoredBlocks;
    merge.cut.file_bytes = Bytes(options_.file_size.value() * kFileSizes[level]);
    merge.cut.file_begins =
        std::vector<std::uint64_t>(std::upper_bound(begins.begin(), begins.end(), hull.smallest),
                                   std::upper_bound(begins.begin(), begins.end(), hull.largest));
    return Plan{PlanReason::kSortedRunCount, std::move(merge), {}};
  }
  [[nodiscard]] static std::vector<KeyRange> joined(std::vector<KeyRange> ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const KeyRange& a, const KeyRange& b) { return a.smallest < b.smallest; });
    std::vector<KeyRange> result;
    for (const KeyRange& range : ranges) {
      if (!result.empty() && range.smallest <= result.back().largest) {
        result.back() = hull_of(result.back(), range);
      } else {
        result.push_back(range);
      }
    }
    return result;
  }

  PebblesdbOptions options_;
};

std::vector<RuleFidelity> pebblesdb_fidelity() {
  const char* const kVersionSet = "db/version_set.cc, pebblesdb@703bd01";
  const char* const kDb = "db/db_impl.cc, pebblesdb@703bd01";
  const char* const kBatch = "db/write_batch.cc, pebblesdb@703bd01";
  return {
      {"scores of guards and levels", Fidelity::kExact, kVersionSet},
      {"which level is merged, and which guards of it", Fidelity::kExact, kVersionSet},
      {"guards are keys of a hash with many one bits", Fidelity::kSimplified, kBatch,
       "as many as that gives on average, at pseudo-random keys; with updates, fewer"},
      {"a file belongs to the guard that was there when it was written", Fidelity::kSimplified,
       kVersionSet, "to the newest guard at its first key"},
      {"a flush keeps entries that were overwritten in the memtable", Fidelity::kExact,
       "db/builder.cc, pebblesdb@703bd01"},
      {"outputs are cut at the next level's guards and at a file size, and added there",
       Fidelity::kExact, kDb},
      {"the deepest level merges into itself, without large files", Fidelity::kSimplified,
       kVersionSet, "not where those files do not overlap: PebblesDB would merge them again"},
      {"a merge drops a delete if no level from the second below on has a file over its key",
       Fidelity::kSimplified, kVersionSet,
       "if nothing older may have its key: PebblesDB does not look at older files of the next "
       "level, nor at the level below where a level merges into itself, so that deleted keys can "
       "return there, and deletes go earlier"},
      {"reads make levels merge down (seek-driven compaction)", Fidelity::kNotModelled, kVersionSet,
       "reads change no plan here"},
      {"level 0 never stalls writers", Fidelity::kExact, kDb},
  };
}

}  // namespace

PolicyFamily pebblesdb_family() {
  PolicyFamily family = make_family<PebblesdbOptions, Pebblesdb>(
      "pebblesdb",
      "PebblesDB's fragmented LSM-tree: levels of guards whose files may overlap, merged without "
      "rewriting the next level",
      "Raju et al., SOSP 2017, and its code (pebblesdb@703bd01)");
  lift_run_limits(family.stalls);
  family.fidelity = pebblesdb_fidelity();
  return family;
}

}  // namespace lsmlab

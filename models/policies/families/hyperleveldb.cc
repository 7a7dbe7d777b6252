// HyperLevelDB's compaction (db/version_set.cc, db/db_impl.cc): LevelDB's levels, in which a merge
// takes the neighbouring files that bring down most data for what they rewrite.
//
//  - Levels: level 0 scores its files / l0_trigger; any other its bytes over its capacity, or its
//    files over the number that its capacity has of middling size, if that is more. Which level is
//    merged: models/policies/leveldb/hyper_levels.h.
//  - Inputs from level 0: its 32 oldest files at most.
//  - Inputs from another level: all files that nothing of the next level overlaps move down, if
//    there are any. Else the neighbouring files with the largest quotient of their bytes over those
//    that they overlap, less than 16 of the level's largest files together; ties: fewer bytes, then
//    the smaller keys. If each file is too much alone: the one that overlaps the fewest files.
//  - Outputs: a file ends at the level's largest size; from its smallest size on also at the ends
//    of files two levels below the inputs.
//
// A flush goes to level 1 or 2 if nothing overlaps it on the way. Reads charge no files here
// (seek-driven compaction). Quotients are compared exactly, not as floating-point numbers. A pick
// costs O(files of the level), as there.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "models/policies/leveldb/flush_versions.h"
#include "models/policies/leveldb/hyper_levels.h"
#include "models/policies/policy.h"
#include "models/policies/unlimited_runs.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

// In 64ths of file_size, by level.
constexpr std::array<std::uint64_t, kHyperLevels> kLargestFiles{64, 64, 32, 16, 16, 32, 64};
constexpr std::array<std::uint64_t, kHyperLevels> kSmallestFiles{1, 1, 1, 1, 8, 16, 32};
// In file_size.
constexpr std::array<std::uint64_t, kHyperLevels> kCapacities{1, 2, 8, 64, 512, 4096, 32768};
constexpr std::size_t kLevel0FilesMax = 32;
constexpr std::uint64_t kMergeFiles = 16;  // of the largest size
constexpr std::uint32_t kFlushLevelMax = 2;

struct HyperleveldbOptions {
  Bytes file_size{std::uint64_t{64} << 20};
  std::uint64_t l0_trigger = 4;
  bool flush_keeps_overwritten = true;

  void declare(OptionTable& table) {
    table.bytes("file_size", file_size, {64, std::uint64_t{1} << 40},
                "largest file of levels 0 and 1, of which all other sizes are multiples: largest "
                "files of levels 2 to 6: 1/2, 1/4, 1/4, 1/2, 1; capacities of levels 1 to 6: 2, 8, "
                "64, 512, 4096, 32768");
    table.count("l0_trigger", l0_trigger, {1, 1024}, "files",
                "number of files at which level 0 is merged down");
    declare_flush_versions(table, flush_keeps_overwritten);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
};

// What the files of a level overlap in the next, so that any neighbours are judged at once.
class Overlaps {
 public:
  Overlaps(const SortedRun& upper, const SortedRun& lower) {
    std::uint64_t bytes = 0;
    for (const File& file : upper.files) {
      const FileSpan met = overlapping_files(lower, file.keys);
      const std::size_t first = met.first_index();
      files_.push_back({bytes, lower.files.sums(0, first).bytes,
                        lower.files.sums(0, first + met.size()).bytes, met.size()});
      bytes += file.bytes.value();
    }
    files_.push_back({bytes, 0, 0, 0});
  }
  /// Of the files first..last-1.
  [[nodiscard]] std::uint64_t upper_bytes(std::size_t first, std::size_t last) const {
    return files_[last].upper_before - files_[first].upper_before;
  }
  [[nodiscard]] std::uint64_t lower_bytes(std::size_t first, std::size_t last) const {
    return files_[last - 1].lower_up_to - files_[first].lower_before;
  }
  /// The first of the files that overlap the fewest. REQUIRES: there is a file.
  [[nodiscard]] std::size_t fewest() const {
    const auto least =
        std::min_element(files_.begin(), files_.end() - 1,
                         [](const Sums& a, const Sums& b) { return a.files < b.files; });
    return static_cast<std::size_t>(least - files_.begin());
  }
  [[nodiscard]] std::size_t size() const { return files_.size() - 1; }

 private:
  struct Sums {
    std::uint64_t upper_before;  // bytes of the files before it in its level
    std::uint64_t lower_before;  // bytes of the next level before what it overlaps
    std::uint64_t lower_up_to;   // the same up to the end of that
    std::size_t files;           // that it overlaps
  };
  std::vector<Sums> files_;  // and one behind the last
};

class Hyperleveldb final : public Policy {
 public:
  explicit Hyperleveldb(const HyperleveldbOptions& options) : options_(options) {}

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] bool flush_keeps_overwritten() const override {
    return options_.flush_keeps_overwritten;
  }
  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return options_.l0_trigger;
  }
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{flush_target(tree)}, {}};
    }
    HyperScores scores;
    for (std::uint32_t level = 0; level + 1 < kHyperLevels; ++level) {
      scores[level] = score_of(tree, level);
    }
    const std::optional<std::uint32_t> level = hyper_level(tree, scores);
    if (!level) return std::nullopt;
    if (*level == 0) return merge_level0(tree);
    return push_down(tree, *level);
  }

 private:
  [[nodiscard]] std::uint64_t largest_file(std::uint32_t level) const {
    return options_.file_size.value() * kLargestFiles[level] / 64;
  }
  [[nodiscard]] std::uint64_t smallest_file(std::uint32_t level) const {
    return options_.file_size.value() * kSmallestFiles[level] / 64;
  }

  // Version::PickLevelForMemTableOutput.
  [[nodiscard]] static OutputTarget flush_target(const TreeView& tree) {
    const KeyRange& keys = tree.pending_flush()->keys;
    const auto overlaps = [&](std::uint32_t level) {
      if (level >= tree.levels().size()) return false;
      const std::vector<SortedRun>& runs = tree.levels()[level].runs;
      return std::any_of(runs.begin(), runs.end(), [&](const SortedRun& run) {
        return !overlapping_files(run, keys).empty();
      });
    };
    std::uint32_t level = 0;
    if (!overlaps(0)) {
      while (level < kFlushLevelMax && !overlaps(level + 1)) ++level;
      while (level > 0 && is_hyper_locked(tree, level)) --level;
    }
    return level == 0 ? OutputTarget{0, std::nullopt} : leveled_target(tree, level);
  }

  // VersionSet::Finalize.
  [[nodiscard]] FileRank score_of(const TreeView& tree, std::uint32_t level) const {
    if (level >= tree.levels().size()) return {0, 1};
    const FileSums& sums = tree.levels()[level].sums;
    if (level == 0) return {sums.files, options_.l0_trigger};
    const std::uint64_t capacity = options_.file_size.value() * kCapacities[level];
    const std::uint64_t middling = (largest_file(level) + smallest_file(level)) / 2;
    return std::max(FileRank{sums.bytes, capacity}, FileRank{sums.files, capacity / middling});
  }

  [[nodiscard]] std::optional<Plan> merge_level0(const TreeView& tree) const {
    const std::vector<SortedRun>& runs = tree.levels()[0].runs;
    std::vector<PlanInput> oldest_first;
    std::optional<KeyRange> hull;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      if (oldest_first.size() == kLevel0FilesMax) break;
      oldest_first.push_back(input_of(0, *run, run->files));
      const KeyRange keys = range_of(run->files);
      hull = hull ? hull_of(*hull, keys) : keys;
    }
    if (!hull) return std::nullopt;
    MergePlan merge;
    merge.inputs.assign(oldest_first.rbegin(), oldest_first.rend());
    return finished(tree, 0, std::move(merge), *hull);
  }

  // VersionSet::PickCompaction.
  [[nodiscard]] std::optional<Plan> push_down(const TreeView& tree, std::uint32_t level) const {
    const SortedRun* const upper = newest_run(tree, level);
    if (upper == nullptr) return std::nullopt;
    if (auto plan = move_free(tree, level, *upper)) return plan;
    const SortedRun& lower = *newest_run(tree, level + 1);  // it overlaps every file
    const FileSpan best = best_neighbours(level, *upper, Overlaps(*upper, lower));
    MergePlan merge;
    merge.inputs.push_back(input_of(level, *upper, best));
    return finished(tree, level, std::move(merge), range_of(best));
  }
  [[nodiscard]] FileSpan best_neighbours(std::uint32_t level, const SortedRun& upper,
                                         const Overlaps& overlaps) const {
    std::optional<FileSpan> best;
    FileRank best_quotient{0, 1};
    std::uint64_t best_bytes = 0;
    for (std::size_t first = 0; first < overlaps.size(); ++first) {
      for (std::size_t last = first + 1; last <= overlaps.size(); ++last) {
        const std::uint64_t above = overlaps.upper_bytes(first, last);
        const std::uint64_t below = overlaps.lower_bytes(first, last);
        if (above + below >= largest_file(level) * kMergeFiles) break;
        const FileRank quotient{above, below};
        const bool is_better = !best || quotient > best_quotient ||
                               (quotient == best_quotient && above + below < best_bytes);
        if (!is_better) continue;
        best = FileSpan(upper.files, first, last);
        best_quotient = quotient;
        best_bytes = above + below;
      }
    }
    const std::size_t fewest = overlaps.fewest();
    return best ? *best : FileSpan(upper.files, fewest, fewest + 1);
  }

  [[nodiscard]] static std::optional<Plan> move_free(const TreeView& tree, std::uint32_t level,
                                                     const SortedRun& upper) {
    const SortedRun* const lower = newest_run(tree, level + 1);
    PlanInput input{level, upper.id, {}};
    for (const File& file : upper.files) {
      if (lower == nullptr || overlapping_files(*lower, file.keys).empty()) {
        input.files.push_back(file.id);
      }
    }
    if (input.files.empty()) return std::nullopt;
    return Plan{PlanReason::kLevelSaturated,
                MovePlan{{std::move(input)}, leveled_target(tree, level + 1)},
                {}};
  }
  // Adds what the inputs overlap below, and says where outputs end.
  [[nodiscard]] Plan finished(const TreeView& tree, std::uint32_t level, MergePlan merge,
                              const KeyRange& keys) const {
    if (const SortedRun* const lower = newest_run(tree, level + 1)) {
      const FileSpan met = overlapping_files(*lower, keys);
      if (!met.empty()) merge.inputs.push_back(input_of(level + 1, *lower, met));
    }
    merge.target = leveled_target(tree, level + 1);
    merge.cut.measure = CutMeasure::kStoredBlocks;
    merge.cut.file_bytes = Bytes(largest_file(level));
    merge.cut.file_begins.emplace();
    merge.cut.file_begin_bytes_min = Bytes(smallest_file(level));
    if (const SortedRun* const below = newest_run(tree, level + 2)) {
      for (const File& file : overlapping_files(*below, keys)) {
        // A file ends with its last key up to the end of that file.
        for (const std::uint64_t end : {file.keys.smallest, file.keys.largest}) {
          std::vector<std::uint64_t>& begins = *merge.cut.file_begins;
          const bool is_new = begins.empty() || begins.back() <= end;
          if (is_new && end < KeyRange().largest) begins.push_back(end + 1);
        }
      }
    }
    return Plan{level == 0 ? PlanReason::kSortedRunCount : PlanReason::kLevelSaturated,
                std::move(merge),
                {}};
  }

  HyperleveldbOptions options_;
};

std::vector<RuleFidelity> hyperleveldb_fidelity() {
  const char* const kVersionSet = "db/version_set.cc, HyperLevelDB@f379837";
  const char* const kDb = "db/db_impl.cc, HyperLevelDB@f379837";
  return {
      {"scores of levels, and which one is merged", Fidelity::kExact, kVersionSet},
      {"the neighbouring files with the best quotient of bytes", Fidelity::kExact, kVersionSet},
      {"files that overlap nothing move, all at once", Fidelity::kExact, kDb},
      {"where outputs end", Fidelity::kSimplified, kDb,
       "sizes are those of finished blocks; there, the block that is being written counts"},
      {"the level of a flush", Fidelity::kExact, kVersionSet},
      {"a flush keeps entries that were overwritten in the memtable", Fidelity::kExact,
       "db/builder.cc, HyperLevelDB@f379837"},
      {"seek-driven compaction", Fidelity::kNotModelled, kVersionSet, "reads charge no files here"},
      {"level 0 never stalls writers", Fidelity::kExact, kDb},
  };
}

}  // namespace

PolicyFamily hyperleveldb_family() {
  PolicyFamily family = make_family<HyperleveldbOptions, Hyperleveldb>(
      "hyperleveldb",
      "HyperLevelDB: leveling that merges the neighbouring files which rewrite least for what they "
      "bring down",
      "HyperLevelDB@f379837, db/version_set.cc");
  lift_run_limits(family.stalls);
  family.fidelity = hyperleveldb_fidelity();
  return family;
}

}  // namespace lsmlab

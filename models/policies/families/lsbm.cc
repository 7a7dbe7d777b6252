// The LSM-tree of LSbM-tree (Teng et al., ICDCS 2017; lsbm/version_set.cc, lsbm/db_impl.cc of the
// authors' repository). A level has two sorted parts: the insertion part, which fills, and the
// deletion part, which is being merged into it.
//
//  - A flush joins the deletion part of level 0, where files overlap. When these files exceed
//    l0_compaction_trigger, they all merge with the files of level 0's insertion part that they
//    overlap.
//  - An insertion part above its capacity, l0_size * size_ratio^level, becomes the deletion part of
//    the next level, by a move. That part must be empty; from level 1 on, so must the level's own
//    deletion part.
//  - A deletion part merges into its insertion part once it and the insertion part above together
//    exceed the capacity of the level above: it shrinks as fast as the next one grows. A merge
//    takes a slice: the first files by key, up to data_merged_each_round bytes, five times as many
//    in the last level, and what they overlap. The slice grows by files of the deletion part that
//    overlap the merge, if that adds no file of the insertion part and the inputs stay below 25
//    times file_size. A slice that overlaps nothing moves.
//  - The level with the highest score acts if that is above 1; ties: the shallower level. Level 0
//    scores 1.05 at most.
//  - Only merges of the last level drop deletes.
//  - With compaction_buffer=on, merges of the levels between the first and the last leave copies of
//    what they merge (models/tree/file_copies.h): the level's compaction buffer. Copies move down
//    with the part that has them, and go when that part's files are merged.
//  - Every trim_flushes flushes, cold copies go: those of which less than hot_file_percent of the
//    blocks are in the block cache. A cold copy stays while an older hot one lies below it. A
//    copy's first trim spares it.
//
// Here the deletion part of level i is level 2 * i of the tree, its insertion part 2 * i + 1. Level
// 0's cursor is the flush of the last trim, level 1's its time.
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "models/policies/leveldb/flush_versions.h"
#include "models/policies/leveldb/rules.h"
#include "models/policies/policy.h"
#include "models/policies/unlimited_runs.h"
#include "models/tree/file_copies.h"
#include "models/tree/tree_query.h"

namespace lsmlab {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
constexpr CountRange kLsbmBytes{1, std::uint64_t{1} << 50};

enum class Buffer { kOff, kOn };

struct LsbmOptions {
  Bytes l0_size{100 * kMebi};
  std::uint64_t size_ratio = 10;
  std::uint64_t levels = 4;
  Bytes file_size{8 * kMebi};
  std::optional<Bytes> l0_compaction_trigger;
  std::optional<Bytes> data_merged_each_round;
  Buffer compaction_buffer = Buffer::kOff;
  std::uint64_t buffer_tables = 20;
  std::uint64_t trim_flushes = 8;
  std::uint64_t hot_file_percent = 98;
  bool flush_keeps_overwritten = true;

  void declare(OptionTable& table) {
    table.bytes("l0_size", l0_size, kLsbmBytes,
                "capacity of level 0's insertion part; each further level has size_ratio times "
                "that of the level above");
    table.count("size_ratio", size_ratio, {2, 1024}, "",
                "larger: fewer levels, but more rewrites in each");
    table.count("levels", levels, {2, 8}, "levels",
                "levels of two parts each; the last one has no capacity");
    table.bytes("file_size", file_size, kLsbmBytes, "size at which a merge ends a file");
    table.optional_bytes("l0_compaction_trigger", l0_compaction_trigger, kLsbmBytes,
                         "bytes of flushed files above which they merge into level 0's insertion "
                         "part; larger: fewer rewrites of it, but more files for a read to visit; "
                         "default: 35% of l0_size");
    table.optional_bytes("data_merged_each_round", data_merged_each_round, kLsbmBytes,
                         "size of the slice that a merge takes of a deletion part, five times as "
                         "much in the last level; larger: less is rewritten only because it shares "
                         "a file with the slice's ends; default: file_size");
    table.choice<Buffer>(
        "compaction_buffer", compaction_buffer, {{"off", Buffer::kOff}, {"on", Buffer::kOn}},
        "on: files that merges replaced stay for lookups while the block cache holds them; "
        "fewer cache misses after merges, but more space");
    table.count("buffer_tables", buffer_tables, {1, 1000}, "tables",
                "copies of one key that the buffer keeps; more: lookups ask more tables");
    table.count("trim_flushes", trim_flushes, {1, 1'000'000'000}, "flushes",
                "flushes between two trims of the buffer; more: cold files take space for longer");
    table.count("hot_file_percent", hot_file_percent, {0, 100}, "%",
                "share of a buffered file's blocks that must be in the block cache for the file to "
                "stay; 0: all files stay");
    declare_flush_versions(table, flush_keeps_overwritten);
  }
  [[nodiscard]] std::vector<std::string> validate() const { return {}; }
  void resolve() {
    if (!l0_compaction_trigger) {
      l0_compaction_trigger = Bytes(std::max<std::uint64_t>(l0_size.value() * 35 / 100, 1));
    }
    if (!data_merged_each_round) data_merged_each_round = file_size;
  }
};

constexpr std::uint32_t deletion_part(std::uint32_t level) { return 2 * level; }
constexpr std::uint32_t insertion_part(std::uint32_t level) { return 2 * level + 1; }

std::uint64_t part_bytes(const TreeView& tree, std::uint32_t part) {
  return part < tree.levels().size() ? tree.levels()[part].sums.bytes : 0;
}
bool has_files(const TreeView& tree, std::uint32_t part) {
  return part < tree.levels().size() && tree.levels()[part].sums.files > 0;
}

class Lsbm final : public Policy {
 public:
  explicit Lsbm(const LsbmOptions& options)
      : options_(options), levels_(static_cast<std::uint32_t>(options.levels)) {}

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }

  [[nodiscard]] bool flush_keeps_overwritten() const override {
    return options_.flush_keeps_overwritten;
  }
  [[nodiscard]] bool keeps_copies() const override {
    return options_.compaction_buffer == Buffer::kOn;
  }
  [[nodiscard]] bool looks_at_copies(const TreeView& tree) const override {
    const bool may_trim = keeps_copies() && options_.hot_file_percent > 0;
    if (!may_trim || tree.pending_flush() || tree.frozen_files().empty()) return false;
    return tree.flush_count() >= cursor_of(tree, 0) + options_.trim_flushes;
  }

  // What its system compares with the limits at which it slows and stops writers.
  [[nodiscard]] std::uint64_t pending_bytes(const TreeView& tree) const override {
    return part_bytes(tree, deletion_part(0));
  }

  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override {
    if (tree.pending_flush()) {
      return Plan{PlanReason::kMemtableFull, FlushPlan{{0, std::nullopt}}, {}};
    }
    if (has_busy_file(tree)) return std::nullopt;
    if (looks_at_copies(tree)) return trim(tree);
    FileRank best{1, 1};
    std::optional<std::uint32_t> acting;
    for (std::uint32_t level = 0; level < levels_; ++level) {
      const FileRank score = score_of(tree, level);
      if (score <= best) continue;
      best = score;
      acting = level;
    }
    if (!acting) return std::nullopt;
    const bool moves = *acting == 0 ? is_full(tree, 0) : !has_files(tree, deletion_part(*acting));
    if (moves) return move_down(tree, *acting);
    return *acting == 0 ? roll(tree) : merge_slice(tree, *acting);
  }

 private:
  [[nodiscard]] static std::uint64_t cursor_of(const TreeView& tree, std::uint32_t level) {
    if (level >= tree.levels().size()) return 0;
    return tree.levels()[level].cursor.value_or(0);
  }

  [[nodiscard]] bool is_cold(const FrozenFile& copy) const {
    const CachedBlocks& blocks = copy.blocks;
    if (blocks.cached == 0) return options_.hot_file_percent > 0;
    return Uint128{blocks.cached} * 100 < Uint128{blocks.all} * options_.hot_file_percent;
  }

  // Version::RefineCompactionBuffer.
  [[nodiscard]] Plan trim(const TreeView& tree) const {
    const Instant last_trim(cursor_of(tree, 1));
    std::set<FileId> cold;
    for (const FrozenFile& copy : tree.frozen_files()) {
      if (copy.file.level_since < last_trim && is_cold(copy)) cold.insert(copy.file.id);
    }
    for (const FileId id : covering_hot_ones(tree, cold)) cold.erase(id);
    return {PlanReason::kColdCopies,
            TrimPlan{{cold.begin(), cold.end()}},
            {{0, tree.flush_count()}, {1, tree.now().value()}}};
  }

  // Those copies of `cold` that cover a copy that is not: it would go with them.
  [[nodiscard]] static std::vector<FileId> covering_hot_ones(const TreeView& tree,
                                                             const std::set<FileId>& cold) {
    std::vector<FileId> covering;
    const std::vector<FileId> ids(cold.begin(), cold.end());
    for (const FileLocation& at : files_with_copies_of(tree, ids)) {
      std::vector<KeyRange> stays;  // from the oldest copy on
      const std::vector<Copy>& copies = tree.file_at(at).copies;
      for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
        const bool is_cold = cold.contains(copy->frozen_file);
        const bool covers = std::any_of(stays.begin(), stays.end(), [&](const KeyRange& keys) {
          return keys.overlaps(copy->keys);
        });
        if (is_cold && covers) covering.push_back(copy->frozen_file);
        if (!is_cold || covers) stays.push_back(copy->keys);
      }
    }
    return covering;
  }

  [[nodiscard]] std::uint64_t capacity(std::uint32_t level) const {
    constexpr Uint128 kMax = std::uint64_t{1} << 62;
    Uint128 bytes = options_.l0_size.value();
    for (; level > 0; --level) bytes = std::min(bytes * options_.size_ratio, kMax);
    return static_cast<std::uint64_t>(bytes);
  }
  [[nodiscard]] bool is_full(const TreeView& tree, std::uint32_t level) const {
    return part_bytes(tree, insertion_part(level)) > capacity(level);
  }

  // VersionSet::Finalize.
  [[nodiscard]] FileRank score_of(const TreeView& tree, std::uint32_t level) const {
    if (level == 0) return score_of_level0(tree);
    if (has_files(tree, deletion_part(level))) {
      const std::uint64_t above = part_bytes(tree, insertion_part(level - 1));
      return {above + part_bytes(tree, deletion_part(level)), capacity(level - 1)};
    }
    const bool has_room = level + 1 < levels_ && !has_files(tree, deletion_part(level + 1));
    return has_room ? FileRank{part_bytes(tree, insertion_part(level)), capacity(level)}
                    : FileRank{0, 1};
  }
  [[nodiscard]] FileRank score_of_level0(const TreeView& tree) const {
    const FileRank most{105, 100};
    if (is_full(tree, 0)) {
      // A rest of the deletion part below then has the higher score.
      if (has_files(tree, deletion_part(1))) return {0, 1};
      return std::min(most, FileRank{part_bytes(tree, insertion_part(0)), capacity(0)});
    }
    return std::min(most, FileRank{part_bytes(tree, deletion_part(0)),
                                   options_.l0_compaction_trigger->value()});
  }

  // BasicVersionSet::MoveLevelDown.
  [[nodiscard]] static Plan move_down(const TreeView& tree, std::uint32_t level) {
    const SortedRun& part = *newest_run(tree, insertion_part(level));
    MovePlan move;
    move.inputs.push_back(input_of(insertion_part(level), part, part.files));
    move.target = {deletion_part(level + 1), std::nullopt};
    return {PlanReason::kLevelSaturated, std::move(move), {}};
  }

  [[nodiscard]] Plan roll(const TreeView& tree) const {
    MergePlan merge;
    std::optional<KeyRange> keys;
    for (const SortedRun& run : tree.levels()[0].runs) {
      merge.inputs.push_back(input_of(0, run, run.files));
      keys = keys ? hull_of(*keys, range_of(run.files)) : range_of(run.files);
    }
    return finished(tree, 0, std::move(merge), met_by(tree, 0, *keys));
  }

  // BasicVersionSet::PickCompaction, SetupOtherInputs.
  [[nodiscard]] Plan merge_slice(const TreeView& tree, std::uint32_t level) const {
    const SortedRun& part = *newest_run(tree, deletion_part(level));
    const std::uint64_t times = level + 1 == levels_ ? 5 : 1;
    const std::uint64_t bytes = options_.data_merged_each_round->value() * times;
    const std::size_t last = part.files.first_with_bytes_above(0, bytes - 1);
    FileSpan slice(part.files, 0, std::min(last + 1, part.files.size()));
    FileSpan met = met_by(tree, level, range_of(slice));
    if (met.empty()) {
      MovePlan move;
      move.inputs.push_back(input_of(deletion_part(level), part, slice));
      move.target = leveled_target(tree, insertion_part(level));
      return {PlanReason::kLevelSaturated, std::move(move), {}};
    }
    const FileSpan grown = overlapping_files(part, hull_of(range_of(slice), range_of(met)));
    const bool is_small = met.sums().bytes + grown.sums().bytes < 25 * options_.file_size.value();
    if (grown.size() > slice.size() && is_small) {
      const FileSpan met_then = met_by(tree, level, range_of(grown));
      if (met_then.size() == met.size()) slice = grown;
    }
    MergePlan merge;
    merge.inputs.push_back(input_of(deletion_part(level), part, slice));
    return finished(tree, level, std::move(merge), met);
  }

  // The files of a level's insertion part that overlap `keys`.
  [[nodiscard]] static FileSpan met_by(const TreeView& tree, std::uint32_t level,
                                       const KeyRange& keys) {
    const SortedRun* const part = newest_run(tree, insertion_part(level));
    return part == nullptr ? FileSpan() : overlapping_files(*part, keys);
  }
  [[nodiscard]] Plan finished(const TreeView& tree, std::uint32_t level, MergePlan merge,
                              const FileSpan& met) const {
    if (!met.empty()) {
      const SortedRun& part = *newest_run(tree, insertion_part(level));
      merge.inputs.push_back(input_of(insertion_part(level), part, met));
    }
    merge.target = leveled_target(tree, insertion_part(level));
    merge.cut.measure = CutMeasure::kStoredBlocks;
    merge.cut.file_bytes = options_.file_size;
    merge.drops_tombstones = level + 1 == levels_;
    const bool has_buffer = level > 0 && level + 1 < levels_;
    if (keeps_copies() && has_buffer) merge.copies_max = options_.buffer_tables;
    return {PlanReason::kLevelSaturated, std::move(merge), {}};
  }

  LsbmOptions options_;
  std::uint32_t levels_;
};

std::vector<RuleFidelity> lsbm_fidelity() {
  const char* const kVersionSet = "lsbm/version_set.cc, lsbm@8a1ba12";
  const char* const kDb = "lsbm/db_impl.cc, lsbm@8a1ba12";
  return {
      {"which level acts: full insertion parts move down, deletion parts shrink as the part above "
       "grows",
       Fidelity::kSimplified, kVersionSet,
       "sizes are compared by the byte, there in whole MiB; a move waits for the last bytes of the "
       "deletion part below, which the code would drop"},
      {"slices of a deletion part merge with what they overlap, and how they grow",
       Fidelity::kExact, kVersionSet},
      {"a flush keeps entries that were overwritten in the memtable", Fidelity::kExact,
       "lsbm/builder.cc, lsbm@8a1ba12"},
      {"slices that overlap nothing move", Fidelity::kExact, kDb},
      {"where outputs end", Fidelity::kExact, kDb},
      {"deletes go only in the last level's merges", Fidelity::kExact, kDb},
      {"slowed and stopped writers", Fidelity::kSimplified, kDb,
       "at 70 MiB and 105 MiB of flushed files, whatever l0_compaction_trigger is; --stalls "
       "changes both"},
      {"compaction buffer: files that merges of the levels between replaced stay for lookups, the "
       "newest tables first",
       Fidelity::kSimplified, kVersionSet,
       "compaction_buffer=on; off by default. Scans read merged files; there a buffer that covers "
       "the range. A lookup that misses a trimmed file goes to the merged file, as in the paper; "
       "the code would read an older table"},
      {"trims of cold files", Fidelity::kSimplified, kVersionSet,
       "every trim_flushes flushes, there every 30 s; at 98% of a file's blocks, there 2000 blocks "
       "of 8 MiB files; a copy's first trim spares it, there the newest table's first three. "
       "Fetches that a filter passed in vain do not count as cached"},
      {"warming up buffer, and the cursor up to which reads use it", Fidelity::kSimplified,
       kVersionSet,
       "copies of a part that moved down serve lookups until its files merge, without a cursor"},
  };
}

// DBImpl::MakeRoomForWrite.
StallRules lsbm_stalls() {
  StallRules rules = leveldb_stalls();
  lift_run_limits(rules);
  rules.pending_slowdown_bytes = Bytes(2 * 35 * kMebi);
  rules.pending_stop_bytes = Bytes(3 * 35 * kMebi);
  return rules;
}

}  // namespace

PolicyFamily lsbm_family() {
  PolicyFamily family = make_family<LsbmOptions, Lsbm>(
      "lsbm",
      "LSbM-tree's levels of two parts: full parts move down, then merge slice by slice; with its "
      "compaction buffer on request",
      "Teng et al., ICDCS 2017, and its code (lsbm@8a1ba12)");
  family.stalls = lsbm_stalls();
  family.estimates_pending_bytes = true;
  family.fidelity = lsbm_fidelity();
  return family;
}

}  // namespace lsmlab

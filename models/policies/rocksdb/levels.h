// What RocksDB 7.8.3 computes about a tree before it picks a compaction (db/version_set.cc): file
// sizes that include a surcharge for tombstones, target sizes of levels, and the levels by falling
// score. Levels that RocksDB has but the tree does not have yet count as empty.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/options.h"
#include "models/base/units.h"
#include "models/policies/fidelity.h"
#include "models/sizes/store_options.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// File sizes with a surcharge if tombstones outnumber the other entries (ComputeCompensatedSizes).
/// When RocksDB creates a file, it takes the mean value size of all files that it ever had. Here it
/// is the mean of the files in the tree, because a policy has no memory.
class RocksdbCompensation {
 public:
  explicit RocksdbCompensation(const TreeView& tree);
  [[nodiscard]] std::uint64_t bytes(const File& file) const;
  /// Of several files: of all, or of the idle ones.
  [[nodiscard]] std::uint64_t bytes(const FileSums& files) const;
  [[nodiscard]] std::uint64_t idle_bytes(const FileSums& files) const;

 private:
  std::uint64_t mean_value_bytes_ = 0;  // mean stored bytes of an entry's value
};

/// Delete-Aware RocksDB's compaction trigger (the thesis, Section 3.1.1, Equation 1 and Fig. 5, 6):
/// the deletion rate of level i is D * E / M, where D are the level's tombstones, E is the mean
/// size of an entry and M the size of a memtable. Its limit is base / multiplier^(i-1), and its
/// score the quotient of the two.
struct RocksdbDeleteTrigger {
  double base = 0;                   // del_ratio_base, unless the tree has a tuned one; 0: none
  std::uint64_t memtable_bytes = 0;  // M
  bool keeps_size_trigger = false;   // the larger of the two scores counts
  Instant from;                      // before, only sizes count
};

/// Which version's rules count where versions differ, by the last one that was read.
///   - k6_12 (and older): with dynamic levels, targets grow with level 0, and the score of level 0
///     is its size over level_base.
///   - k7_4 (from 6.13): that size over the base level's target / multiplier, if that is more (PR
///     7325).
///   - k7_8 (from 7.5): targets and scores as in scores() (PR 10057). Moves take several files.
///   - k8_4 (from 8.4): a merge may have two parts (subcompactions.h, PR 11501). With dynamic
///   levels,
///     levels that the data does not need drain (8.2, PR 11340). Moves: leveled_picker.h.
///   - k8_7 (from 8.7): universal compaction's merge for space (universal_space.h, PR 11749).
///   - k8_11 (from 8.11): RocksdbLevels::behind_bytes() (PR 12130). With dynamic levels, periodic
///     compactions go to the next level. Marked files come first (file_priority.h).
///   - k9_0 (from 9.0): level 0 merges with itself while the base level is more than 10 times its
///     size, or the size ratio if that is more (PR 12214).
///   - k9_2 (from 9.2): inputs grow up to twice max_compaction_bytes.
///   - k9_6 (from 9.6): twice these factors, and level 0's sizes are compensated (PR 12878).
///   - k9_8 (and newer): a minimum of behind_bytes() (PR 13054).
enum class RocksdbVersion { k6_12, k7_4, k7_8, k8_4, k8_7, k8_11, k9_0, k9_2, k9_6, k9_8 };

void declare_rocksdb_version(OptionTable& table, RocksdbVersion& version, const char* help);

/// Gives RocksDB's memtables the arena blocks of the version in force, where no option does.
void settle_rocksdb_arena(const ResolvedOptions& options, StoreOptions& store);

/// What flushes and memtables of all RocksDB's policies do as RocksDB.
[[nodiscard]] RuleFidelity rocksdb_flush_fidelity();
[[nodiscard]] RuleFidelity rocksdb_arena_fidelity();

/// RocksDB's option of that name.
void declare_disable_auto_compactions(OptionTable& table, bool& is_disabled);

/// The options that determine the sizes of levels.
struct RocksdbShape {
  std::uint32_t levels = 7;  // level 0 included; at least 2
  std::uint64_t level_base = 0;
  std::uint64_t size_ratio = 10;
  std::uint64_t l0_trigger = 4;
  bool dynamic_levels = false;
  std::optional<RocksdbDeleteTrigger> deletes = {};
  RocksdbVersion version = RocksdbVersion::k7_8;
  /// True if targets follow the size of level 0.
  [[nodiscard]] bool adapts_to_level0() const { return version <= RocksdbVersion::k7_4; }
  [[nodiscard]] bool drains_unneeded() const {
    return dynamic_levels && version >= RocksdbVersion::k8_4;
  }
};

/// The level that level 0 goes to, and the target size in bytes of each level.
struct RocksdbTargets {
  std::uint32_t base_level = 1;
  std::vector<std::uint64_t> max_bytes;  // by level
  double multiplier = 0;                 // between targets; 0: no level is due
  // The deepest level that the data does not need. It drains, and so do those above it.
  std::optional<std::uint32_t> unneeded_upto = {};
};

/// RocksDB's CalculateBaseBytes. REQUIRES: `level_bytes` has an entry for every level.
[[nodiscard]] RocksdbTargets rocksdb_targets(const RocksdbShape& shape,
                                             const std::vector<std::uint64_t>& level_bytes,
                                             std::size_t level0_files = 0);

/// Some files of one level. Files of level 0 are newest first, those of other levels in the order
/// of keys.
using FileList = std::vector<const File*>;

[[nodiscard]] bool any_busy(const FileList& files);
[[nodiscard]] std::uint64_t sum_of_bytes(const FileList& files);
/// True if no two of them share a key.
[[nodiscard]] bool are_disjoint(FileList files);
/// Newest first.
[[nodiscard]] FileList level0_files(const TreeView& tree);
/// The smallest range that contains all files. REQUIRES: not empty.
[[nodiscard]] KeyRange hull_of(const FileList& files);

struct LevelScore {
  double score = 0;
  std::uint32_t level = 0;
};

/// Refers to the tree, which must outlive it and must not change.
class RocksdbLevels {
 public:
  RocksdbLevels(const TreeView& tree, const RocksdbShape& shape);

  [[nodiscard]] const TreeView& tree() const { return tree_; }
  [[nodiscard]] std::uint32_t level_count() const { return shape_.levels; }
  [[nodiscard]] bool is_dynamic() const { return shape_.dynamic_levels; }
  /// The files of level 0, newest first.
  [[nodiscard]] const FileList& level0() const { return level0_; }
  /// The files of another level; null where it holds none.
  [[nodiscard]] const RunFiles* run(std::uint32_t level) const { return runs_[level]; }
  [[nodiscard]] std::size_t file_count(std::uint32_t level) const;
  /// Of all files of a level, as stored.
  [[nodiscard]] std::uint64_t bytes(std::uint32_t level) const { return level_bytes_[level]; }
  /// By the order of level0() or run(). REQUIRES: index < file_count(level).
  [[nodiscard]] const File& file(std::uint32_t level, std::size_t index) const {
    return level == 0 ? *level0_[index] : (*runs_[level])[index];
  }
  [[nodiscard]] std::uint32_t base_level() const { return targets_.base_level; }
  [[nodiscard]] std::uint64_t max_bytes(std::uint32_t level) const {
    return targets_.max_bytes[level];
  }
  [[nodiscard]] std::uint64_t compensated_bytes(const File& file) const {
    return compensation_.bytes(file);
  }
  [[nodiscard]] std::optional<std::uint64_t> cursor(std::uint32_t level) const;

  /// The files of a level that overlap `keys`. In level 0 also the files that overlap those files,
  /// and so on (GetOverlappingInputs).
  [[nodiscard]] FileList overlapping(std::uint32_t level, const KeyRange& keys) const;
  /// True if no two files of level 0 share a key (GenerateLevel0NonOverlapping).
  [[nodiscard]] bool level0_disjoint() const;
  /// All levels but the last, by falling score. A level with a score of 1 or more needs a
  /// compaction (ComputeCompactionScore).
  [[nodiscard]] std::vector<LevelScore> scores() const;

  /// The bytes that compactions still have to move until no level exceeds its target: the excess of
  /// each level, with the bytes that it overlaps in the next level (EstimateCompactionBytesNeeded).
  /// Where a trigger by deletes replaces that by size, only level 0 has an excess.
  [[nodiscard]] std::uint64_t pending_bytes() const;

  /// The pending_bytes() from which on several merges run, besides a quarter of the limit on them
  /// (GetPendingCompactionBytesForCompactionSpeedup): an eighth of the bytes in the deepest level,
  /// and from version 9.8 on at least 2 * level_base. 0 for older versions, and without files.
  [[nodiscard]] std::uint64_t behind_bytes() const;

  /// Files of one level as inputs of a plan, newest run first.
  [[nodiscard]] std::vector<PlanInput> inputs_of(std::uint32_t level, const FileList& files) const;

 private:
  [[nodiscard]] FileList overlapping_level0(KeyRange keys) const;
  [[nodiscard]] double level0_score() const;
  [[nodiscard]] double level0_target() const;
  /// By RocksdbDeleteTrigger, of a level from 1 on. REQUIRES: the shape has one.
  [[nodiscard]] double delete_score(std::uint32_t level) const;
  [[nodiscard]] double level_score(std::uint32_t level, double falling_bytes) const;
  [[nodiscard]] bool is_unneeded(std::uint32_t level) const {
    return targets_.unneeded_upto && level <= *targets_.unneeded_upto;
  }
  /// Of a level from 1 on.
  [[nodiscard]] RunSums sums(std::uint32_t level) const {
    return runs_[level] != nullptr ? runs_[level]->sums() : RunSums();
  }

  const TreeView& tree_;
  RocksdbShape shape_;
  RocksdbCompensation compensation_;
  FileList level0_;
  std::vector<const RunFiles*> runs_;  // by level; null where a level holds nothing
  std::vector<std::uint64_t> level_bytes_;
  RocksdbTargets targets_;
  double mean_entry_bytes_ = 0;  // of all entries in the tree; with a trigger by deletes only
};

}  // namespace lsmlab

// RocksDB's leveled compaction as of 7.8.3, and with `version` as of others
// (models/policies/rocksdb/levels.h, models/policies/rocksdb/file_priority.h,
// models/policies/rocksdb/leveled_picker.h). Level 0 holds whole flushes; deeper levels are sorted
// runs of files. Ages (ttl, periodic_age) count operations, not seconds. Not modelled, because
// they depend on manual calls or on the contents of entries: files that a program marks itself,
// bottommost files after the release of a snapshot, blob files, partitioners, more than one path.
//
// Tombstones: RocksDB drops a tombstone if no file of a deeper level has its key in its range
// (Compaction::KeyNotExistsBeyondOutputLevel); TombstoneRule does the same. A compaction within
// level 0 drops tombstones only if it takes the oldest file of level 0 and all deeper levels are
// empty (IsBottommostLevel).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/policies/level_options.h"
#include "models/policies/policy.h"
#include "models/policies/rocksdb/leveled_picker.h"

namespace lsmlab {

struct RocksdbLeveledOptions {
  LevelOptions level;
  RocksdbPriority priority = RocksdbPriority::kMinOverlappingRatio;
  bool dynamic_levels = false;
  std::optional<Bytes> max_compaction_bytes;
  std::uint64_t file_size_multiplier = 1;
  std::uint64_t levels = 7;
  std::uint64_t max_subcompactions = 1;
  RocksdbVersion version = RocksdbVersion::k7_8;
  std::optional<bool> dynamic_file_size;
  RocksdbFileTriggers files;
  Bytes memtable;                               // the store's
  CompressionRules compression;                 // the store's
  std::optional<RocksdbDeleteTrigger> deletes;  // no option of RocksDB's: not declared
  // No merge but a manual one. Not declared: systems that are built on RocksDB need their merges.
  bool disable_auto_compactions = false;

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const { return files.validate(); }
  void resolve(const StoreOptions& store);
};

class RocksdbLeveled : public Policy {
 public:
  explicit RocksdbLeveled(const RocksdbLeveledOptions& options);

  /// CompactionPicker::FilesRangeOverlapWithCompaction.
  [[nodiscard]] bool shares_target_levels() const override { return true; }

  [[nodiscard]] bool flush_takes_all_waiting() const override { return true; }

  [[nodiscard]] PolicyNeeds needs() const override { return PolicyNeeds::kKeys; }
  [[nodiscard]] std::vector<FileOrdering> orderings() const override;
  [[nodiscard]] std::optional<DeletionMark> deletion_mark() const override {
    return options_.files.mark();
  }
  // Without automatic merges, writers do not wait for them (RecalculateWriteStallConditions).
  [[nodiscard]] std::uint64_t stalling_runs(const TreeView& tree) const override {
    return options_.disable_auto_compactions ? 0 : Policy::stalling_runs(tree);
  }
  [[nodiscard]] std::uint64_t pending_bytes(const TreeView& tree) const override {
    return options_.disable_auto_compactions ? 0 : RocksdbLevels(tree, shape_).pending_bytes();
  }
  [[nodiscard]] std::uint64_t behind_bytes(const TreeView& tree) const override {
    if (options_.version < RocksdbVersion::k8_11) return 0;
    return options_.disable_auto_compactions ? 0 : RocksdbLevels(tree, shape_).behind_bytes();
  }
  [[nodiscard]] std::optional<std::uint64_t> merge_trigger_runs() const override {
    return shape_.l0_trigger;
  }
  [[nodiscard]] std::uint64_t merge_parts_max() const override {
    return options_.max_subcompactions;
  }
  [[nodiscard]] MergeParts merge_parts(const TreeView& tree, const MergePlan& merge,
                                       std::uint64_t idle_threads) const override;
  [[nodiscard]] std::optional<Plan> pick(const TreeView& tree) const override;
  [[nodiscard]] std::optional<Plan> pick_level0(const TreeView& tree) const override;
  [[nodiscard]] bool compacts(ManualScope /*scope*/) const override { return true; }
  [[nodiscard]] std::optional<Plan> pick_manual(const TreeView& tree,
                                                const ManualCompaction& manual) const override;
  [[nodiscard]] std::vector<LevelCapacity> level_capacities(const TreeView& tree) const override;

 private:
  template <class Pick>
  [[nodiscard]] std::optional<Plan> plan_by(const TreeView& tree, const Pick& pick) const;
  [[nodiscard]] Plan plan_of(const TreeView& tree, const RocksdbLevels& levels,
                             const RocksdbJob& job) const;
  [[nodiscard]] OutputCut cut_of(const RocksdbLevels& levels, const RocksdbJob& job) const;
  [[nodiscard]] std::vector<KeyRange> set_apart(const RocksdbLevels& levels,
                                                const RocksdbJob& job) const;

  RocksdbLeveledOptions options_;
  RocksdbShape shape_;
  RocksdbLeveledPicker::Options picking_;
  Bytes memtable_;
};

/// The stall rules and estimates of RocksDB's leveled compaction.
void add_rocksdb_leveled_stalls(PolicyFamily& family);

}  // namespace lsmlab

// Which files RocksDB 7.8.3 compacts next with the leveled style
// (db/compaction/compaction_picker_level.cc, LevelCompactionBuilder; compaction_picker.cc;
// Compaction::IsTrivialMove). One object makes one pick:
//
//  1. Levels are tried from the highest score down to a score of 1. Level 0 goes to the base level,
//     another level to the next one.
//  2. From level 0, the oldest files that overlap nothing move, if the base level is not empty.
//     Otherwise the pick is the first file in the order of priority that is free above and below.
//     If it overlaps nothing, up to three successors that overlap nothing join it. From version 8.4
//     on that are neighbours on both sides (with round robin successors), and none in level 0.
//  3. If level 0 is blocked, its newest files merge among themselves, as long as the cost per file
//     falls. From version 9.0 on, the idle ones do so in place of step 2 while level 0 is small
//     beside the base level.
//  4. From level 0, all files that overlap the pick join it. Round robin adds successors until the
//     level fits its target.
//  5. More files of the start level join if that adds no file below.
//  6. If steps 1 to 3 find nothing, a marked file is the pick (models/policies/rocksdb/
//     file_triggers.h), and steps 4 (without round robin) and 5 follow. If a running compaction is
//     in its way, RocksDB tries no other file.
//  7. If there is none, a file is the pick that may hold data written too long ago (ttl); what
//     follows is as in step 6. With round robin, if the shallowest level with such a file is not
//     level 0, the pick is the next file in turn of that level, if it is free.
//  8. If there is none, a file that was written too long ago is rewritten by itself in its level.
//     From version 8.11 on, with dynamic levels, it goes to the next level as in step 6, unless its
//     level is the deepest with data.
//
// A user key is in only one file of a level, so RocksDB's widening to a clean cut has no effect.
// max_compaction_bytes does not limit step 5 from 7.8 to 9.1
// (ignore_max_compaction_bytes_for_input); before it does, with compensated sizes, and afterwards
// twice as much does.
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/manual_compaction.h"
#include "models/policies/rocksdb/file_priority.h"
#include "models/policies/rocksdb/file_triggers.h"
#include "models/policies/rocksdb/levels.h"
#include "models/sizes/compression.h"
#include "models/tree/plan.h"

namespace lsmlab {

struct RocksdbJob {
  std::uint32_t start_level = 0;
  std::uint32_t output_level = 0;
  FileList start_files;
  FileList output_files;  // files of the output level
  PlanReason reason = PlanReason::kLevelSaturated;
  bool is_move = false;
  // False for files of level 0 that were picked for a move but must be rewritten: RocksDB has not
  // looked up their grandparents then.
  bool has_grandparents = true;
  // The client names the files of a level (DB::CompactFiles): outputs end at file_size in any
  // level.
  bool is_level_push = false;
  std::optional<std::uint64_t> next_cursor;  // cursor of the start level (round robin)
};

class RocksdbLeveledPicker {
 public:
  struct Options {
    RocksdbPriority priority = RocksdbPriority::kMinOverlappingRatio;
    std::uint64_t l0_trigger = 4;
    std::uint64_t max_compaction_bytes = 0;
    // The number of RocksdbFileTriggers::orderings() in the tree; none: no file is marked.
    std::optional<std::size_t> marked_files = {};
    std::optional<std::uint64_t> ttl = {};
    std::optional<std::uint64_t> periodic_age = {};
    CompressionRules compression = {};
    RocksdbVersion version = RocksdbVersion::k7_8;
    std::uint64_t size_ratio = 10;
  };
  RocksdbLeveledPicker(const RocksdbLevels& levels, const Options& options)
      : levels_(levels), options_(options) {}

  [[nodiscard]] std::optional<RocksdbJob> pick();
  /// The pick if only level 0 had a score.
  [[nodiscard]] std::optional<RocksdbJob> pick_level0();
  /// The next job of a manual compaction (Policy::pick_manual()). kWhole and kUpper are
  /// CompactRange over all keys; kWhole rewrites the deepest level too
  /// (BottommostLevelCompaction::kForceOptimized, as db_bench's compact asks for). kLevel0 and
  /// kLevel1 are CompactFiles of one level, as db_bench's compact0 and compact1 ask for it.
  [[nodiscard]] std::optional<RocksdbJob> pick_manual(const ManualCompaction& manual);

 private:
  [[nodiscard]] std::optional<RocksdbJob> pick_push(const ManualCompaction& manual);
  [[nodiscard]] bool take_piece(std::uint32_t level);
  [[nodiscard]] bool take_old_piece(std::uint32_t level, FileId first_new);
  [[nodiscard]] bool pick_initial_files();
  [[nodiscard]] bool pick_by_score();
  [[nodiscard]] bool pick_of_level(std::uint32_t level);
  [[nodiscard]] std::optional<RocksdbJob> completed();
  [[nodiscard]] bool pick_marked();
  [[nodiscard]] bool pick_expired();
  [[nodiscard]] bool pick_expired_in_turn();
  [[nodiscard]] bool pick_periodic();
  void aim_at_next_level(const RocksdbFilePlace& place);
  [[nodiscard]] bool pick_file();
  [[nodiscard]] bool pick_level0_move();
  [[nodiscard]] bool pick_within_level0();
  [[nodiscard]] bool pick_level0_by_size();
  [[nodiscard]] bool is_free(std::size_t index);
  [[nodiscard]] bool extend_move(std::size_t index);
  void extend_move_to_left(std::size_t index, std::uint64_t bytes);
  [[nodiscard]] bool take_overlapping_level0();
  void extend_round_robin();
  [[nodiscard]] bool take_output_files();
  void grow_start_files();
  [[nodiscard]] bool grows_output(const FileList& grown) const;
  [[nodiscard]] bool may_grow_to(const FileList& grown) const;
  [[nodiscard]] bool lies_between_inputs(const FileList& files) const;
  [[nodiscard]] bool is_trivial_move() const;
  /// Whether the output level's codec is that of the start level: otherwise nothing moves.
  [[nodiscard]] bool keeps_codec() const;
  [[nodiscard]] RocksdbFileTurns turns() const { return {options_.priority, options_.version}; }
  [[nodiscard]] bool is_round_robin() const {
    return options_.priority == RocksdbPriority::kRoundRobin;
  }
  /// RocksDB moves one file at a time where compression_per_level is given.
  [[nodiscard]] bool moves_several() const;
  /// Whether more files join in the order of keys.
  [[nodiscard]] bool goes_round() const {
    return is_round_robin() && job_.reason == PlanReason::kLevelSaturated;
  }
  /// Whether the pick moves the cursor of its level: not that of a single file.
  [[nodiscard]] bool moves_cursor() const { return goes_round() || is_expired_in_turn_; }

  const RocksdbLevels& levels_;
  Options options_;
  RocksdbJob job_;
  std::size_t first_index_ = 0;  // of the start level: the first file that was tried
  bool is_level0_move_ = false;
  bool is_expired_in_turn_ = false;
  bool is_single_file_ = false;  // picked for what it is, not for its level
};

}  // namespace lsmlab

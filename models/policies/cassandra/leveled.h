// Rules of LeveledCompactionStrategy that Cassandra 5.0.4 (LeveledManifest.java) and ScyllaDB
// (leveled_manifest.hh) share. Level 0 has a run for each flush, newest first; each level from 1 to
// 8 is one run of SSTables of sstable_size. Level i may hold fanout_size^i of them.
//
// What both remember lies in the tree: the cursor of a level from 1 on is the last key of the last
// merge out of it. The cursor of level 0, which needs none, counts for each level the merges since
// the last one into it (LevelRounds).
//
// Both compare timestamps when they read. Here the levels are in the order of age, which the
// tombstone rule needs (models/execution/tombstone_rule.h): data of a key in level i is newer than
// in level i + 1. Two rules keep that, and differ from both systems only where SSTables of level 0
// overlap in age, or merge there meanwhile: a merge out of level 0 takes every SSTable of level 0
// that overlaps it and holds older data (close_in_age), and a starved SSTable is taken only if no
// level between has its keys (add_starved). Runs of level 0 may overlap in age.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/policies/cassandra/size_tiers.h"
#include "models/policies/droppable_tombstones.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct LcsOptions : SizeTierOptions {
  static constexpr std::uint32_t kLevels = 9;  // level 0 included
  static constexpr std::uint64_t kLevel0Max = 32;

  Bytes sstable_size{std::uint64_t{160} << 20};
  std::uint64_t fanout_size = 10;
  DroppableTombstones droppable;

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
  /// What a level from 1 on may hold, at most 2^62.
  [[nodiscard]] std::uint64_t capacity(std::uint32_t level) const;
  /// Where the SSTables of a merge end.
  [[nodiscard]] OutputCut cut() const;
};

/// Whether a level with these bytes has a score above 1.001.
[[nodiscard]] bool has_high_score(std::uint64_t bytes, std::uint64_t capacity);

/// How many merges ago each level from 1 on was merged into, up to 255.
class LevelRounds {
 public:
  /// After this many a level is starved.
  static constexpr std::uint64_t kStarvedAfter = 25;

  explicit LevelRounds(const TreeView& tree);
  [[nodiscard]] bool is_starved(std::uint32_t level) const { return at(level) > kStarvedAfter; }
  /// A merge into this level.
  void count(std::uint32_t target);
  [[nodiscard]] CursorUpdate update() const { return {0, packed_}; }

 private:
  [[nodiscard]] std::uint64_t at(std::uint32_t level) const;
  void set(std::uint32_t level, std::uint64_t rounds);
  std::uint64_t packed_ = 0;  // a byte for each level from 1 to 8, level 1 lowest
};

/// The SSTables of a merge.
struct LcsMerge {
  std::vector<PlanInput> inputs;  // newest first
  KeyRange keys;
  std::size_t files = 0;
  std::uint32_t target = 0;
};

/// A file of a level from 1 on, and the files of the next level that it overlaps.
[[nodiscard]] LcsMerge merge_down(const TreeView& tree, std::uint32_t level, const File& file);
/// SSTables of level 0, oldest first, and the files of level 1 that overlap the range of all.
[[nodiscard]] LcsMerge merge_into_level1(const TreeView& tree, const std::vector<Sstable>& upper);

/// The file of a level from 1 on that is next: the first that begins above the cursor, else the
/// first. REQUIRES: the level is not empty.
[[nodiscard]] std::size_t next_by_last_key(const TreeView& tree, std::uint32_t level);

/// Adds the first idle file of the level that lies within the merge's keys, if no level between the
/// target and that level has a file that overlaps it.
void add_starved(const TreeView& tree, std::uint32_t level, LcsMerge& merge);

/// Adds to SSTables of level 0, oldest first, those of level 0 that overlap one of them and may
/// hold older data than it has, and so on. False if one of these is busy.
[[nodiscard]] bool close_in_age(const TreeView& tree, std::vector<Sstable>& sstables);

/// The plan, with the cursor of `level`, if it is above 0, and of `rounds`, if they are given.
[[nodiscard]] Plan plan_of(const TreeView& tree, const LcsOptions& options, PlanReason reason,
                           LcsMerge merge, std::uint32_t level,
                           const std::optional<LevelRounds>& rounds);

/// Whether a file has enough tombstones for the rule on single SSTables.
using EnoughTombstones = bool (*)(const DroppableTombstones& rule, std::uint64_t entries,
                                  std::uint64_t tombstones);
/// Orders a level's files for that rule: by their share of tombstones, the largest first. With
/// gc_grace by the write from which so many tombstones are old enough, the oldest first: an order
/// that does not change with time.
[[nodiscard]] std::vector<FileOrdering> tombstone_ordering(const DroppableTombstones& rule,
                                                           EnoughTombstones is_enough);
/// So many of a level's files are looked at.
constexpr std::size_t kDroppableLookedAt = 64;
/// The files that have enough tombstones, the largest share first, of those that are looked at.
/// REQUIRES: the level has a file; the tree keeps that ordering as its only one.
[[nodiscard]] std::vector<FileLocation> droppable_files(const TreeView& tree, std::uint32_t level,
                                                        const DroppableTombstones& rule,
                                                        EnoughTombstones is_enough);
/// The merge of one file that stays in its level.
[[nodiscard]] LcsMerge merge_alone(const TreeView& tree, const FileLocation& at);

}  // namespace lsmlab

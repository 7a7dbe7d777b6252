// Rules of LevelDB 1.23 (db/version_set.cc, db/db_impl.cc) that the policies LevelDB and LDC share:
// which level a flush goes to, which levels are too full, which file is next, and where output
// files end.
//
// The tree: each flush is a run of one file in level 0, newest first. Every other level is at most
// one sorted run. LevelDB's boundary inputs (files of one level that share a user key) do not exist
// here, because a level >= 1 holds each key once.
//
// One merge, move or link at a time, because LevelDB has one compaction thread; a flush may run
// concurrently. LevelDB's flush could land between files of a range that a running merge will write
// to. The flush of this policy stops in the level above. Moves and links write nothing: an executor
// applies them before it begins another flush.
//
// LevelDB compares scores as floating-point numbers; this code compares them exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/policies/level_options.h"
#include "models/policies/stall_rules.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct LeveldbOptions : LevelOptions {
  std::uint64_t levels = 7;                      // kNumLevels
  std::optional<std::uint64_t> flush_level_max;  // kMaxMemCompactLevel; default 2
  bool flush_keeps_overwritten = true;

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
  void resolve(const StoreOptions& store);
  /// If a file overlaps more bytes than this two levels below, it does not move. An output file
  /// ends before it overlaps more.
  [[nodiscard]] Bytes grandparent_bytes_max() const { return times_file_size(10); }
  /// A merge grows by more files of the upper level only while its bytes stay below this.
  [[nodiscard]] Bytes expanded_bytes_max() const { return times_file_size(25); }

 private:
  [[nodiscard]] Bytes times_file_size(std::uint64_t times) const {
    return Bytes(times * file_size.value());
  }
};

/// The stall rules of LevelDB 1.23 (db/db_impl.cc, MakeRoomForWrite; db/dbformat.h).
[[nodiscard]] StallRules leveldb_stalls();

/// The plan that flushes the pending memtable. Its target is the deepest level, up to
/// flush_level_max, that it can reach without an overlap on the way, and where it overlaps at most
/// grandparent_bytes_max() in the level after that (Version::PickLevelForMemTableOutput). REQUIRES:
/// a flush is pending.
[[nodiscard]] Plan leveldb_flush(const TreeView& tree, const LeveldbOptions& options);

[[nodiscard]] bool has_busy_file(const TreeView& tree);

/// Levels with a score of at least 1, highest score first; ties: the shallower level. The score of
/// level 0 is its number of files divided by l0_trigger. The score of another level is the bytes of
/// its files divided by its capacity. The last level has no score. Frozen files and slices count
/// for no level.
[[nodiscard]] std::vector<std::uint32_t> saturated_levels(const TreeView& tree,
                                                          const LeveldbOptions& options);

/// The file of a level that leaves next: the first by smallest key, in level 0 the newer one first
/// where equal, whose largest key is beyond the level's cursor, or else the first (round robin).
/// REQUIRES: the level holds a file.
[[nodiscard]] const File& next_by_cursor(const TreeView& tree, std::uint32_t level);
/// The first file of a run whose largest key is beyond the cursor; files.size() where there is
/// none.
[[nodiscard]] std::size_t first_beyond_cursor(const SortedRun& run,
                                              const std::optional<std::uint64_t>& cursor);

/// Whether a file with these keys can join a level's run. It must overlap no file there, and must
/// not separate a slice from the file that it is linked to (models/tree/tree.h: slices lie in
/// responsible ranges).
[[nodiscard]] bool can_arrive(const TreeView& tree, std::uint32_t level, const KeyRange& keys);

/// The bytes of the level's files that overlap `keys`. REQUIRES: level >= 1.
[[nodiscard]] Bytes overlapped_bytes(const TreeView& tree, std::uint32_t level,
                                     const KeyRange& keys);

/// Outputs end at file_size, or earlier because of the files two levels below the merge's upper
/// inputs.
[[nodiscard]] OutputCut leveldb_cut(const LeveldbOptions& options);

}  // namespace lsmlab

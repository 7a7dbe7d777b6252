// Rules of LevelDB 1.23 (db/version_set.cc, db/db_impl.cc) that LevelDB and LDC share: where a
// flush lands, which levels are too full, which file is next, where output files end.
//
// The tree: level 0 has a run of one file for each flush, newest first; every other level is at
// most one sorted run. LevelDB's boundary inputs (files of one level that share a user key) do not
// exist here: a level >= 1 holds each key once.
//
// One merge, move or link at a time, as LevelDB has one compaction thread; a flush may come in
// between. Where LevelDB's flush could land inside the range that a running merge is writing to,
// beside files that it is about to add, this one stops above. Moves and links write
// nothing: an executor applies them before it begins another flush.
//
// LevelDB compares scores as floating-point numbers; these are exact.
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
  std::optional<std::uint64_t> flush_level_max;  // kMaxMemCompactLevel, 2, where not given

  void declare(OptionTable& table);
  [[nodiscard]] std::vector<std::string> validate() const;
  void resolve(const StoreOptions& store);
  /// Bytes of files two levels below beyond which a file does not move, and an output file ends.
  [[nodiscard]] Bytes grandparent_bytes_max() const { return times_file_size(10); }
  /// Bytes below which a merge may grow by more files of the upper level.
  [[nodiscard]] Bytes expanded_bytes_max() const { return times_file_size(25); }

 private:
  [[nodiscard]] Bytes times_file_size(std::uint64_t times) const {
    return Bytes(times * file_size.value());
  }
};

/// LevelDB 1.23's (db/db_impl.cc, MakeRoomForWrite; db/dbformat.h).
[[nodiscard]] StallRules leveldb_stalls();

/// The flush of the pending memtable: into the deepest level, up to flush_level_max, that it
/// reaches without overlapping anything on the way, and where it overlaps no more than
/// grandparent_bytes_max() in the level after (Version::PickLevelForMemTableOutput). REQUIRES: a
/// flush is pending.
[[nodiscard]] Plan leveldb_flush(const TreeView& tree, const LeveldbOptions& options);

[[nodiscard]] bool has_busy_file(const TreeView& tree);

/// Levels with a score of at least 1, highest score first, the shallower one on ties. The score is
/// files over l0_trigger in level 0, bytes of files over capacity elsewhere; the last level has
/// none. Frozen files, and slices of them, are in no level's bytes.
[[nodiscard]] std::vector<std::uint32_t> saturated_levels(const TreeView& tree,
                                                          const LeveldbOptions& options);

/// The file of a level that leaves next: the first by smallest key, in level 0 the newer one first
/// where equal, whose largest key is beyond the level's cursor, or else the first (round robin).
/// REQUIRES: the level holds a file.
[[nodiscard]] const File& next_by_cursor(const TreeView& tree, std::uint32_t level);
/// The first file of a run whose largest key is beyond the cursor; files.size() where there is none.
[[nodiscard]] std::size_t first_beyond_cursor(const SortedRun& run,
                                              const std::optional<std::uint64_t>& cursor);

/// Whether a file of these keys can join a level's run: it overlaps no file there, and cuts no
/// slice off from the file that it hangs on (models/tree/tree.h: slices lie in responsible ranges).
[[nodiscard]] bool can_arrive(const TreeView& tree, std::uint32_t level, const KeyRange& keys);

/// Bytes of a level's files that overlap `keys`. REQUIRES: level >= 1.
[[nodiscard]] Bytes overlapped_bytes(const TreeView& tree, std::uint32_t level,
                                     const KeyRange& keys);

/// Output files of file_size, ended early by files two levels below the merge's upper inputs.
[[nodiscard]] OutputCut leveldb_cut(const LeveldbOptions& options);

}  // namespace lsmlab

// The state of an LSM-tree: levels of sorted runs of files, frozen files and the slices that refer
// to them, cursors, and the number of flushes. One shape serves every policy. An SSTable of a
// stack-based policy is a sorted run of one file. A level of a leveled policy is one sorted run of
// many files.
//
// Invariants (TreeState::apply keeps them: it refuses an edit that would break one):
//   - inside a level, runs are ordered newest to oldest by the last flush whose data they hold;
//   - inside a run, files are ordered by key and do not overlap;
//   - a slice lies in the responsible range of the file that it is linked to, so that a lookup
//     finds it;
//   - file ids are unique, and a frozen file has as many references as it has slices.
//
// A TreeView is what a policy sees; TreeState is the only class that changes it. Not thread safe:
// the owner locks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "models/base/units.h"
#include "models/tree/plan.h"

namespace lsmlab {

/// The part of a frozen file that waits to be merged into a file below it (LDC, Section III).
struct Slice {
  FileId frozen_file;
  KeyRange keys;
  Bytes bytes;  // of the frozen file's data blocks that may hold keys of this range
};

struct File {
  FileId id;
  KeyRange keys;
  Bytes bytes;
  Entries entries;  // 0 if the simulation knows sizes only
  Entries tombstones;
  Bytes key_bytes;    // sum over all entries
  Bytes value_bytes;  // sum over all entries
  std::optional<Instant> oldest_tombstone;
  SequenceSpan sequences;  // sequence numbers of its entries
  Instant created;         // when it was written
  Instant level_since;     // when it arrived in its level
  Instant last_access;  // when a lookup last reached it by key range, or else when it was written
  std::uint64_t seeks = 0;    // useless seeks that it was charged with in its level (LevelDB)
  FlushSpan flushes;          // first and last flush whose data the file may hold
  bool busy = false;          // an input of a plan that is being executed
  std::vector<Slice> slices;  // oldest first
};

struct SortedRun {
  RunId id;
  FlushSpan flushes;
  std::vector<File> files;  // by key
  [[nodiscard]] Bytes bytes() const;
  [[nodiscard]] bool busy() const;
};

struct Level {
  std::vector<SortedRun> runs;  // newest first
  std::optional<std::uint64_t> cursor;
};

/// The keys for which lookups in a run visit file `index`: those above the largest key of the file
/// before it, up to its own largest key. The first file's range begins at 0, the last one's has no
/// upper end (LDC, Section III-B).
[[nodiscard]] KeyRange responsible_range(const SortedRun& run, std::size_t index);

struct FrozenFile {
  File file;
  std::uint64_t references = 0;
};

/// The operations that a store received during some period.
struct Traffic {
  std::uint64_t lookups = 0;
  std::uint64_t writes = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// A full memtable that waits to be written.
struct PendingFlush {
  // its size as an SSTable, or the size that it would have on its own in an eager merge
  Bytes bytes;
  Entries entries;
  KeyRange keys;
  Entries tombstones = Entries();
  Traffic traffic = {};  // while the memtable was filled
};

/// The position of a file in the tree: indexes of level, run and file.
struct FileLocation {
  std::size_t level = 0;
  std::size_t run = 0;
  std::size_t file = 0;
};

/// What a finished plan changed. Executors make edits; recovery reads them from the manifest.
struct TreeEdit {
  struct Added {
    OutputTarget target;
    std::vector<File> files;  // one run, by key
  };
  struct Moved {
    std::vector<FileId> files;
    OutputTarget target;
  };
  struct Linked {
    FileId frozen_file;
    FileId lower_file;
    Slice slice;
  };
  bool takes_memtable = false;  // the pending flush became part of the tree
  bool is_merge = false;
  Entries slice_entries;  // that a merge read from slices of its inputs
  std::vector<FileId> removed;
  std::vector<Added> added;
  std::vector<Moved> moved;
  std::vector<FileId> frozen;  // they leave their runs, but exist while slices refer to them
  std::vector<Linked> linked;
  std::vector<CursorUpdate> cursors;
};

/// Everything that a tree consists of, except the pending flush and busy flags: what a manifest
/// stores.
struct TreeImage {
  std::vector<Level> levels;
  std::vector<File> frozen_files;  // by id; the slices determine their references
  std::uint64_t flush_count = 0;
  std::uint64_t last_merge_flush = 0;
  Instant now;
  Traffic traffic;
  std::uint64_t next_file_id = 1;
  std::uint64_t next_run_id = 1;
};

class TreeView {
 public:
  [[nodiscard]] std::span<const Level> levels() const { return levels_; }
  [[nodiscard]] const std::map<FileId, FrozenFile>& frozen_files() const { return frozen_files_; }
  [[nodiscard]] const std::optional<PendingFlush>& pending_flush() const { return pending_flush_; }
  [[nodiscard]] std::uint64_t flush_count() const { return flush_count_; }
  /// The flush count at the end of the newest merge; 0 before the first.
  [[nodiscard]] std::uint64_t last_merge_flush() const { return last_merge_flush_; }
  [[nodiscard]] Instant now() const { return now_; }
  /// The operations that arrived while the last flushed memtable was filled; none before the first
  /// flush.
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }
  [[nodiscard]] std::size_t run_count() const;
  [[nodiscard]] std::optional<FileLocation> find_file(FileId id) const;
  [[nodiscard]] const File& file_at(const FileLocation& at) const;

 protected:
  std::vector<Level> levels_;
  std::map<FileId, FrozenFile> frozen_files_;
  std::optional<PendingFlush> pending_flush_;
  std::uint64_t flush_count_ = 0;
  std::uint64_t last_merge_flush_ = 0;
  Instant now_;
  Traffic traffic_;

  // The position of each file: its run by level and id, its place in the run by its smallest key.
  struct Place {
    std::uint32_t level = 0;
    RunId run;
    std::uint64_t smallest_key = 0;
  };
  std::unordered_map<std::uint64_t, Place> places_;
};

class TreeState : public TreeView {
 public:
  /// The memtable is full. REQUIRES: no flush is pending.
  void begin_flush(const PendingFlush& flush);
  /// Replaces the pending flush and returns the old one. While a flush is written concurrently with
  /// other work, the owner hides it so that it can ask the policy for other plans.
  [[nodiscard]] std::optional<PendingFlush> exchange_pending_flush(
      std::optional<PendingFlush> flush) {
    return std::exchange(pending_flush_, std::move(flush));
  }
  void advance_now(Instant now) { now_ = now; }
  /// A lookup reached the file by its key range.
  void touch(const FileLocation& at) { touch(at, now_); }
  /// The same at a given time. A time before the known last access changes nothing.
  void touch(const FileLocation& at, Instant when);
  /// `times` lookups searched the file in vain and went on to another file. Returns the file's new
  /// count.
  std::uint64_t charge_seek(const FileLocation& at, std::uint64_t times = 1);

  /// Marks the inputs busy. Errors: an input is unknown or already busy; then nothing is reserved.
  [[nodiscard]] Result<void> reserve(const Plan& plan);
  /// Undoes reserve() for a plan that was given up.
  void release(const Plan& plan);
  /// Applies an edit. The tree changes in no other way. Errors: the edit breaks an invariant; the
  /// tree is then unchanged.
  [[nodiscard]] Result<void> apply(const TreeEdit& edit);

  /// Returns the error that apply() would return for the edit, and changes nothing.
  [[nodiscard]] Result<void> check(const TreeEdit& edit) const { return validate(edit); }

  /// Ids count up from 1 and are never reused, so equal histories give equal ids.
  [[nodiscard]] FileId allocate_file_id() { return FileId(next_file_id_++); }
  /// Ids below `id` are not given out: files with such names may still exist in the directory.
  void skip_file_ids_below(std::uint64_t id) {
    if (next_file_id_ < id) next_file_id_ = id;
  }

  [[nodiscard]] TreeImage image() const;
  /// Errors: an image that breaks an invariant; the message names the first faulty file.
  [[nodiscard]] static Result<TreeState> restore(TreeImage image);

 private:
  [[nodiscard]] Result<void> validate(const TreeEdit& edit) const;
  [[nodiscard]] Result<void> check_arrivals(const TreeEdit& edit,
                                            const std::set<FileId>& leaving) const;
  [[nodiscard]] Result<void> check_links(const TreeEdit& edit,
                                         const std::set<FileId>& leaving) const;
  /// Null if the target names no run, or a run that the level does not have.
  [[nodiscard]] const SortedRun* find_run(const OutputTarget& target) const;
  [[nodiscard]] Result<void> set_busy(const std::vector<PlanInput>& inputs);
  [[nodiscard]] File take_file(FileId id);
  [[nodiscard]] File& mutable_file(const FileLocation& at) {
    return levels_[at.level].runs[at.run].files[at.file];
  }
  void remove_files(const std::vector<FileId>& ids);
  void drop_slices(const File& file);
  void place(const OutputTarget& target, std::vector<File> files);
  /// Drops empty runs, and updates the runs' flush spans and their order.
  void settle_runs();

  std::uint64_t next_file_id_ = 1;
  std::uint64_t next_run_id_ = 1;
};

}  // namespace lsmlab

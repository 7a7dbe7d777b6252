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
//   - file ids are unique, and a frozen file has as many references as there are slices and copies
//     of it;
//   - a new file has slices only if it is virtual, and a frozen file has none;
//   - a copy lies within the keys of the file that has it, and is of a frozen file without copies.
//
// A TreeView is what a policy sees; TreeState is the only class that changes it. Not thread safe:
// the owner locks.
#pragma once

#include <array>
#include <boost/iterator/indirect_iterator.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "models/base/units.h"
#include "models/tree/file.h"
#include "models/tree/file_order.h"
#include "models/tree/file_places.h"
#include "models/tree/plan.h"
#include "models/tree/run_files.h"

namespace lsmlab {

struct SortedRun {
  RunId id;
  FlushSpan flushes;
  RunFiles files;  // by key
  /// As File::data_bytes().
  [[nodiscard]] Bytes bytes() const { return Bytes(files.sums().data_bytes()); }
  /// Whether any file is.
  [[nodiscard]] bool busy() const { return files.sums().busy_files > 0; }
};

struct Level {
  std::vector<SortedRun> runs;  // newest first
  std::optional<std::uint64_t> cursor;
  FileSums sums;  // over all runs; the tree keeps them
};

/// The keys for which lookups in a run visit file `index`: those above the largest key of the file
/// before it, up to its own largest key. The first file's range begins at 0, the last one's has no
/// upper end (LDC, Section III-B).
[[nodiscard]] KeyRange responsible_range(const SortedRun& run, std::size_t index);

/// How many of a table's data blocks the block cache holds.
struct CachedBlocks {
  std::uint64_t cached = 0;
  std::uint64_t all = 0;  // may be 0 where none is cached
};

struct FrozenFile {
  File file;
  std::uint64_t references = 0;
  // Of a copy, when its executor looked last (Policy::looks_at_copies()). In memory only: a
  // manifest does not have it.
  CachedBlocks blocks = {};
};

/// Frozen files by id. Copies take constant time.
class FrozenFiles {
 public:
  [[nodiscard]] bool empty() const { return files_.empty(); }
  [[nodiscard]] std::size_t size() const { return files_.size(); }
  [[nodiscard]] bool contains(FileId id) const { return find(id) != nullptr; }
  /// Null where there is none.
  [[nodiscard]] const FrozenFile* find(FileId id) const;
  /// REQUIRES: contains(id).
  [[nodiscard]] const FrozenFile& at(FileId id) const;
  [[nodiscard]] const RunSums& sums() const { return files_.summary(); }
  /// An iterator over constant frozen files, by id.
  [[nodiscard]] auto begin() const { return Constant(files_.begin()); }
  [[nodiscard]] auto end() const { return Constant(files_.end()); }

  /// Returns false, and adds nothing, if the id is there already.
  [[nodiscard]] bool add(FrozenFile frozen);
  /// REQUIRES: contains(id).
  void add_reference(FileId id);
  /// Removes the file with its last reference. REQUIRES: contains(id), and it has one.
  void drop_reference(FileId id);
  /// REQUIRES: contains(id).
  void note_blocks(FileId id, const CachedBlocks& blocks);

 private:
  // Shared by copies of trees until one of them changes it.
  using Item = std::shared_ptr<FrozenFile>;
  struct Traits {
    using Item = FrozenFiles::Item;
    using Key = std::uint64_t;
    static constexpr bool kKeysInLeaves = true;
    using Summary = RunSums;
    static Key key_of(const Item& item) { return item->file.id.value(); }
    static Summary summary_of(const Item& item) { return RunSums::of(item->file); }
    static FileExtremes extremes_of(const Item& item) { return file_extremes(item->file); }
  };
  [[nodiscard]] std::size_t index_of(FileId id) const;
  static FrozenFile& own(Item& item);

  using Constant = boost::indirect_iterator<CowSequence<Traits>::Iterator, const FrozenFile>;
  CowSequence<Traits> files_;
};

/// A full memtable that waits to be written.
struct PendingFlush {
  // its size as an SSTable, or the size that it would have on its own in an eager merge
  Bytes bytes;
  Entries entries;
  KeyRange keys;
  Entries tombstones = Entries();
  Traffic traffic = {};  // while the memtable was filled
  // When it got its first entry; nothing where nobody needs to know: when it is flushed.
  std::optional<Instant> first_write = {};
};

/// The position of a file in the tree: indexes of level, run and file.
struct FileLocation {
  std::size_t level = 0;
  std::size_t run = 0;
  std::size_t file = 0;
  friend auto operator<=>(const FileLocation&, const FileLocation&) = default;
};

/// What a finished plan changed. Executors make edits; recovery reads them from the manifest.
struct TreeEdit {
  struct Added {
    OutputTarget target;
    std::vector<File> files;  // one run, by key; virtual ones with their slices
    // A virtual file of the target: the one file is frozen and becomes its newest slice.
    std::optional<FileId> into = {};
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
  struct TakenSlices {
    FileId file;  // a virtual file, which stays
    std::uint64_t newest = 0;
  };
  bool takes_memtable = false;  // the pending flush became part of the tree
  bool is_merge = false;
  Entries slice_entries;  // that a merge read from slices of its inputs
  std::vector<FileId> removed;
  std::vector<Added> added;
  std::vector<Moved> moved;
  std::vector<FileId> frozen;  // they leave their runs, but exist while slices refer to them
  std::vector<Linked> linked;
  std::vector<TakenSlices> taken_slices;  // they leave their files
  std::vector<FileId> trimmed;            // rising; frozen files whose copies go
  std::vector<CursorUpdate> cursors;
  std::optional<Tuning> tuning = {};  // that the flush sets
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
  Traffic measured;
  std::optional<Tuning> tuning;
  std::uint64_t next_file_id = 1;
  std::uint64_t next_run_id = 1;
};

class TreeView {
 public:
  [[nodiscard]] std::span<const Level> levels() const { return levels_; }
  [[nodiscard]] const FrozenFiles& frozen_files() const { return frozen_files_; }
  [[nodiscard]] const std::optional<PendingFlush>& pending_flush() const { return pending_flush_; }
  [[nodiscard]] std::uint64_t flush_count() const { return flush_count_; }
  /// The flush count at the end of the newest merge; 0 before the first.
  [[nodiscard]] std::uint64_t last_merge_flush() const { return last_merge_flush_; }
  [[nodiscard]] Instant now() const { return now_; }
  /// The operations that arrived while the last flushed memtable was filled; none before the first
  /// flush.
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }
  /// What a policy set last at run time.
  [[nodiscard]] const std::optional<Tuning>& tuning() const { return tuning_; }
  /// The operations of all flushed memtables since then, or since the first flush.
  [[nodiscard]] const Traffic& measured() const { return measured_; }
  /// The largest sequence number that a file had so far. After a restart: that a file has. That is
  /// the same where merges keep the newest tombstones (gc_grace).
  [[nodiscard]] std::uint64_t newest_write() const { return newest_write_; }
  [[nodiscard]] std::size_t run_count() const;
  [[nodiscard]] std::optional<FileLocation> find_file(FileId id) const;
  [[nodiscard]] const File& file_at(const FileLocation& at) const;

  /// A level's files by one of the orderings that the tree keeps: `ordering` counts from the first
  /// of Policy::orderings(). The first time that a level's is asked for, it is made by sorting the
  /// level; from then on it is kept up to date. REQUIRES: the tree keeps it (TreeState::keep()); no
  /// other thread uses this view at the same time.
  [[nodiscard]] const FileOrder& order(std::size_t ordering, std::uint32_t level) const;
  [[nodiscard]] const FileOrders& orders() const { return orders_; }
  /// Where a file of such an order stands.
  [[nodiscard]] FileLocation location_of(std::uint32_t level, const OrderedFile& file) const;

 protected:
  std::vector<Level> levels_;
  FrozenFiles frozen_files_;
  std::optional<PendingFlush> pending_flush_;
  std::uint64_t flush_count_ = 0;
  std::uint64_t last_merge_flush_ = 0;
  Instant now_;
  Traffic traffic_;
  Traffic measured_;
  std::optional<Tuning> tuning_;
  std::uint64_t newest_write_ = 0;
  FilePlaces places_;
  mutable FileOrders orders_;  // those that nobody has asked for yet are not made
};

/// Finds files of a tree in turn: fast where each stands behind the one before in its run, as the
/// files of a plan mostly do. Refers to the tree, which must not change meanwhile.
class FileFinder {
 public:
  explicit FileFinder(const TreeView& tree) : tree_(&tree) {}
  /// Null if the file is in no run of the tree.
  [[nodiscard]] const File* find(FileId id);
  /// REQUIRES: the file is in a run of the tree.
  [[nodiscard]] const File& at(FileId id);
  /// Where the file stands that was found last.
  [[nodiscard]] const FileLocation& location() const { return location_; }

 private:
  const TreeView* tree_;
  FileLocation location_;
  std::size_t end_ = 0;  // files of the run where the last one was found; 0 before that
  RunFiles::Iterator file_;
};

class TreeState : public TreeView {
 public:
  /// Keeps these orderings from now on, and no others: those of the policy that will be asked.
  void keep(std::vector<FileOrdering> orderings);

  /// The memtable is full. REQUIRES: none is pending.
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
  /// What the block cache holds of a frozen file.
  void note_blocks(FileId frozen, const CachedBlocks& blocks) {
    frozen_files_.note_blocks(frozen, blocks);
  }
  /// The ranges that are kept of a file that was read from a manifest.
  void set_kept_ranges(const FileLocation& at, std::shared_ptr<const KeptRanges> ranges) {
    files_of(at).annotate(at.file, [&](File& file) { file.kept_ranges = std::move(ranges); });
  }

  /// Marks the inputs busy. Errors: an input is unknown or already busy; then nothing is reserved.
  [[nodiscard]] Result<void> reserve(const Plan& plan);
  /// Undoes reserve() for a plan that was given up.
  void release(const Plan& plan);
  /// Applies an edit. The tree changes in no other way. Errors: the edit breaks an invariant; the
  /// tree is then unchanged.
  [[nodiscard]] Result<void> apply(const TreeEdit& edit);

  /// Returns the error that apply() would return for the edit, and changes nothing.
  [[nodiscard]] Result<void> check(const TreeEdit& edit) const {
    BOOST_OUTCOME_TRYV(validate(edit));
    return success();
  }

  /// Ids count up from 1 and are never reused, so equal histories give equal ids.
  /// The id that allocate_file_id() returns next.
  [[nodiscard]] FileId next_file_id() const { return FileId(next_file_id_); }
  [[nodiscard]] FileId allocate_file_id() { return FileId(next_file_id_++); }
  /// Ids below `id` are not given out: files with such names may still exist in the directory.
  void skip_file_ids_below(std::uint64_t id) {
    if (next_file_id_ < id) next_file_id_ = id;
  }

  [[nodiscard]] TreeImage image() const;
  /// Errors: an image that breaks an invariant; the message names the first faulty file.
  [[nodiscard]] static Result<TreeState> restore(TreeImage image);

 private:
  // What an edit changed so far, for the orderings: they are brought up to date at its end.
  struct Changes {
    struct Level {
      std::uint32_t level = 0;
      std::optional<RunId> newest;  // before the edit
    };
    // Files that came to a run, by key.
    struct Placed {
      std::uint32_t level = 0;
      RunId run;
      std::vector<std::pair<std::uint64_t, FileId>> files;  // with their smallest keys
    };
    std::vector<Level> levels;                               // whose runs have changed
    std::vector<RunId> runs;                                 // that files came to or left
    std::vector<std::pair<std::uint32_t, KeyRange>> ranges;  // where files came or went
    std::vector<Placed> placed;                              // not in the orderings yet
  };
  // Where files stand that leave their runs, rising.
  using Leaving = std::vector<FileLocation>;
  /// Returns where the files stand that leave their runs.
  [[nodiscard]] Result<Leaving> validate(const TreeEdit& edit) const;
  [[nodiscard]] Result<void> check_ids(const TreeEdit& edit) const;
  [[nodiscard]] Result<Leaving> find_leaving(const TreeEdit& edit) const;
  [[nodiscard]] Result<void> check_arrivals(const TreeEdit& edit, const Leaving& leaving) const;
  [[nodiscard]] Result<void> check_links(const TreeEdit& edit, const Leaving& leaving) const;
  [[nodiscard]] Result<void> check_virtual(const TreeEdit& edit) const;
  [[nodiscard]] Result<void> check_taken_slices(const TreeEdit& edit, const Leaving& leaving) const;
  [[nodiscard]] Result<void> check_frozen(const TreeEdit& edit) const;
  [[nodiscard]] Result<void> check_copies(const TreeEdit& edit) const;
  /// Whether the file is frozen once the edit is applied, if slices refer to it.
  [[nodiscard]] bool will_be_frozen(const TreeEdit& edit, FileId id) const;
  /// Null if the target names no run, or a run that the level does not have.
  [[nodiscard]] const SortedRun* find_run(const OutputTarget& target) const;
  [[nodiscard]] Result<void> set_busy(const std::vector<PlanInput>& inputs);
  /// REQUIRES: the places rise.
  void set_busy(const std::vector<FileLocation>& files, bool busy);
  [[nodiscard]] RunFiles& files_of(const FileLocation& at) {
    return levels_[at.level].runs[at.run].files;
  }
  void note_level(std::uint32_t level, Changes& changes) const;
  [[nodiscard]] File take_file(FileId id, Changes& changes);
  /// Frozen files come, and references of slices come and go.
  void freeze(const TreeEdit& edit, Changes& changes);
  /// Rising. REQUIRES: each file is in a run.
  [[nodiscard]] Leaving places_of(const std::vector<FileId>& files) const;
  /// `leaving`: where the removed files stand, rising.
  void rewrite(const TreeEdit& edit, const Leaving& leaving, Changes& changes);
  void leave(std::uint32_t level, const File& file);
  void arrive(std::uint32_t level, RunId run, const std::vector<File>& files, Changes& changes);
  void place(const OutputTarget& target, std::vector<File> files, Changes& changes);
  void hang(const TreeEdit::Linked& linked);
  /// Notes the entry bytes of the slices of a file. REQUIRES: their frozen files are there.
  void weigh_slices(const FileLocation& at);
  void take_slices(const TreeEdit::TakenSlices& taken);
  void drop_copies(const File& file);
  /// Counts the references of a file that was read from a manifest.
  [[nodiscard]] Result<void> restore_references(const File& file);
  void trim(const std::vector<FileId>& trimmed);
  /// Calls `change(file)`, which may change the file's slices, and keeps sums and orderings right.
  template <class Change>
  void reslice(FileId id, const Change& change);
  /// Drops emptied runs of changed levels, and brings spans and the order of runs up to date.
  void settle_runs(Changes& changes);
  /// Brings overlaps and orderings up to date.
  void settle_orders(Changes& changes);
  void note_newest_runs(Changes& changes) const;
  void order_placed(const Changes::Placed& placed);
  void reorder_met(std::uint32_t level, SortedRun& run, const KeyRange& keys);

  std::uint64_t next_file_id_ = 1;
  std::uint64_t next_run_id_ = 1;
};

}  // namespace lsmlab

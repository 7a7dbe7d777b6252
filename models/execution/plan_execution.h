// What every executor of plans does alike, whether simulated or real: it sums up a plan's inputs as
// far as the tree knows them, makes the part of the edit that does not depend on written data, and
// completes the description of a written file. Pure functions; `tree` is the tree before the edit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/base/error.h"
#include "models/base/units.h"
#include "models/execution/delete_cohort.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// What the kept ranges of files (pre_remove=blocks) did for a merge's tombstones.
struct KeptRangeTests {
  std::uint64_t tests = 0;    // tombstones whose keys were sought in them
  std::uint64_t dropped = 0;  // tombstones that the key ranges of files alone would have kept

  void add(const KeptRangeTests& other) {
    tests += other.tests;
    dropped += other.dropped;
  }
  friend bool operator==(const KeptRangeTests&, const KeptRangeTests&) = default;
};

/// The ages of a flush's or merge's inputs, by their keys.
class InputAncestors {
 public:
  /// Adds an input of its own, with one part.
  void add(const KeyRange& keys, Instant oldest_ancestor) {
    inputs_.push_back({{keys, oldest_ancestor, Zeroed::kNone}});
  }
  /// Begins an input to which files of one run are added, by key.
  void begin_run() { inputs_.emplace_back(); }
  void add_file(const File& file) {
    inputs_.back().push_back({file.keys, file.oldest_ancestor, file.zeroed});
    has_zeroed_ = has_zeroed_ || file.zeroed != Zeroed::kNone;
  }
  /// The oldest ancestor of the inputs that overlap `keys`; nothing if none does. O(inputs * log
  /// files) and O(overlapping files).
  [[nodiscard]] std::optional<Instant> least(const KeyRange& keys) const;
  /// What of a file with these keys is Zeroed, if each input that it overlaps has an entry in it.
  [[nodiscard]] Zeroed zeroed(const KeyRange& keys) const;

 private:
  struct Part {
    KeyRange keys;
    Instant oldest_ancestor;
    Zeroed zeroed;
  };
  /// Calls `visit(part)` for each part of an input that overlaps `keys`.
  template <class Visit>
  void visit(const KeyRange& keys, const Visit& visit) const;

  bool has_zeroed_ = false;
  std::vector<std::vector<Part>> inputs_;
};

/// Sums over the inputs of a flush or a merge. The executor adds what it learns by reading: entries
/// of slices, and tombstones that were dropped.
struct PlanSums {
  FlushSpan flushes;
  std::optional<Instant> oldest_tombstone;
  InputAncestors ancestors;
  bool zeroes_sequences = false;     // as the plan says
  std::uint64_t read_bytes = 0;      // SSTable bytes only: a memtable is not read from disk
  std::uint64_t entries = 0;         // entries of slices included
  std::uint64_t slice_entries = 0;   // the part of `entries` that comes from slices
  std::uint64_t tombstones_max = 0;  // an upper bound: a slice may hold fewer than its frozen file
  std::uint64_t tombstones_dropped = 0;
  // Of each dropped tombstone; empty where only their number is known.
  std::vector<std::uint64_t> dropped_sequences;
  std::optional<CohortList> dropped_cohorts;  // the same where no single entry is known
  KeptRangeTests range_tests;
  std::uint64_t sources = 0;  // inputs merged with each other: runs, slices, a memtable
  // entries of each source; slices follow when the executor adds them
  std::vector<std::uint64_t> source_entries;

  void add_slice_entries(std::uint64_t count) {
    entries += count;
    slice_entries += count;
    source_entries.push_back(count);
  }
};

/// Sums over the inputs of a merge, without entries of slices. `memtable_oldest_tombstone` counts
/// if the plan takes the memtable.
/// REQUIRES: the inputs are in the tree, and a flush is pending where the plan takes one.
[[nodiscard]] PlanSums merge_sums(const TreeView& tree, const MergePlan& plan,
                                  std::optional<Instant> memtable_oldest_tombstone);
/// REQUIRES: a flush is pending.
[[nodiscard]] PlanSums flush_sums(const TreeView& tree,
                                  std::optional<Instant> memtable_oldest_tombstone);

/// Sums over the files that a drop removes: all but the tombstones among them, which the executor
/// knows (dropped_sequences, dropped_cohorts). REQUIRES: the inputs are in the tree.
[[nodiscard]] PlanSums drop_sums(const TreeView& tree, const DropPlan& plan);

/// The plan's edit without what the executor finds out: added files, entries of slices, the slices
/// of a link (add_links()), and copies of a merge's inputs (models/tree/file_copies.h). REQUIRES: a
/// flush is pending where the plan takes one.
[[nodiscard]] TreeEdit begin_edit(const TreeView& tree, const Plan& plan);

/// Links the slices of the plan's frozen file to the files below. `bytes_in` returns the stored
/// bytes of the frozen file's data blocks that may hold keys of the range. REQUIRES: the plan's
/// files are in the tree, and each lower file's responsible range overlaps the upper file's keys.
void add_links(const TreeView& tree, const LinkPlan& plan,
               const std::function<Bytes(const KeyRange&)>& bytes_in, TreeEdit& edit);

/// What a flush or merge adds, without files yet.
[[nodiscard]] TreeEdit::Added begin_added(const Plan& plan);

/// What a virtual file of a plan asks its executor for.
struct VirtualFileSource {
  /// The stored bytes of the table's data blocks that may hold keys of the range.
  std::function<Result<Bytes>(FileId, const KeyRange&)> bytes_in;
  std::function<FileId()> next_id;
};

/// Adds the plan's virtual files. Slices that are handed on whole keep their bytes. Errors: those
/// of bytes_in. REQUIRES: the plan's files are in the tree, and those that are not virtual have no
/// slices.
[[nodiscard]] Result<void> add_virtual_files(const TreeView& tree, const ReferPlan& plan,
                                             const VirtualFileSource& source, TreeEdit& edit);

/// The parts of frozen files that a plan's virtual files may stand for, oldest first: its inputs'
/// slices, and whole inputs, of 0 bytes.
[[nodiscard]] std::vector<Slice> referred_parts(const TreeView& tree,
                                                const std::vector<PlanInput>& inputs);

/// Completes a virtual file that has its id and its slices: its keys and what it inherits.
void finish_virtual_file(const TreeView& tree, File& file);

/// The keys of the slice of `upper` that is linked to a file: the keys of `upper` within the file's
/// responsible range.
[[nodiscard]] KeyRange slice_keys(const TreeView& tree, const File& upper, FileId lower_file);

/// Names a written file and completes its description. `oldest_tombstone` is the oldest of the
/// plan's inputs; a file without tombstones gets none.
void finish_file(File& file, FileId id, FlushSpan flushes, std::optional<Instant> oldest_tombstone,
                 Instant now);

/// The same for an output of a plan with these sums, which also give its oldest ancestor.
void finish_output(File& file, const PlanSums& sums, Instant now);

/// The ids of frozen files whose last slice or copy the edit removes: their contents can be
/// deleted.
[[nodiscard]] std::vector<FileId> dropped_frozen_files(const TreeView& before,
                                                       const TreeEdit& edit);

}  // namespace lsmlab

// What every executor of plans does alike, simulated or real: what a plan's inputs add up to as far
// as the tree knows, the edit that a plan stands for but for what it writes, and the description
// that a written file gets beside what its entries say. Pure; `tree` is the tree before the edit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/base/units.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// What a flush or a merge takes, summed up. The executor adds what only reading tells: entries of
/// slices, and tombstones that went.
struct PlanSums {
  FlushSpan flushes;
  std::optional<Instant> oldest_tombstone;
  std::uint64_t read_bytes = 0;      // of SSTables: a memtable is not read from disk
  std::uint64_t entries = 0;         // those of slices included
  std::uint64_t slice_entries = 0;   // of those
  std::uint64_t tombstones_max = 0;  // a slice may hold fewer than its frozen file
  std::uint64_t tombstones_dropped = 0;
  std::uint64_t sources = 0;                  // merged with each other: runs, slices, a memtable
  std::vector<std::uint64_t> source_entries;  // of each; slices' once the executor added them

  void add_slice_entries(std::uint64_t count) {
    entries += count;
    slice_entries += count;
    source_entries.push_back(count);
  }
};

/// Without entries of slices. `memtable_oldest_tombstone` counts where the plan takes the memtable.
/// REQUIRES: the inputs are in the tree, and a flush is pending where the plan takes one.
[[nodiscard]] PlanSums merge_sums(const TreeView& tree, const MergePlan& plan,
                                  std::optional<Instant> memtable_oldest_tombstone);
/// REQUIRES: a flush is pending.
[[nodiscard]] PlanSums flush_sums(const TreeView& tree,
                                  std::optional<Instant> memtable_oldest_tombstone);

/// The plan's edit without what the executor finds out: files added, entries of slices, and for a
/// link the slices (add_links()). REQUIRES: a flush is pending where the plan takes one.
[[nodiscard]] TreeEdit begin_edit(const TreeView& tree, const Plan& plan);

/// Hangs the slices of the plan's frozen file on the files below. `bytes_in`: stored bytes of its
/// data blocks that may hold keys of the range. REQUIRES: the plan's files are in the tree and each
/// lower file's responsible range meets the upper file's keys.
void add_links(const TreeView& tree, const LinkPlan& plan,
               const std::function<Bytes(const KeyRange&)>& bytes_in, TreeEdit& edit);

/// The part of `upper` that hangs on a file: its keys within the file's responsible range.
[[nodiscard]] KeyRange slice_keys(const TreeView& tree, const File& upper, FileId lower_file);

/// Names a file that was written and completes its description. `oldest_tombstone` is that of what
/// the plan took; a file without tombstones has none.
void finish_file(File& file, FileId id, FlushSpan flushes, std::optional<Instant> oldest_tombstone,
                 Instant now);

/// Frozen files, by id, whose last slice goes with the edit: their contents go too.
[[nodiscard]] std::vector<FileId> dropped_frozen_files(const TreeView& before,
                                                       const TreeEdit& edit);

}  // namespace lsmlab

// Where the output of a merge is cut into files: one rule for simulator and engine.
//
//   By size: an output file ends with the entry that brings what the cut measures to its limit;
//   filter and index come on top.
//   By grandparents, asked before an entry is added (GrandparentRule):
//     kOverlapLimit: LevelDB 1.23, Compaction::ShouldStopBefore.
//     kDynamicFileSize: RocksDB 7.8, CompactionOutputs::ShouldStopBefore with
//     level_compaction_dynamic_file_size.
//
// Asked of kept entries only: an entry that the merge drops moves no boundary.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/plan.h"
#include "models/sstable_size.h"
#include "models/tree.h"

namespace lsmlab {

class OutputCutter {
 public:
  /// `tree` is the tree that the plan was made for.
  OutputCutter(const TreeView& tree, const MergePlan& plan);

  /// Whether the open output file ends with the entry that it got last.
  [[nodiscard]] bool ends_after(const SstableSize& file) const;
  /// How many entries of one size may be added before ends_after() need be asked, the last one
  /// included; at least 1.
  [[nodiscard]] std::uint64_t entries_to_end(const SstableSize& file, std::uint64_t key_bytes,
                                             std::uint64_t value_bytes) const;

  /// The largest key for which ends_before() is known to be false and need not be asked, whatever
  /// the file's size; nothing where every key up to the end is such. Does not fall.
  [[nodiscard]] std::optional<std::uint64_t> quiet_until() const;

  /// Whether the open output file, which holds at least one entry, ends before an entry of this
  /// key. Keys must rise from call to call. Also to be asked of an entry that begins a file: the
  /// answer then means nothing, but the boundaries move.
  [[nodiscard]] bool ends_before(std::uint64_t key, const SstableSize& file);

 private:
  struct Grandparent {
    KeyRange keys;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] bool passes_overlap_limit(std::uint64_t key);

  OutputCut cut_;
  std::vector<Grandparent> grandparents_;
  std::size_t next_ = 0;  // the first grandparent whose end is not passed
  std::uint64_t overlapped_bytes_ = 0;
  bool has_seen_key_ = false;
};

}  // namespace lsmlab

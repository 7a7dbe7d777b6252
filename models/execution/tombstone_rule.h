// Which tombstones a merge drops: those of keys for which nothing older can exist outside of the
// merge's inputs. One rule for simulator and engine; by key ranges of files, as LevelDB
// (Compaction::IsBaseLevelForKey) and RocksDB have it, so that nobody needs to look into files.
#pragma once

#include <cstdint>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

class TombstoneRule {
 public:
  /// `tree` is the tree that the plan was made for.
  TombstoneRule(const TreeView& tree, const MergePlan& plan);

  /// True where a tombstone of this key may go. Keys must not fall from call to call.
  [[nodiscard]] bool drops(std::uint64_t key);
  /// True where every tombstone goes.
  [[nodiscard]] bool drops_all() const { return drops_tombstones_ && older_.empty(); }
  /// True where every tombstone stays.
  [[nodiscard]] bool drops_none() const { return !drops_tombstones_; }

 private:
  bool drops_tombstones_;
  std::vector<KeyRange> older_;  // disjoint, rising: keys of which something older may exist
  std::size_t next_ = 0;         // the first range whose end is not passed
};

}  // namespace lsmlab

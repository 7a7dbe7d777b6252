// Which tombstones a merge drops: those whose key cannot have older data outside the merge's
// inputs. One rule for simulator and engine. It uses only the key ranges of files, as LevelDB
// (Compaction::IsBaseLevelForKey) and RocksDB do, so that no file must be read.
#pragma once

#include <cstdint>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

class TombstoneRule {
 public:
  /// `tree` is the tree for which the policy made the plan.
  TombstoneRule(const TreeView& tree, const MergePlan& plan);

  /// True if the merge drops a tombstone of this key. REQUIRES: keys do not fall from call to call.
  [[nodiscard]] bool drops(std::uint64_t key);
  /// True if the merge drops every tombstone.
  [[nodiscard]] bool drops_all() const { return drops_tombstones_ && older_.empty(); }
  /// True if the merge keeps every tombstone.
  [[nodiscard]] bool drops_none() const { return !drops_tombstones_; }

 private:
  bool drops_tombstones_;
  std::vector<KeyRange> older_;  // disjoint, rising: key ranges that may have older data elsewhere
  std::size_t next_ = 0;         // the first range whose end is not passed
};

}  // namespace lsmlab

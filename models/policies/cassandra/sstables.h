// A tree as Cassandra and ScyllaDB see it under strategies that merge whole SSTables: every sorted
// run is an SSTable. A merge may take any of them, however old the ones between are, because a read
// compares timestamps. So the ages of SSTables may come to overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct Sstable {
  std::uint32_t level = 0;
  const SortedRun* run = nullptr;  // of the tree, which must not change meanwhile
};

/// Oldest first, those of one level or of all.
[[nodiscard]] std::vector<Sstable> sstables_of(const TreeView& tree);
[[nodiscard]] std::vector<Sstable> sstables_of(const TreeView& tree, std::uint32_t level);

/// Those that no running plan takes.
[[nodiscard]] std::vector<Sstable> idle(const std::vector<Sstable>& sstables);

/// All their files, newest SSTable first. REQUIRES: oldest first.
[[nodiscard]] std::vector<PlanInput> inputs_of(const std::vector<Sstable>& sstables);

/// The merge of these SSTables into one, in the deepest of their levels. REQUIRES: not empty,
/// oldest first.
[[nodiscard]] MergePlan merge_of(const std::vector<Sstable>& sstables);

}  // namespace lsmlab

// Figures of results that need a walk over the tree; O(files).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/accounting/run_result.h"
#include "models/tree/tree.h"

namespace lsmlab {

/// Tombstones in files.
struct TombstoneSummary {
  std::uint64_t count = 0;
  std::optional<Instant> oldest;  // as files have it: inherited through merges
};

/// Sorted runs that a lookup may have to visit: those of the levels, and where slices hang on
/// files, the most on any one file of each run.
[[nodiscard]] std::uint64_t sorted_runs(const TreeView& tree);
/// Frozen files included.
[[nodiscard]] TombstoneSummary tombstones(const TreeView& tree);
/// Whole frozen files, parts that were merged already included.
[[nodiscard]] LevelSummary frozen_summary(const TreeView& tree);
/// Up to the deepest level that holds a file.
[[nodiscard]] std::vector<LevelSummary> level_summaries(const TreeView& tree);

}  // namespace lsmlab

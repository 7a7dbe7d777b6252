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
  std::optional<Instant> oldest;  // a merge's outputs inherit it from their inputs
};

/// Sorted runs that a lookup may have to visit: all runs of the levels, and for each run the
/// largest number of slices that are linked to one of its files.
[[nodiscard]] std::uint64_t sorted_runs(const TreeView& tree);
/// Tombstones of all files, frozen ones included.
[[nodiscard]] TombstoneSummary tombstones(const TreeView& tree);
/// Key ranges that are kept of files, frozen ones included.
[[nodiscard]] std::uint64_t kept_ranges(const TreeView& tree);
/// Sums over frozen files. A file counts whole, even if merges have taken some of its slices.
[[nodiscard]] LevelSummary frozen_summary(const TreeView& tree);
/// One summary for each level, from level 0 to the deepest level that holds a file.
[[nodiscard]] std::vector<LevelSummary> level_summaries(const TreeView& tree);

}  // namespace lsmlab

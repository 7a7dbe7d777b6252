// The sorted runs of RocksDB's universal compaction, and which merges of them compress
// (RocksDB 7.8.3, db/compaction/compaction_picker_universal.cc).
//
// With compression_size_percent, RocksDB writes flushes uncompressed (GetCompressionFlush of
// db/db_impl/db_impl.cc). A merge by size ratio or by count is uncompressed too, where the runs
// older than its inputs hold at least that share of all runs' bytes. All other merges compress
// (PickCompactionToReduceSortedRuns).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/manual_compaction.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct UniversalRun {
  std::uint32_t level = 0;
  const SortedRun* run = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t compensated_bytes = 0;
  bool busy = false;
};

/// Newest first (RocksDB: CalculateSortedRuns). O(runs).
[[nodiscard]] std::vector<UniversalRun> universal_runs(const TreeView& tree);

/// Whether the outputs of `plan` are compressed with this compression_size_percent. O(runs).
/// REQUIRES: the plan's inputs are in the tree.
[[nodiscard]] bool universal_compresses(const TreeView& tree, const Plan& plan,
                                        std::uint64_t size_percent);

/// All files of one level, and those that they overlap in the next level that has files: what
/// db_bench's compact0 and compact1 merge (tools/db_bench_tool.cc, CompactLevelHelper;
/// db/compaction/compaction_picker.cc, SanitizeCompactionInputFilesForAllLevels).
struct LevelPush {
  std::vector<PlanInput> inputs;
  std::uint32_t output_level = 0;
  bool is_bottommost = false;  // no older run overlaps them
};

/// Nothing if it is done, if it has nothing to merge, or if files are busy. REQUIRES: the scope is
/// kLevel0 or kLevel1; the runs are those of a tree.
[[nodiscard]] std::optional<LevelPush> universal_push(const std::vector<UniversalRun>& runs,
                                                      const ManualCompaction& manual);

}  // namespace lsmlab

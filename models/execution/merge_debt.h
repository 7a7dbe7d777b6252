// The merge debt of a store: the work that is due if writes stop now. It consists of the flushes of
// waiting memtables, and of the merges that the policy then asks for, until it wants nothing more.
// RocksDB estimates it from the sizes of its levels ("estimated pending compaction bytes"). lsmlab
// asks the policy, and carries its plans out on a copy of the tree that holds descriptions of files
// only. The result is an estimate:
//
//   - A merge keeps every byte that it takes. If it would drop old versions or tombstones, the debt
//     is too large.
//   - Keys are spread evenly within a file and within a slice. Outputs end at the size that the
//     plan gives, whatever lies below them. RocksDB also ends outputs at boundaries of the level
//     below; for it the debt is up to a quarter too large.
//   - Tombstones are not counted in an output if a merge may drop them at both ends of the output's
//     range (models/execution/tombstone_rule.h).
//   - All memtables are flushed before the first merge.
#pragma once

#include <cstdint>
#include <span>

#include "models/policies/policy.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct MergeDebt {
  std::uint64_t plans = 0;   // all plans, moves and links included
  std::uint64_t merges = 0;  // merges that write
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;  // flushes included
  // False if more plans are due than plans_max: the other members are then too small.
  bool is_whole = true;
};

struct MergeDebtQuestion {
  // Plans that run now. They are not counted: the question takes them as done, and counts what
  // follows from them. Their inputs are busy in the tree.
  std::span<const Plan> running = {};
  // Further full memtables besides the tree's pending flush, oldest first.
  std::span<const PendingFlush> waiting = {};
  Bytes block_size = {};  // no output is smaller, where outputs end at a block's end
  std::uint64_t plans_max = 10'000;
};

/// Cost: the number of files in the tree times the number of plans.
[[nodiscard]] MergeDebt merge_debt(const Policy& policy, TreeState tree,
                                   const MergeDebtQuestion& question);

}  // namespace lsmlab

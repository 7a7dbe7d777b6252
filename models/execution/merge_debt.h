// The work that a store still owes: the flushes of memtables that wait, and the merges that its
// policy would ask for after them, one after another, if no write came any more, until it wants
// nothing. RocksDB estimates as much from its levels' sizes ("estimated pending compaction bytes");
// here the policy itself is asked, and its plans are carried out on a copy of the tree, on
// descriptions of files alone. It is an estimate:
//
//   - a merge keeps every byte that it takes, so that where versions or tombstones go the debt is
//     too large;
//   - keys lie evenly within a file and within a slice, and outputs end at the size that the plan
//     gives, whatever lies below them (where RocksDB's would end at boundaries of the level below,
//     the debt is up to a quarter too large);
//   - tombstones no longer count in an output at whose ends they may go
//   (models/execution/tombstone_rule.h);
//   - memtables are flushed before anything is merged.
#pragma once

#include <cstdint>
#include <span>

#include "models/policies/policy.h"
#include "models/tree/plan.h"
#include "models/tree/tree.h"

namespace lsmlab {

struct MergeDebt {
  std::uint64_t plans = 0;   // moves and links among them
  std::uint64_t merges = 0;  // that write
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;  // flushes included
  // False where more plans are owed than were asked for: what stands above is then too little.
  bool is_whole = true;
};

struct MergeDebtQuestion {
  // Count for whoever carries them out: taken as done, what follows from them is owed. Their inputs
  // are busy in the tree.
  std::span<const Plan> running = {};
  // Beside the pending flush of the tree, oldest first.
  std::span<const PendingFlush> waiting = {};
  Bytes block_size = {};  // no output is smaller, where blocks are what ends one
  std::uint64_t plans_max = 10'000;
};

/// Takes as long as the tree has files, times the plans that are owed.
[[nodiscard]] MergeDebt merge_debt(const Policy& policy, TreeState tree,
                                   const MergeDebtQuestion& question);

}  // namespace lsmlab

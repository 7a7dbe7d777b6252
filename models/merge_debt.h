// What merges a store still owes: those that its policy would ask for, one after another, if no
// write came any more, until it wants nothing. RocksDB estimates as much from its levels' sizes
// ("estimated pending compaction bytes"); here the policy itself is asked, and its plans are
// carried out on a copy of the tree, on descriptions of files alone:
//
//   - a merge keeps every byte that it takes, so that where it would drop versions or tombstones
//     the debt is an upper bound;
//   - keys lie evenly within a file and within a slice, and outputs end at the size that the plan
//     gives, whatever lies below them (where RocksDB's would end at boundaries of the level below,
//     the debt is up to a fifth too large);
//   - tombstones no longer count in an output at whose ends they may go (models/tombstone_rule.h).
//
// Where policy and inputs are such, as sorted runs of new keys that merge whole, it is exact.
#pragma once

#include <cstdint>
#include <span>

#include "models/plan.h"
#include "models/policy.h"
#include "models/tree.h"

namespace lsmlab {

struct MergeDebt {
  std::uint64_t plans = 0;  // moves and links among them
  std::uint64_t merges = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  // False where more plans are owed than were asked for: what stands above is then too little.
  bool is_whole = true;
};

/// Beside the plans that run, which it takes as done: their inputs are busy in the tree. A memtable
/// that waits is left aside, as are flushes that run. Asks for at most `plans_max` plans.
[[nodiscard]] MergeDebt merge_debt(const Policy& policy, TreeState tree,
                                   std::span<const Plan> running, std::uint64_t plans_max = 10'000);

}  // namespace lsmlab

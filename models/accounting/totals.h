// Counts and byte sums of a store's plans, simulated or real, as docs/results.md defines them.
// Their table of figures stands beside their code: a new one is a member, a line that counts it,
// and a row.
#pragma once

#include <cstdint>

#include "models/base/units.h"

namespace lsmlab {

class TreeView;
struct Plan;
struct PlanSums;
struct TreeEdit;

struct Totals {
  std::uint64_t flushes = 0;
  std::uint64_t merges = 0;
  std::uint64_t moves = 0;
  std::uint64_t links = 0;
  Uint128 user_bytes = 0;     // keys and values accepted; at flush resolution the flush sizes
  Uint128 bytes_flushed = 0;  // what every flush takes, or would take on its own, as an SSTable
  Uint128 flush_bytes_written = 0;  // by flushes that were written as SSTables of their own
  Uint128 merge_bytes_written = 0;
  Uint128 merge_bytes_read = 0;  // of SSTables: a memtable that a merge takes is not on disk
  Uint128 wal_bytes_written = 0;
  Uint128 manifest_bytes_written = 0;
  std::uint64_t entries_dropped = 0;
  std::uint64_t tombstones_dropped = 0;

  /// Counts a plan that is done and about to be applied to `before`. `sums` are those of a merge;
  /// they may be null for another plan. O(inputs and outputs).
  void count(const TreeView& before, const Plan& plan, const TreeEdit& edit, const PlanSums* sums);

  friend bool operator==(const Totals&, const Totals&) = default;
};

}  // namespace lsmlab
